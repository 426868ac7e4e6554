# SPDX-License-Identifier: Apache-2.0
"""Runtimes are named from what the program mapped, and advice is given in their terms: no pragma for a JVM."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from numaprof.analysis.runtimes import runtimes
from numaprof.document.overview_text import evidence_line
from numaprof.placement.advice import Kind
from numaprof.placement.explain import advise
from numaprof.text.format import plural
from reading import first_screen, read
from recording_builder import RecordingBuilder
from running import reports, run, target
from scenarios import ARRAY, PAGES, SERIAL, array, sampled, use_blocks

JVM = "/usr/lib/jvm/java-21-openjdk-amd64/lib/server/libjvm.so"
NUMA = "-XX:+UseNUMA"
PYTHON = "/usr/lib/x86_64-linux-gnu/libpython3.12.so.1.0"


def ran(*files: str, command: tuple[str, ...] = ("./sum",)) -> RecordingBuilder:
    """The program of the object rules, with what it mapped."""
    builder = sampled()
    for path in files:
        builder.row("code_file", path=path)
    return builder.change("run", command=json.dumps(command), cwd="/srv/app")


def serial(builder: RecordingBuilder) -> RecordingBuilder:
    """One thread first touches what all use: a fault that has a pragma in a program of C."""
    use_blocks(builder, array(builder, SERIAL), [0] * 8)
    return builder


def names(builder: RecordingBuilder, tmp_path: Path) -> list[str]:
    return [found.name for found in runtimes(read(builder, tmp_path))]


def test_names(tmp_path: Path) -> None:
    openblas = "/usr/lib/python3/dist-packages/numpy.libs/libscipy_openblas64_-6bb31eeb.so"
    assert names(ran(PYTHON, openblas), tmp_path) == ["CPython 3.12", "OpenBLAS"]
    assert names(ran("/usr/bin/python3.11"), tmp_path) == ["CPython 3.11"]
    assert names(ran("/usr/lib/postgresql/16/bin/postgres"), tmp_path) == ["PostgreSQL"]
    assert names(ran("/usr/lib/x86_64-linux-gnu/libtbb.so.12.8", "/usr/bin/node"), tmp_path) == ["Node.js", "TBB"]
    assert names(ran("/usr/lib/julia/libjulia-internal.so.1.10"), tmp_path) == ["Julia"]
    assert names(ran("/home/u/mynode", "/home/u/python-like", "/lib/libc.so.6"), tmp_path) == []


@pytest.mark.parametrize(
    ("variable", "threads", "found"),
    [
        ("OPENBLAS_NUM_THREADS", 4, "OpenBLAS 4 threads (OPENBLAS_NUM_THREADS)"),
        ("OMP_NUM_THREADS", 1, "OpenBLAS 1 thread (OMP_NUM_THREADS)"),
        ("OPENBLAS_NUM_THREADS", 64, "OpenBLAS 8 threads (OPENBLAS_NUM_THREADS)"),  # there are 8 CPUs
        (None, None, "OpenBLAS in a process of 8 threads"),
    ],
)
def test_threads_of_openblas(tmp_path: Path, variable: str | None, threads: int | None, found: str) -> None:
    builder = ran("/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblasp-r0.3.21.so")
    builder.row("openblas", process=1, variable=variable, threads=threads)
    assert names(builder, tmp_path) == [found]


def test_openblas_that_was_told_in_the_program_to_use_fewer_threads(tmp_path: Path) -> None:
    """Of two processes the one with more threads is told, and its environment asks for more than were seen."""
    builder = ran("/usr/lib/libopenblas.so.0")
    for process in (1, 2):
        builder.row("openblas", process=process, variable="OMP_NUM_THREADS", threads=8)
    builder.add("process", pid=4800, exe="/usr/bin/python3.11", start_ns=0, end_ns=1, followed="inherited")
    builder.change("thread", "id > 5", process=2)
    assert names(builder, tmp_path) == ["OpenBLAS in a process of 5 threads"]


@pytest.mark.parametrize(
    ("collector", "thread", "flags", "found"),
    [
        ("G1", "G1 Conc#0", ("-XX:+UseNUMA",), "OpenJDK 21, G1, -XX:+UseNUMA on"),
        ("ZGC", "ZWorkerYoung#0", (), "OpenJDK 21, ZGC, -XX:+UseNUMA on"),
        ("ZGC", "ZWorker#0", ("-XX:-UseNUMA",), "OpenJDK 21, ZGC, -XX:+UseNUMA off"),
        ("Shenandoah", "Shenandoah GC T", (), "OpenJDK 21, Shenandoah, -XX:+UseNUMA on"),
        ("Parallel", "GC Thread#0", ("-XX:+UseNUMA", "-XX:-UseNUMA"), "OpenJDK 21, Parallel, -XX:+UseNUMA off"),
    ],
)
def test_a_jvm_its_collector_and_its_flag(
    tmp_path: Path, collector: str, thread: str, flags: tuple[str, ...], found: str
) -> None:
    builder = ran(JVM, command=("java", *flags, "App")).change("thread", "id = 2", name=thread)
    assert names(builder, tmp_path) == [found]
    assert f"runtime: {found}" in list(evidence_line(read(builder, tmp_path)))


def test_functions_of_runtimes_that_are_linked_in(tmp_path: Path) -> None:
    for function, name in (("runtime.goexit.abi0", "Go"), ("std::rt::lang_start::{{closure}}", "Rust")):
        builder = sampled()
        builder.add("place", module="/home/u/app", function=function)
        assert names(builder, tmp_path) == [name]


def test_what_made_a_stripped_program(tmp_path: Path) -> None:
    builder = ran()
    builder.row("code_maker", path="/home/u/app", maker="Go 1.22.3")
    assert names(builder, tmp_path) == ["Go 1.22.3"]


@pytest.mark.parametrize(
    ("path", "command", "says", "first"),
    [
        (JVM, ("java", "-jar", "app.jar"), "Let the JVM place", "java -XX:+UseNUMA -jar app.jar"),
        (JVM, ("./start.sh",), "Let the JVM place", "JAVA_TOOL_OPTIONS=-XX:+UseNUMA ./start.sh"),
        (JVM, ("java", NUMA, "App"), "by node already", f"numactl --cpunodebind=0 --membind=0 java {NUMA} App"),
        (PYTHON, ("python3", "a.py"), "np.zeros", "numactl --cpunodebind=0 --membind=0 python3 a.py"),
        ("/usr/bin/node", ("node", "a.js"), "V8", "numactl --cpunodebind=0 --membind=0 node a.js"),
        ("/opt/julia/lib/libjulia.so.1", ("julia", "a.jl"), "Pin Julia", "using ThreadPinning; pinthreads(:numa)"),
        ("/usr/lib/postgresql/16/bin/postgres", ("postgres",), "shared buffers", "numactl --interleave=all postgres"),
        ("/usr/sbin/mysqld", ("mysqld", "-u", "m"), "buffer pool", "mysqld --innodb-numa-interleave=ON -u m"),
        ("/usr/sbin/mysqld", ("mysqld_safe",), "buffer pool", "mysqld --innodb-numa-interleave=ON"),
        ("/usr/sbin/mariadbd", ("mariadbd",), "buffer pool", "numactl --interleave=all mariadbd"),
    ],
)  # fmt: skip
def test_advice_in_the_terms_of_the_runtime(
    tmp_path: Path, path: str, command: tuple[str, ...], says: str, first: str
) -> None:
    found = advise(read(serial(ran(path, command=command)), tmp_path))
    assert [advice.kind for advice in found] == [Kind.FIX]
    assert says in found[0].change
    assert found[0].code[0] == first
    assert found[0].removes is None
    text = "\n".join(found[0].code)
    assert "#pragma" not in text and "mbind" not in text.replace("--membind", "")


def test_pytorch_gets_the_binding_of_its_launcher(tmp_path: Path) -> None:
    torch = "/usr/lib/python3/dist-packages/torch/lib/libtorch_cpu.so"
    command = ("torchrun", "--nproc-per-node=2", "train.py")
    (advice,) = advise(read(serial(ran(PYTHON, torch, command=command)), tmp_path))
    assert advice.kind is Kind.FIX
    assert advice.change.startswith("Bind each process of the job to a node")
    assert advice.code == (
        "torchrun --numa-binding=node --nproc-per-node=N SCRIPT",
        "numactl --interleave=all torchrun --nproc-per-node=2 train.py",
    )


@pytest.mark.parametrize("function", ["std::rt::lang_start::{{closure}}", "rayon_core::join::join_context"])
def test_rust_gets_no_pragma_and_pools_of_threads_where_rayon_is_used(tmp_path: Path, function: str) -> None:
    builder = ran(command=("./solve", "a"))
    builder.add("place", module="/home/u/app", function=function)
    (advice,) = advise(read(serial(builder), tmp_path))
    assert advice.kind is Kind.FIX
    by_rayon = function.startswith("rayon")
    assert ("Rayon steals" in advice.change and "a thread pool of its own" in advice.change) is by_rayon
    assert ("Rayon" in advice.change) is by_rayon and "threads that use it, divided alike" in advice.change
    assert advice.code == ("numactl --interleave=all ./solve a",)


def test_go_gets_the_cpus_of_a_node(tmp_path: Path) -> None:
    builder = ran()
    builder.add("place", module="/home/u/app", function="runtime.goexit.abi0")
    (advice,) = advise(read(serial(builder), tmp_path))
    assert advice.code[:2] == tuple(
        f"GOMAXPROCS=4 numactl --cpunodebind={node} --membind={node} ./sum" for node in (0, 1)
    )


@pytest.mark.parametrize("named", [False, True])
def test_methods_without_names_are_said_once_and_have_no_rows_of_addresses(tmp_path: Path, named: bool) -> None:
    builder = serial(ran(JVM, command=("java", "App")))
    function = "App.sum(int)" if named else None
    for place in ("line = 22", "line = 30"):  # what reads: two addresses
        builder.change("place", place, module="[anonymous code]", function=function, file=None, line=None)
    shown = first_screen(builder, tmp_path)
    assert ("No names of Java methods: record it with java -XX:+UnlockDiagnosticVMOptions" in shown) is not named
    assert "generated code" not in shown
    assert ("App.sum(int)" in shown) is named


def test_an_installed_program_gets_commands_and_no_edit(tmp_path: Path) -> None:
    """Its package has no debug information; a program of the user's own that lacks it keeps the advice to edit."""
    builder = serial(sampled()).change("place", file=None, line=None).change("run", command='["sort", "-u"]')
    assert "#pragma" in "\n".join(advise(read(builder, tmp_path))[0].code)
    builder.change("run", program="/usr/bin/sort").change("place", module="/usr/bin/sort")
    touched = builder.stack(builder.place(("./malloc/arena.c", 556, "alloc_new_heap")))  # of libc's debug information
    builder.touch(touched, 1, ARRAY + (1 << 36), 16, page_node=0)
    (advice,) = advise(read(builder, tmp_path))
    assert advice.change.startswith("Interleave its memory over the nodes")
    assert advice.code == (
        "numactl --interleave=all sort -u",
        "numactl --cpunodebind=0 --membind=0 sort -u",
    )
    assert advice.remarked == ()


