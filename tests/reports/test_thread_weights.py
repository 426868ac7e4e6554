# SPDX-License-Identifier: Apache-2.0
"""Samples of threads with different periods: what these threads did is told by their counts, where these are good."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numaprof.analysis.relevant_objects import part_of_remote
from numaprof.evidence.counts import Amount, Traffic
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.first_touches import summed
from numaprof.evidence.samples import thread_weights
from numaprof.evidence.spread import effective_size
from reading import read
from recording_builder import PAGE, RecordingBuilder

FIRST, SECOND_ONE, PAGES = 0x7F0000000000, 0x7F1000000000, 256
LINES = ("/home/u/src/sum.c", 30, "sum"), ("/home/u/src/sum.c", 40, "sum")
OFTEN, SELDOM = 1009, 10090  # periods


def recorded(folder: Path, seldom: tuple[int, ...], counted: float | None = 1.0) -> Evidence:
    """All eight threads ask node 0's memory as often, odd ones for one array, even ones for another. seldom: threads
    of which a sample stands for ten times as many; counted: the part of the time in which requests were."""
    builder = RecordingBuilder(2, 4).threads(8).level(3, "samples", True, detail="load latency")
    if counted:
        builder.level(1, "counters", True)
        builder.counters("demand_rd", [1_000_000] * 4 + [0] * 4, [0] * 4 + [1_000_000] * 4, counted)
    for odd, (address, line) in enumerate(zip((SECOND_ONE, FIRST), LINES)):
        block = builder.block(builder.object("heap", builder.stack(builder.place(line))), address, PAGES)
        for thread in range(1 + odd, 9, 2):
            pages = range(address, address + 64 * PAGE, PAGE)
            builder.loads(builder.stack(builder.place(line)), thread, pages, 0, block=block)
            builder.change("sample", where=f"thread = {thread}", weight=SELDOM if thread in seldom else OFTEN)
    return read(builder, folder)


def remote_share(evidence: Evidence) -> float:
    objects = evidence.objects.found
    return sum(obj.remote for obj in objects) / sum(obj.known for obj in objects)


@pytest.mark.parametrize("counted", [1.0, 0.5])
def test_equal_counts_make_equal_threads(counted: float, tmp_path: Path) -> None:
    evidence = recorded(tmp_path, (1, 2, 3, 4, 5, 7), counted)
    used = [row for found in evidence.objects.found for row in found.used]
    by_thread = summed((row.thread, row.accesses) for row in used)
    assert by_thread == pytest.approx(dict.fromkeys(range(1, 9), sum(by_thread.values()) / 8))
    assert sum(by_thread.values()) == pytest.approx(64 * (6 * SELDOM + 2 * OFTEN)), "what all samples stand for stays"
    assert [part_of_remote(evidence, found) for found in evidence.objects.found] == pytest.approx([0.5, 0.5])
    assert remote_share(evidence) == pytest.approx(0.5)
    by_line = summed((row.site, row.accesses) for row in used)
    assert len(by_line) == 2 and max(by_line.values()) == pytest.approx(min(by_line.values()))


@pytest.mark.parametrize(("counted", "share"), [(1.0, 0.5), (None, 1 / 11)])
def test_without_counts_samples_keep_their_weights(counted: float | None, share: float, tmp_path: Path) -> None:
    evidence = recorded(tmp_path, (1, 2, 3, 4), counted)
    assert remote_share(evidence) == pytest.approx(share)


def test_the_effective_number_of_samples_follows_the_weights(tmp_path: Path) -> None:
    """Where the weights come out equal, each sample counts for one; else the heavy ones tell nearly all."""
    tells = []
    for counted in (1.0, None):
        folder = tmp_path / str(counted)
        folder.mkdir()
        rows = recorded(folder, (1, 2, 3, 4), counted).samples.used
        tells.append(effective_size(sum(row.accesses for row in rows), sum(row.squares for row in rows)))
    assert tells == pytest.approx([512, 512 * (10 + 1) ** 2 / (2 * (10**2 + 1))])


def traffic(local: float, remote: float, coverage: tuple[float, float] = (1.0, 1.0)) -> Traffic:
    return Traffic(Amount(local, coverage[0]), Amount(remote, coverage[1]))


requests = st.floats(1, 1e9)


@given(st.dictionaries(st.integers(1, 99), st.tuples(requests, requests, st.floats(0.1, 1)), min_size=1), requests)
def test_weighed_accesses_are_as_many_as_counted(threads: dict[int, tuple[float, float, float]], other: float) -> None:
    """Against each other; the sum stays, and that of a thread without counts as well."""
    sampled = {thread: accesses for thread, (accesses, _, _) in threads.items()}
    counted = {
        thread: {"demand": traffic(total / 3, total * 2 / 3, (seen, seen))}
        for thread, (_, total, seen) in threads.items()
    }
    factors = thread_weights({**sampled, 100: other}, counted)
    assert factors.keys() == sampled.keys()
    weighed = {thread: sampled[thread] * factor for thread, factor in factors.items()}
    assert sum(weighed.values()) == pytest.approx(sum(sampled.values()))
    whole = sum(total for _, total, _ in threads.values())
    for thread, (_, total, _) in threads.items():
        assert weighed[thread] / sum(weighed.values()) == pytest.approx(total / whole)


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"rfo": traffic(100, 0)},  # no class of loads
        {"demand": traffic(0, 0)},
        {"demand": traffic(100, 0, (0.3, 0.15))},  # local and remote took turns
        {"demand": Traffic(Amount(100, 0.5), Amount(None, 0.5))},
    ],
)
def test_a_thread_whose_counts_are_not_good_keeps_its_weights(counts: dict[str, Traffic]) -> None:
    good = {"demand": traffic(900, 0, (0.5, 0.5))}
    assert thread_weights({1: 10, 2: 10, 3: 20}, {1: counts, 2: good, 3: good}) == {2: 1.5, 3: 0.75}


def test_retired_loads_tell_where_demand_reads_are_not_counted() -> None:
    counted = {1: {"retired": traffic(300, 0)}, 2: {"retired": traffic(0, 100)}}
    assert thread_weights({1: 10, 2: 30}, counted) == pytest.approx({1: 3.0, 2: 1 / 3})
