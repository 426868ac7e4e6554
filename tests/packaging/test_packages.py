# SPDX-License-Identifier: Apache-2.0
"""What make release makes: in a root of the distribution's minimal packages it installs, records, reports, goes."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import BUILD, TREE, build_c
from seeds import text_seed

DIST = BUILD / "dist"
# In a mount namespace of its own, which takes the mounts along when it ends.
ENTER = """
mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
mount -t tmpfs none "$1/tmp" && root=$1 && shift &&
exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PIP_CERT=/host.crt "$@"
"""
THREADS = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *fill(void *memory) { return memset(memory, 1, 1 << 24); }
int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, 0, fill, malloc(1 << 24)) || pthread_join(thread, 0);
}
"""
pytestmark = pytest.mark.requires("minimal_root", "mounts", "perf_event", "gcc", "one_node")


class Root:
    """A folder that is the root of what runs in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *command: str, status: int = 0) -> str:
        words = ["unshare", "-m", "--propagation", "private", "sh", "-c", ENTER, "sh", self.folder, *command]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def take(self, pattern: str) -> str:
        """The one file that was made by this name; its name in the root."""
        (file,) = DIST.glob(pattern)
        return "/" + Path(shutil.copy(file, self.folder)).name


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    folder = tmp_path / "root"
    folder.mkdir()
    subprocess.run(["tar", "xf", BUILD / "cache/minimal-root.tar", "-C", folder, "--exclude=./dev/*"], check=True)
    shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", folder / "host.crt")  # a proxy may have one of its own
    (tmp_path / "threads.c").write_text(THREADS)
    shutil.copy(build_c(tmp_path / "threads", str(tmp_path / "threads.c")), folder / "threads")
    yield Root(folder)
    shutil.rmtree(folder)


def it_works(root: Root, program: str) -> None:
    """Records, reports, writes a page, in a root that has no compiler."""
    assert not (root.folder / "usr/bin/gcc").exists()
    assert "node" in root.run(program, "doctor")
    said = root.run(program, "-o", "/x.numaprof", "/threads")
    assert "2 threads" in said
    assert "threads.c" in root.run(program, "report", "/x.numaprof", "--full")
    root.run(program, "report", "/x.numaprof", "--html", "/x.html")
    assert (root.folder / "x.html").stat().st_size > 100_000


def test_wheel_in_a_fresh_environment(root: Root) -> None:
    wheel = root.take(f"*_{platform.machine()}.whl")
    assert (root.folder / wheel[1:]).stat().st_size < 10 << 20
    root.run("python3", "-m", "venv", "/venv")
    root.run("/venv/bin/pip", "install", "-q", wheel)
    it_works(root, "/venv/bin/numaprof")
    root.run("/venv/bin/pip", "uninstall", "-q", "-y", "numaprof")
    assert not list((root.folder / "venv").rglob("*numaprof*"))


@pytest.mark.requires("aarch64")
def test_wheel_for_aarch64(tmp_path: Path) -> None:
    """Made with CROSS=aarch64-linux-gnu; its program runs in an emulator, which has no perf events."""
    (wheel,) = DIST.glob("*_aarch64.whl")
    assert wheel.stat().st_size < 10 << 20
    with zipfile.ZipFile(wheel) as files:
        (program,) = [name for name in files.namelist() if name.endswith("scripts/numaprof")]
        path = Path(files.extract(program, tmp_path))
    path.chmod(0o755)
    (tmp_path / "script.txt").write_text(text_seed())

    def run(*words: str) -> str:
        command = ["qemu-aarch64-static", path, *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        return done.stdout + done.stderr

    assert ", aarch64, glibc" in run("--version")
    assert "imported 30 samples" in run("import", "script.txt")
    assert "NUMA nodes" in run("doctor")


def test_debian_package(root: Root) -> None:
    package = root.take("*.deb")
    root.run("sh", "-c", f"apt-get update -q && apt-get install -q -y --no-install-recommends {package}")
    it_works(root, "numaprof")
    assert (root.folder / "usr/share/bash-completion/completions/numaprof").exists()
    root.run("apt-get", "purge", "-q", "-y", "numaprof")
    assert not list((root.folder / "usr").rglob("*numaprof*"))


def test_tarball_wherever_it_is_unpacked(root: Root) -> None:
    name = root.take("*.tar.xz")
    subprocess.run(["tar", "xJf", root.folder / name[1:], "-C", root.folder / "opt"], check=True)
    (folder,) = (root.folder / "opt").iterdir()
    it_works(root, f"/opt/{folder.name}/bin/numaprof")


def test_build_with_the_distributions_packages_alone(root: Root) -> None:
    """After the packages are there, without a network."""
    groups = (TREE / "mk/packages.txt").read_text(encoding="utf-8").splitlines()
    packages = [line.split()[1] for line in groups if line.startswith("build ")]
    packages += ["make", "python3-jinja2", "python3-protobuf", "python3-prometheus-client"]
    root.run("sh", "-c", f"apt-get update -q && apt-get install -q -y --no-install-recommends {' '.join(packages)}")
    tracked = subprocess.run(["git", "-C", TREE, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    for name in tracked.split("\0")[:-1]:
        (root.folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE / name, root.folder / "tree" / name)
    root.run("unshare", "-n", "make", "-C", "/tree", "SYSTEM_PYTHON=/usr/bin/python3")
    assert "2 threads" in root.run("/tree/numaprof", "-o", "/x.numaprof", "/threads")


@pytest.mark.requires("lintian")
def test_lintian_has_nothing_to_say() -> None:
    (package,) = DIST.glob("*.deb")
    done = subprocess.run(["lintian", "--allow-root", package], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_checksums_and_version_agree() -> None:
    version = next(
        line.split('"')[1]
        for line in (TREE / "reports/pyproject.toml").read_text().splitlines()
        if line.startswith("version")
    )
    lines = [line.split() for line in (DIST / "SHA256SUMS").read_text().splitlines()]
    assert {Path(name).suffix for _, name in lines} == {".whl", ".deb", ".xz"}  # there may be wheels for two CPUs
    for digest, name in lines:
        assert version in name
        assert hashlib.sha256((DIST / name).read_bytes()).hexdigest() == digest
    assert f"## {version} " in (TREE / "CHANGELOG.md").read_text(encoding="utf-8")
