# SPDX-License-Identifier: Apache-2.0
"""Static schedules: the borders of blocks where threads are hardly seen, or not at all."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest
from numaprof.evidence.thresholds import BINS
from numaprof.experiments.trials.proposals import proposals, read
from numaprof.experiments.trials.schedule import Team, as_blocks, fit, teams
from recording_builder import PAGE, RecordingBuilder
from scenarios import ARRAY, LOOP, PAGES, init_stack
from test_proposals import BUILD_ID, WHERE, with_build_id

Uses = dict[int, dict[int, float]]
NODES = (0, 0, 0, 0, 1, 1, 1, 1)


def team(nodes: tuple[int, ...] = NODES, first: int = 1, label: str = "all") -> Team:
    return Team(nodes, {first + at: at for at in range(len(nodes))}, label)


def sampled(chosen: Team, count: int, repeats: int = 1, stray: float = 0.0, seen: float = 1.0) -> Uses:
    """Random accesses of the threads to their parts; seen: of the threads, those with any sample."""
    generator, found = random.Random(count + repeats), defaultdict[int, dict[int, float]](lambda: defaultdict(float))
    threads = sorted(chosen.parts)[: max(1, round(seen * len(chosen.parts)))]
    for _ in range(count):
        thread = generator.choice(threads)
        array, size = generator.randrange(repeats), 1 / repeats / len(chosen.nodes)
        at = array / repeats + (chosen.parts[thread] + generator.random()) * size
        found[thread][int((generator.random() if generator.random() < stray else at) * BINS)] += 1
    return found


@pytest.mark.parametrize("count", [8, 30, 1000])
@pytest.mark.parametrize("seen", [0.5, 0.75, 1.0])
def test_borders_are_exact_however_few_threads_were_seen(count: int, seen: float) -> None:
    found = fit(sampled(team(), count, seen=seen), [team()])
    assert found is not None and found.holds and found.repeats == 1
    assert as_blocks(found.team, found.repeats).text == "blocks 0:0.5 1:1"


@pytest.mark.parametrize("threads", [4, 8, 24, 96, 300])
def test_main_is_left_out_where_it_has_no_part(threads: int) -> None:
    """POSIX threads: the last of them shares its CPU with main, on node 0."""
    nodes = (*[0] * (threads // 2 - 1), *[1] * (threads // 2), 0)
    with_main, without = team((0, *nodes), first=1, label="with"), team(nodes, first=2, label="without")
    found = fit(sampled(without, 40 * threads), [with_main, without])
    assert found is not None and found.team is without and found.share > 0.99
    ends = [piece.end for piece in as_blocks(without).pieces]
    assert ends == [pytest.approx((threads // 2 - 1) / threads), pytest.approx((threads - 1) / threads), 1.0]


@pytest.mark.parametrize("repeats", [1, 2, 3, 5])
def test_several_arrays_in_one_allocation(repeats: int) -> None:
    found = fit(sampled(team(), 500, repeats), [team()])
    assert found is not None and (found.repeats, found.share > 0.95) == (repeats, True)
    assert as_blocks(team(), repeats).pieces[-1].end == 1.0
    assert len(as_blocks(team(), repeats).pieces) == 2 * repeats


@pytest.mark.parametrize("seed", range(20))
def test_work_that_is_handed_out_piece_by_piece_follows_no_schedule(seed: int) -> None:
    generator, uses = random.Random(seed), defaultdict[int, dict[int, float]](lambda: defaultdict(float))
    for _ in range(24):
        uses[generator.randrange(1, 9)][generator.randrange(BINS)] += 1
    found = fit(uses, [team(), team((0, *NODES), 0), team(NODES[1:], 2)])
    assert found is not None and not found.holds


def test_nothing_seen_no_schedule() -> None:
    assert fit({}, [team()]) is None
    assert fit({1: {0: 5.0}}, []) is None


def test_room_to_grow_belongs_to_the_last_part() -> None:
    assert as_blocks(team(), span=(0.0, 0.8)).text == "blocks 0:0.4 1:1"


# --- whole recordings


def posix(workers: int, samples: dict[int, int], generations: int = 1) -> RecordingBuilder:
    """Main fills, then waits for threads that it makes: the first sits beside it. samples: of each worker."""
    builder = RecordingBuilder(nodes=2, cpus_per_node=4).level(1, "counters", False, why_not="test")
    builder.level(3, "samples", True, detail="load latency").level(4, "faults", True, detail="page-faults event")
    builder.threads(1 + workers * generations, cpus=[0, *[(1 + n) % 8 for n in range(workers)] * generations])
    builder.change("thread", where="id = 1", tid=4711).change("process", pid=4711)
    array = builder.block(builder.object("heap", builder.stack(builder.place(WHERE))), ARRAY, PAGES, thread=1)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0, block=array).homes((ARRAY, PAGES, 0))
    loop, part = builder.stack(builder.place(LOOP)), PAGES * PAGE // workers
    for worker, count in samples.items():
        start = ARRAY + worker % workers * part
        builder.loads(loop, worker + 2, range(start, start + part, part // count), 0, block=array)
    return with_build_id(builder)


def placed(builder: RecordingBuilder, folder: Path) -> tuple[str, str]:
    evidence, layouts = read(str(builder.write(folder / "x.numaprof")))
    (subject,) = (subject for proposal in proposals(evidence, layouts) for subject in proposal.subjects)
    assert subject.frames[0].build_id == BUILD_ID
    return subject.places[0].text, subject.basis


TRUE_BORDERS = "blocks 0:0.375 1:0.875 0:1"  # eight workers on CPUs 1, 2, ... 7, 0


def test_each_worker_of_a_posix_program_has_its_part(tmp_path: Path) -> None:
    place, basis = placed(posix(8, dict.fromkeys(range(8), 40)), tmp_path)
    assert place == TRUE_BORDERS
    assert "8 equal blocks for all working threads but main in the order of their creation" in basis


@pytest.mark.parametrize("gone", range(8))
def test_a_worker_that_drops_out_of_the_samples_keeps_its_part(gone: int, tmp_path: Path) -> None:
    place, _ = placed(posix(8, {worker: 40 for worker in range(8) if worker != gone}), tmp_path)
    assert place == TRUE_BORDERS


def test_a_few_samples_of_three_threads_tell_the_schedule(tmp_path: Path) -> None:
    place, _ = placed(posix(8, {0: 4, 4: 5, 7: 3}), tmp_path)
    assert place == TRUE_BORDERS


def test_threads_that_are_made_anew_for_each_step_are_one_team(tmp_path: Path) -> None:
    evidence, _ = read(str(posix(8, dict.fromkeys(range(24), 4), generations=3).write(tmp_path / "x.numaprof")))
    found = teams(evidence)[-1]
    assert (found.label, found.nodes) == ("teams of 8 threads", (0, 0, 0, 1, 1, 1, 1, 0))
    (tmp_path / "y").mkdir()
    assert placed(posix(8, dict.fromkeys(range(24), 20), generations=3), tmp_path / "y")[0] == TRUE_BORDERS


def test_thread_numbers_that_began_anew_come_last(tmp_path: Path) -> None:
    """The kernel's thread numbers passed their limit while the team was made."""
    builder = posix(8, dict.fromkeys(range(8), 40))
    builder.change("thread", where="id > 5", tid=0).change("thread", where="id = 6", tid=300)
    for number in (7, 8, 9):
        builder.change("thread", where=f"id = {number}", tid=300 + number)
    assert placed(builder, tmp_path)[0] == TRUE_BORDERS
