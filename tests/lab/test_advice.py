# SPDX-License-Identifier: Apache-2.0
"""Programs with known truth, recorded in the emulated machine: the right advice stands there, and no other.

The host reads the recordings: in the guest that takes as long as to record them.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM, TREE

if "NUMAPROF_MACHINE" not in os.environ:  # the guest only records, and there an import takes seconds
    from numaprof.analysis.verdict import Judgement, judge
    from numaprof.evidence.evidence import load
    from numaprof.placement.advice import Advice, Kind
    from numaprof.placement.explain import advise

EXAMPLES = BUILD / "examples"
RECORDING = "x.numaprof"


def record(folder: Path, *command: object) -> None:
    # Threads that spin keep virtual CPUs from those that work: eight of them share the host's few.
    environment = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    arguments = [str(PROGRAM), "record", "-q", "-o", str(folder / RECORDING), *map(str, command)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


CACHED = "text"  # a file that this test writes, in the page cache of the first node
SUM = ("parts", "sum.c:22 main first touches", "sum.c:28")
TRUTH: dict[str, tuple[tuple[object, ...], ...]] = {  # the command; of each advice its decision, and words of its text
    "sum_serial": (("sum_serial", 8, 32), SUM),
    "renamed": (("renamed", 8, 32), SUM),
    "lto": (("sum_lto", 8, 32), SUM),
    "stripped": (("sum_stripped", 8, 32), SUM),
    # Of 4 sweeps one run in three has too few samples to say anything; the code depends on which parts are known.
    "pthreads": (("sum_pthreads_serial", 12, 32), ("parts", "sum_pthreads.c:22 fill first touches")),
    "vector": (("fill_vector_serial", 8, 32), ("parts", "fill_vector.cpp:19 main first touches")),
    "vector_lto": (("fill_vector_lto", 8, 32), ("parts", "fill_vector.cpp:19 main first touches")),
    "new": (("new_array", 8, 32), ("parts", "new_array.cpp:15 Field::Field first touches")),
    "arena": (("arena", 8, 16), ("parts", "arena.c:30 and 32 main first touch")),
    "shared_table": (("shared_table", 2, 32), ("interleave", "every thread all of it", "numactl --interleave=all")),
    "mismatch": (("mismatch", 12, 32), ("parts", "mismatch.c:19", "mismatch.c:24")),
    # Two loops, at lines 34 and 41, use both arrays alike: either may be named.
    "fortran": (("heat", 6, 1024), ("parts", "heat.f90:25", "the loop at heat.f90:")),
    "migrant": (("migrant", 6, 64), ("setting", "on node 0, but uses it on node 1", "pthread_setaffinity_np")),
    "recycled": (("recycled", 8, 3), ("threshold", "recycled.c:23 read_input", "MALLOC_MMAP_THRESHOLD_=1000000")),
    # Of 8 sweeps one run in three has too few remote samples to say anything.
    "huge_pages": (("tiles", 32, 24), ("pages", "tiles.c:26 sweep_tiles first touch", "MADV_NOHUGEPAGE")),
    "nothing_to_gain": (("in_cache", 2000),),
    "fork_server": (("fork_server", 6, 32), ("interleave", "fork_server.c:29", "numactl --interleave=all")),
    "mapped_file": (("mapped_file", CACHED, 6), ("interleave", "drop the page cache")),
    "lopsided": (("lopsided", 6, 48),),
    "false_sharing": (("false_sharing", 20),),
    # The vector and the values are allocated at one line: with few samples they are one edit site, and interleaved.
    "sparse": (("sparse", 3, 1000), ("interleave",), ("parts", "fill first touch")),
    "growing": (("growing", 8, 32), ("parts", "It grows while one thread fills it")),
    "policy": (
        ("numactl", "--membind=0", EXAMPLES / "sum_parallel", 8, 32),
        ("setting", "numactl in the command decides"),
    ),
}
# Mended: nothing is to be done, and where a few prefetches are seen that cross a border, that is said of them.
# Of 32 MiB the huge page at the border of the nodes is up to 6 %: whoever of two threads is first has all of it.
MENDED: dict[str, tuple[object, ...]] = {
    "sum": ("sum_parallel", 3, 128),
    "vector": ("fill_vector_parallel", 3, 128),
}


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """Whoever writes a file first decides where its pages lie."""
    allowed, path = os.sched_getaffinity(0), tmp_path / CACHED
    os.sched_setaffinity(0, {min(allowed)})
    path.write_bytes(bytes(range(256)) * (32 << 12))
    os.sched_setaffinity(0, allowed)
    return path


@pytest.fixture
def whole_memory() -> None:
    """Huge pages need whole stretches: what the tests before this one left in the page cache is dropped and moved."""
    Path("/proc/sys/vm/drop_caches").write_text("3")
    Path("/proc/sys/vm/compact_memory").write_text("1")


# True of its program, and given only where MIN_SAMPLES of the sampled loads got lines that travel between CPUs.
BY_CHANCE = {"false_sharing": "cache lines that a thread there had just written"}


def codes(advice: Advice) -> list[str]:
    return [*advice.code, *(each.code for each in advice.remarked)]


def right_advice_and_no_other(folder: Path, name: str) -> None:
    _, *expected = TRUTH[name]
    found = advise(load(str(folder / RECORDING)))
    found = [advice for advice in found if name not in BY_CHANCE or BY_CHANCE[name] not in advice.finding]
    assert len(found) == len(expected), found
    texts = [" ".join((advice.decision, advice.finding, advice.change, *codes(advice))) for advice in found]
    for words in expected:
        assert any(all(str(word) in text for word in words) for text in texts), (words, texts)


@pytest.mark.lab("westmere")
@pytest.mark.judged(by=right_advice_and_no_other)
@pytest.mark.shares_cpu
@pytest.mark.usefixtures("whole_memory")
@pytest.mark.parametrize("name", TRUTH)
def test_right_advice_and_no_other(name: str, for_host: Path, cached: Path) -> None:
    (program, *arguments), *_ = TRUTH[name]
    example = EXAMPLES / str(program)
    given = [cached if argument == CACHED else argument for argument in arguments]
    record(for_host, example if example.exists() else program, *given)


def touched_by_the_threads_of_their_nodes(folder: Path) -> None:
    touched = [row for row in load(str(folder / RECORDING)).samples.touched if row.home is not None]
    elsewhere = sum(row.pages for row in touched if row.node != row.home)
    assert 0 <= elsewhere < 0.1 * sum(row.pages for row in touched), touched


@pytest.mark.lab("westmere")
@pytest.mark.judged(by=touched_by_the_threads_of_their_nodes)
@pytest.mark.usefixtures("whole_memory")
def test_huge_page_belongs_to_the_racing_thread_on_its_node(for_host: Path) -> None:
    """No policy decides where tiles' pages are. Two threads come to each at a time; the first is not always faster."""
    record(for_host, EXAMPLES / "tiles", 2, 24)