def test_addresses_of_a_stripped_program_are_not_on_the_first_screen(tmp_path: Path) -> None:
    builder = serial(sampled()).change("place", file=None, line=None, function=None, module="/usr/bin/sort")
    shown = first_screen(builder, tmp_path)
    assert "in sort (no symbols)" in shown
    assert "+0x" not in shown.partition("\nDO ")[0]


def test_a_line_of_the_authors_own_keeps_its_fix(tmp_path: Path) -> None:
    """An extension module in C."""
    plain = advise(read(serial(ran()), tmp_path))
    own = advise(read(serial(ran(PYTHON)).change("run", cwd="/home/u/work"), tmp_path))
    assert [advice.code for advice in own] == [advice.code for advice in plain]
    assert [advice.change for advice in own] == [advice.change for advice in plain]


def test_lines_of_an_interpreter_are_not_the_authors(tmp_path: Path) -> None:
    """Built from source, beside the folder of the run, with debug information: sum.c stands for its source."""
    python = "/home/u/lib/libpython3.11.so.1.0"
    builder = (
        serial(ran(python)).change("run", cwd="/home/u/work").change("place", "module = '/home/u/sum'", module=python)
    )
    first = advise(read(builder, tmp_path))[0]
    assert "one process on each node" in first.change
    assert [site.label for site in first.touched_at] == ["main in libpython3.11.so.1.0"]
    shown = first_screen(builder, tmp_path)
    assert "sum.c" not in shown
    assert "#include" not in shown
    assert "WHAT    memory that libpython3.11.so.1.0 allocates, " in shown


