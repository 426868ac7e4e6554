# SPDX-License-Identifier: Apache-2.0
"""What every test shares: the tree, the built program, the `requires` marker, and C unit tests as pytest items."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Callable

import pytest

pytest_plugins = ["lab_plugin", "hostile.table"]

if "NUMAPROF_MACHINE" not in os.environ:  # in the emulated machine importing it takes longer than booting
    from hypothesis import settings

    # A test that is slow on a busy machine is not wrong.
    settings.register_profile("numaprof", deadline=None)
    settings.load_profile("numaprof")

TREE = Path(__file__).resolve().parent.parent
BUILD = TREE / "build"
PROGRAM = BUILD / "numaprof"
# Words before a command: a user without rights, another one in each test process, as the kernel limits locked memory by
# user (perf_event_mlock_kb).
NOBODY_ID = 30000 + os.getpid() % 10000
NOBODY = ("setpriv", f"--reuid={NOBODY_ID}", f"--regid={NOBODY_ID}", "--clear-groups")


def _perf_event_allowed() -> bool:
    if os.geteuid() == 0:
        return True
    try:
        return int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) <= 2
    except (OSError, ValueError):
        return False


def _runs(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


# A job in the background of a script has these ignored, one under nohup SIGHUP, and hands that on; programs under test
# must get them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _huge_pages_on_request() -> bool:
    """A program gets huge pages by madvise, the zero page among them."""
    folder = Path("/sys/kernel/mm/transparent_hugepage")
    texts = [path.read_text() if path.exists() else "" for path in (folder / "enabled", folder / "use_zero_page")]
    return "[never]" not in texts[0] and texts[1].strip() == "1"


def postgres_programs() -> Path | None:
    """The folder of Debian's, which are not in PATH: unpacked by mk/tests.mk, or installed."""
    for root in (BUILD / "cache" / "postgresql", Path("/")):
        for program in sorted((root / "usr/lib/postgresql").glob("*/bin/pgbench")):
            return program.parent
    return None


def node_exporter() -> str | None:
    """Prometheus' node exporter: the package's, or its program alone, which `make check` unpacks."""
    name = "prometheus-node-exporter"
    return shutil.which(name) or shutil.which(BUILD / "cache" / name)


# The word a test uses -> is it here?
REQUIREMENTS: dict[str, Callable[[], bool]] = {
    "root": lambda: os.geteuid() == 0,
    "perf_event": _perf_event_allowed,
    "gcc": lambda: shutil.which("gcc") is not None,
    "g++": lambda: shutil.which("g++") is not None,
    "gfortran": lambda: shutil.which("gfortran") is not None,
    "libnuma": lambda: Path("/usr/include/numa.h").exists(),
    "musl-gcc": lambda: shutil.which("musl-gcc") is not None,
    "gcc-m32": lambda: _runs("sh", "-c", "echo 'int main(void) { return 0; }' | gcc -m32 -xc - -o /dev/null"),
    "perf": lambda: shutil.which("perf") is not None,
    "x86_64": lambda: os.uname().machine == "x86_64",
    "mounts": lambda: os.geteuid() == 0 and _runs("unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"),
    "bubblewrap": lambda: _runs("bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"),
    "user_namespaces": lambda: _runs("setpriv", "--reuid=65534", "--clear-groups", "unshare", "-U", "-r", "true"),
    "chromium": lambda: Path("/usr/bin/chromium").exists() and Path("/usr/bin/chromedriver").exists(),
    "git": lambda: (TREE / ".git").exists() and shutil.which("git") is not None,
    "mpich": lambda: shutil.which("mpiexec.hydra") is not None,
    "openmpi": lambda: shutil.which("mpiexec.openmpi") is not None,
    **{name: lambda name=name: find_spec(name) is not None for name in ("pyarrow", "duckdb", "polars")},  # type: ignore[misc]
    "slurm": lambda: all(map(shutil.which, ("munged", "slurmctld", "slurmd", "srun"))),
    "namespaces": lambda: _runs("unshare", "--uts", "--pid", "--mount-proc", "--fork", "true"),
    "promtool": lambda: shutil.which("promtool") is not None,
    "prometheus": lambda: shutil.which("prometheus") is not None,
    "node_exporter": lambda: node_exporter() is not None,
    "zsh": lambda: shutil.which("zsh") is not None,
    "fish": lambda: shutil.which("fish") is not None,
    "man": lambda: shutil.which("man") is not None,
    "tmux": lambda: shutil.which("tmux") is not None,
    "postgres": lambda: postgres_programs() is not None,
    "redis": lambda: shutil.which("redis-check-rdb") is not None,
    "java": lambda: all(map(shutil.which, ("java", "javac"))),
    "numpy_wheel": lambda: bool(list((BUILD / "venv").glob("lib/python*/site-packages/numpy.libs/*openblas*"))),
    "numpy": lambda: _runs("/usr/bin/python3", "-c", "import numpy"),
    "lab": lambda: import_module("lab_plugin").missing() is None,
    "numatop": lambda: shutil.which("numatop") is not None,
    "arm": lambda: all(map(shutil.which, ("aarch64-linux-gnu-gcc", "qemu-aarch64-static"))),
    "go": lambda: shutil.which("go") is not None and _runs("go", "tool", "pprof", "-h"),
    "huge_pages": _huge_pages_on_request,
    "one_node": lambda: not Path("/sys/devices/system/node/node1").exists(),
    "lintian": lambda: shutil.which("lintian") is not None,
    "aarch64": lambda: bool(shutil.which("qemu-aarch64-static") and list((BUILD / "dist").glob("*_aarch64.whl"))),
    "minimal_root": (BUILD / "cache/minimal-root.tar").exists,
    "sarif_schema": (BUILD / "cache/sarif-schema-2.1.0.json").exists,
}