def left_alone(folder: Path, name: str) -> None:
    evidence = load(str(folder / RECORDING))
    found = advise(evidence)
    assert judge(evidence) is Judgement.LIGHT
    assert all(advice.kind is Kind.LEAVE and "Leave it alone" in advice.change for advice in found), found


@pytest.mark.lab("westmere")
@pytest.mark.judged(by=left_alone)
@pytest.mark.parametrize("name", MENDED)
def test_what_is_mended_is_left_alone(name: str, for_host: Path) -> None:
    program, *arguments = MENDED[name]
    record(for_host, EXAMPLES / str(program), *arguments)


def test_the_list_of_examples_has_these_arguments() -> None:
    readme = (TREE / "examples" / "README.md").read_text()
    readme = readme.replace(", `sum_pthreads_parallel 12 32`", "")  # not tested: the page says why
    commands = re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\| ([^|]+) \|", readme, re.MULTILINE)))
    named = {"mapped_file": ("mapped_file", "FILE", 6)}
    variants = ("renamed", "sum_lto", "sum_stripped", "fill_vector_lto")
    mine = [named.get(name, words) for name, (words, *_) in TRUTH.items() if words[0] not in variants]
    mine += MENDED.values()
    told = [" ".join(word.name if isinstance(word, Path) else str(word) for word in words) for words in mine]
    assert sorted(commands) == sorted(told)


@pytest.mark.requires("gcc", "one_node")
def test_init_line_from_faults_alone(tmp_path: Path) -> None:
    """Without counters and on one node: who touches first, and where, is known. There is nothing to advise."""
    record(tmp_path, EXAMPLES / "sum_serial", 50, 32)
    evidence = load(str(tmp_path / RECORDING))
    assert advise(evidence) == []
    site = evidence.init_sites[0].site
    assert site is not None
    assert (Path(str(site.file)).name, site.line, site.function) == ("sum.c", 22, "main")