def test_a_jvm_that_ran_before(tmp_path: Path) -> None:
    builder = ran(JVM, command=("java", "App"))
    block = builder.block(builder.object("mapping", None), ARRAY, PAGES)
    use_blocks(builder, block, [0] * 8)
    builder.row("attached", process=1, age_ns=1)
    builder.row("placed_before", object=1)
    (advice,) = advise(read(builder, tmp_path))
    assert advice.code[0] == "java -XX:+UseNUMA App"
    assert advice.code[1] == "numactl --interleave=all java App"


def test_a_recording_without_the_tables(tmp_path: Path) -> None:
    builder = ran()
    builder.statements.append("DROP TABLE code_file; DROP TABLE code_maker; DROP TABLE openblas;")
    assert names(builder, tmp_path) == []


@pytest.mark.requires("perf_event")
def test_the_interpreter_that_runs_this_is_named(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, sys.executable, "-c", "bytearray(1 << 24)").status == 0
    out = reports("report", "--full", recording).out
    assert f"runtime: CPython {sys.version_info.major}.{sys.version_info.minor}" in out


@pytest.mark.requires("perf_event", "numpy_wheel")
@pytest.mark.parametrize("asked", [None, 2, 999])
def test_numpy_that_runs_here_names_its_threads(tmp_path: Path, asked: int | None) -> None:
    """The wheel of PyPI brings OpenBLAS along, which starts its threads when it is loaded."""
    recording, cpus = tmp_path / "r.numaprof", len(os.sched_getaffinity(0))
    told = (f"OPENBLAS_NUM_THREADS={asked}",) if asked else ()
    command = (
        "env",
        "-u",
        "OMP_NUM_THREADS",
        "-u",
        "OPENBLAS_NUM_THREADS",
        *told,
        sys.executable,
        "-c",
        "import numpy",
    )
    assert run("record", "-q", "-o", recording, *command).status == 0
    started = plural(min(asked or cpus, cpus), "thread")
    found = f"{started} (OPENBLAS_NUM_THREADS)" if asked else f"in a process of {started}"
    assert f", OpenBLAS {found}" in reports("report", "--full", recording).out.replace("\n  ", " ")


@pytest.mark.requires("perf_event")
def test_a_stripped_program_that_go_made_is_named(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, target("as_go", "-s", "-static")).status == 0
    assert "runtime: Go 1.22.3" in reports("report", "--full", recording).out