# As the reports themselves do: to look for cyclic garbage takes a twentieth of the time and finds next to none.
gc.set_threshold(100_000)


def pytest_collection_finish() -> None:
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden files anew instead of comparing with them")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("requires"):
        for name in marker.args:
            if name not in REQUIREMENTS:
                pytest.fail(f"unknown requirement {name!r}: conftest.py lists those there are")
            if not REQUIREMENTS[name]():
                pytest.skip(f"needs {name}, which this machine does not have")


@pytest.fixture(scope="session")
def program() -> Path:
    """The built numaprof."""
    if not PROGRAM.exists():
        pytest.fail("build/numaprof is missing; run make")
    return PROGRAM


@pytest.fixture(scope="session")
def built_man() -> Path:
    """The folder with man and completions, made from the program that is tested."""
    done = subprocess.run(["make", "-C", TREE, "man"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return BUILD


@pytest.fixture(autouse=True)
def _own_sources(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Source text that a test of the reports writes may be shown, as with --source."""
    if request.path.parent.name in ("reports", "browser") and "tmp_path" in request.fixturenames:
        folder = str(request.getfixturevalue("tmp_path").resolve())
        monkeypatch.setattr("numaprof.text.source_lines._folders", [folder])


@pytest.fixture
def public_place() -> Iterator[Path]:
    """A folder in which everybody may write, with numaprof in it: the tree itself may be out of a stranger's reach."""
    with tempfile.TemporaryDirectory(prefix="numaprof-test-") as name:
        place = Path(name)
        place.chmod(0o777)
        for file in (PROGRAM, BUILD / "libnumaprof-preload.so"):
            shutil.copy(file, place)
        yield place


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Path]:
    """A folder for thousands of files, or one with a hole that would take pages of the page cache: most of the time
    would go into the file system."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else tmp_path) as name:
        yield Path(name)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text): text is what tests/golden/NAME holds. `make golden` writes the files anew."""

    def check(name: str, text: str) -> None:
        path = TREE / "tests" / "golden" / name
        if request.config.getoption("--golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists():
            pytest.fail(f"{path} is missing; run make golden and look at what it wrote")
        assert text == path.read_text(), f"differs from {path}; if it should, run make golden"

    return check


def build_c(output: Path, *arguments: str) -> Path:
    """Compiles with the flags of the tree; fails the test with the compiler's own words."""
    output.parent.mkdir(parents=True, exist_ok=True)
    command = [os.environ.get("CC", "gcc"), "-std=c17", "-D_GNU_SOURCE", "-g", "-O1", f"-I{TREE}", f"-I{BUILD / 'gen'}"]
    written = output.with_name(f"{output.name}.{os.getpid()}")  # other workers may run the program that stands there
    command += [*os.environ.get("TEST_CFLAGS", "").split(), *arguments, "-o", str(written), "-pthread"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TREE, check=False)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)}\n{done.stderr}")
    written.replace(output)
    return output


def build_once(output: Path, *arguments: str, build: Callable[..., object] = build_c) -> Path:
    """A program in the folder of the build: not replaced while other workers run it: /proc would say "deleted"."""
    output.parent.mkdir(parents=True, exist_ok=True)
    sources = [path for path in map(Path, arguments) if path.is_file()]
    folder = os.open(output.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not output.exists() or any(path.stat().st_mtime > output.stat().st_mtime for path in sources):
            build(output, *arguments)
    finally:
        os.close(folder)
    return output
