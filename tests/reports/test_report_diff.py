# SPDX-License-Identifier: Apache-2.0
"""numaprof diff: what changed, what the spread allows to say, and what else differs."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numaprof.analysis.node_matrix import served
from numaprof.commands.diff import split
from numaprof.compare.pairing import match_sites
from numaprof.compare.sides import Side, rank_sum_p_value
from numaprof.document.build_comparison import comparison
from numaprof.evidence.evidence import load
from numaprof.evidence.source_location import Site
from numaprof.terminal.comparison_view import print_diff
from numaprof.terminal.layout import Layout
from numaprof.text.messages import Failure
from recording_builder import SECOND, RecordingBuilder
from scenarios import ARRAY, PAGE, PAGES, SCENARIOS, init_stack, levels
from test_report_recording import reports

BEFORE, AFTER = SCENARIOS["serial_init"], SCENARIOS["parallel_init"]
Scenario = Callable[..., RecordingBuilder]


def sides(before: Sequence[RecordingBuilder], after: Sequence[RecordingBuilder], folder: Path) -> tuple[Side, Side]:
    def side(name: str, books: Sequence[RecordingBuilder]) -> Side:
        paths = [builder.write(folder / f"{name}{number}.numaprof") for number, builder in enumerate(books)]
        return Side(tuple(load(str(path)) for path in paths))

    return side("before", before), side("after", after)


def compared(
    before: Sequence[RecordingBuilder], after: Sequence[RecordingBuilder], folder: Path, width: int = 80
) -> str:
    out = io.StringIO()
    print_diff(comparison(*sides(before, after, folder)), Layout(out, width))
    return out.getvalue().replace(f"{folder}/", "")


def said(*arguments: object) -> str:
    return " ".join(compared(*arguments).split())  # type: ignore[arg-type]


def repeats(scenario: Scenario, *seconds: float) -> list[RecordingBuilder]:
    return [scenario(wall_ns=round(time * SECOND), repeat=number) for number, time in enumerate(seconds, 1)]


def test_fix(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    before = repeats(BEFORE, 2.11, 2.05, 2.10, 2.20, 2.08)
    golden("diff/fix.txt", compared(before, repeats(AFTER, 1.05, 1.01, 1.09, 1.04, 1.06), tmp_path))


def test_interleaved_memory_is_as_remote_as_before_and_that_is_not_all(tmp_path: Path) -> None:
    folders = iter(range(3))

    def folder() -> Path:
        found = tmp_path / str(next(folders))
        found.mkdir()
        return found

    def counted(local: list[int], remote: list[int]) -> list[RecordingBuilder]:
        return [levels(RecordingBuilder()).threads(8).counters("demand_rd", local, remote)]

    on_one, spread = counted([90_000] * 4 + [0] * 4, [0] * 4 + [90_000] * 4), counted([45_000] * 8, [45_000] * 8)
    now = "But node 0 alone answered 100 % of the requests before; now no node answers more than 50 %."
    assert now in said(on_one, spread, folder())
    assert "alone answered" not in said(spread, on_one, folder())
    assert "alone answered" not in said(spread, spread, folder())


def test_one_run_each(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    golden("diff/one-run-each.txt", compared([BEFORE()], [AFTER()], tmp_path))


# What the noise carries


def test_verdict_stands_in_the_first_line(tmp_path: Path) -> None:
    assert compared([BEFORE()], [AFTER()], tmp_path).startswith("VERDICT   Remote share fell from 50.0 % to 0.6 %")


def test_counts_can_be_said_of_one_run_but_time_cannot(tmp_path: Path) -> None:
    text = said(repeats(BEFORE, 2.0), repeats(AFTER, 1.0), tmp_path)
    assert "Remote share fell from 50.0 % to 0.6 %" in text
    assert "Run time: one run each cannot tell a difference from noise; record with -n 5." in text
    assert "times as fast" not in text


def test_three_runs_each_are_too_few(tmp_path: Path) -> None:
    """Complete separation of 3 and 3 happens by chance in one case of ten."""
    assert "3 and 3 runs cannot tell" in said(repeats(BEFORE, 2, 2, 2), repeats(AFTER, 1, 1, 1), tmp_path)


def test_faster(tmp_path: Path) -> None:
    text = said(repeats(BEFORE, 2.1, 2.0, 2.2, 2.05), repeats(AFTER, 1.0, 1.05, 1.1, 1.02), tmp_path)
    assert "Run time: 2.00 times as fast (p = 0.029)." in text
    assert "run time 2.08 s (2.00 s..2.20 s) 1.03 s (1.00 s..1.10 s)" in text


def test_of_many_threads_those_that_changed_most_are_shown(tmp_path: Path) -> None:
    """One rises by 47 points beside 25 that fall by three."""
    many = SCENARIOS["many_threads"]
    other = many().change("count", where="value = 90000", value=80_000)
    other = other.change("count", where="value = 100 AND thread = 3", value=90_000)
    text = said([many()], [other], tmp_path)
    assert " 2 worker 0.1 % 47.4 % <- remote-heavy" in text and "184 more threads that changed less" in text


def test_slower(tmp_path: Path) -> None:
    text = said(repeats(BEFORE, 1.0, 1.01, 1.02, 1.03), repeats(AFTER, 2.0, 2.01, 2.02, 2.03), tmp_path)
    assert "Run time: slower, 1.99 times the time" in text


def test_noise_is_not_a_difference(tmp_path: Path) -> None:
    text = said(repeats(BEFORE, 1.0, 2.0, 1.5, 1.8, 1.2), repeats(AFTER, 1.1, 1.9, 1.4, 1.7, 1.3), tmp_path)
    assert "no difference that 5 and 5 runs could tell from noise" in text


def test_share_within_the_spread_is_unchanged(tmp_path: Path) -> None:
    def noisy(remote: int) -> RecordingBuilder:
        return BEFORE().change("count", where="event = 4 AND thread > 4", value=remote)

    text = said([noisy(131_072), noisy(80_000)], [noisy(100_000), noisy(120_000)], tmp_path)
    assert "Remote share unchanged as far as these runs can tell" in text


@pytest.mark.parametrize(("away", "home", "change"), [(0.0, 1, "rose"), (0.3, 1, "unchanged"), (0.3, 0, "rose")])
def test_what_the_scheduler_placed_is_no_change(away: float, home: int, change: str, tmp_path: Path) -> None:
    """The first thread changed nodes while it touched its memory; a policy would have placed that memory (home 0)."""

    def run(away: float, remote: int) -> list[RecordingBuilder]:
        builder = levels(RecordingBuilder()).threads(8).counters("demand_rd", [100_000] * 8, [remote] * 8)
        pages = round(PAGES * away)
        builder.touch(init_stack(builder), 1, ARRAY, PAGES - pages, page_node=0, cpu=0)
        if pages:
            builder.touch(init_stack(builder), 1, ARRAY + (PAGES - pages) * PAGE, pages, page_node=home, cpu=4)
        return [builder]

    text = said(run(0.0, 40_000), run(away, 60_000), tmp_path)
    assert f"Remote share {change}" in text
    assert ("up to 30 % of the accesses may be local or remote by chance" in text) == (change == "unchanged")


def words_of_threads(before: RecordingBuilder, after: RecordingBuilder, folder: Path) -> list[str]:
    return [thread.change for thread in comparison(*sides([before], [after], folder)).threads]


@pytest.mark.parametrize(
    ("requests", "pin", "word"),
    [(100_000, "planned", "worse"), (100_000, "none", "no difference seen"), (100, "planned", "not known")],
)
def test_what_a_thread_did_by_chance_is_no_change(requests: int, pin: str, word: str, tmp_path: Path) -> None:
    """The scheduler chose its node, or it made next to no requests."""

    def run(remote: int) -> RecordingBuilder:
        builder = levels(RecordingBuilder()).threads(8)
        builder.counters("demand_rd", [requests - remote] + [100_000] * 7, [remote] + [0] * 7)
        return builder.change("thread", where="id = 1", pin=pin)

    words = words_of_threads(run(0), run(requests // 2), tmp_path)
    assert words == [word] + ["no difference seen"] * 7


def test_samples_of_one_object_prove_no_change_that_the_whole_has_not(tmp_path: Path) -> None:
    def of(remote_from: int) -> RecordingBuilder:
        where = f"kind = 14 AND thread > {remote_from} AND id % 2 = 0"
        return SCENARIOS["hinted"]().change("sample", where=where, page_node=1)

    def objects(after: RecordingBuilder, folder: str) -> list[bool]:
        (tmp_path / folder).mkdir()
        found = comparison(*sides([SCENARIOS["hinted"]()], [after], tmp_path / folder))
        return [each.changed for each in found.objects if each.samples_before]

    assert objects(of(7), "little") == [False]
    assert objects(of(4), "much") == [True]


def test_totals_have_their_errors_and_scaled_shares_of_nodes_say_that_theirs_is_not_known(tmp_path: Path) -> None:
    found = comparison(*sides([SCENARIOS["multiplexed"]()], [BEFORE()], tmp_path))
    measures = {measure.name: measure for measure in found.measures}
    for name in ("DRAM requests", "served by node 0"):
        before, after = measures[name].before, measures[name].after
        assert before is not None and after is not None
        assert (before.certain, after.certain) == (False, True)


def test_what_these_runs_would_miss_is_said(tmp_path: Path) -> None:
    """256 samples that come together tell a share to six points; 32 of them do not."""

    def few() -> RecordingBuilder:
        builder = SCENARIOS["hinted"]()
        builder.statements.append("DELETE FROM sample WHERE kind = 14 AND id % 8 <> 0;")
        return builder

    assert "would not be seen" not in said([BEFORE()], [BEFORE()], tmp_path)
    (tmp_path / "few").mkdir()
    text = said([few()], [few()], tmp_path / "few")
    assert "differ by less than runs of one program do, but a change of" in text
    assert "points would not be seen: longer runs or more (-n 5) could tell." in text


def test_sampled_shares_have_an_uncertainty(tmp_path: Path) -> None:
    """256 samples each: 50 % and 44 % cannot be told apart, 50 % and 12 % can."""
    fewer = SCENARIOS["hinted"]().change("sample", where="kind = 14 AND thread > 4 AND id % 8 = 0", page_node=1)
    assert "unchanged" in said([SCENARIOS["hinted"]()], [fewer], tmp_path)
    many = SCENARIOS["hinted"]().change("sample", where="kind = 14 AND thread > 5", page_node=1)
    (tmp_path / "more").mkdir()
    assert "fell from 50 % ± 6 to 12 % ± 5" in said([SCENARIOS["hinted"]()], [many], tmp_path / "more")


def test_emulated_times_mean_nothing(tmp_path: Path) -> None:
    runs = repeats(SCENARIOS["emulated"], 2, 2, 2, 2, 2), repeats(SCENARIOS["emulated"], 1, 1, 1, 1, 1)
    text = said(*runs, tmp_path)
    assert "Run time: emulated, means nothing." in text
    assert "run time" not in text


def test_runs_cut_short_have_no_time(tmp_path: Path) -> None:
    before = [*repeats(BEFORE, 2, 2, 2, 2), SCENARIOS["killed_recorder"]()]
    assert "Run time: not known of every run." in said(before, repeats(AFTER, 1, 1, 1, 1, 1), tmp_path)


# What may not be compared


def test_different_evidence_is_not_compared(tmp_path: Path) -> None:
    text = said([SCENARIOS["hinted"]()], [BEFORE()], tmp_path)
    assert "Remote share: not comparable: hint faults before, DRAM requests, demand reads + prefetches after." in text


def test_nothing_measured(tmp_path: Path) -> None:
    assert "not known before: nothing measured it" in said([SCENARIOS["faults_only"]()], [BEFORE()], tmp_path)


@pytest.mark.parametrize(
    ("changes", "said_of_it"),
    [
        ({"pin_policy": "scatter", "pin_plan": "0,4,1,5"}, "differs: pinning: compact, then scatter 0,4,1,5"),
        ({"host": "other"}, "differs: machine: box (Test CPU, 2 nodes), then other (Test CPU, 2 nodes)"),
        ({"program": "/home/u/stencil"}, "differs: program: sum, then stencil"),
        ({"kernel": "6.12"}, "differs: kernel: 6.1.0, then 6.12"),
        ({"command": '["./sum", "2"]'}, "differs: arguments: none, then 2"),
        ({"balancing": 1}, "differs: NUMA balancing: off, then on"),
        ({"exit_status": 1}, "differs: how it ended: 0, then 1"),
        ({"exit_status": None, "term_signal": 9}, "differs: how it ended: 0, then signal 9"),
        ({"emulated": "two-nodes"}, "differs: emulated machine: none, then two-nodes"),
    ],
)
def test_what_else_differs(changes: dict[str, object], said_of_it: str, tmp_path: Path) -> None:
    assert said_of_it in said([BEFORE()], [AFTER(**changes)], tmp_path)


def test_a_recording_beside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    BEFORE().write(tmp_path / "one.numaprof")
    monkeypatch.chdir(tmp_path)  # a name of known length: longer lines wrap
    run = Side((load("one.numaprof"),))
    out = io.StringIO()
    print_diff(comparison(run, run), Layout(out, 200))
    assert "differs: nothing: one.numaprof is on both sides" in out.getvalue()


def test_number_of_threads(tmp_path: Path) -> None:
    assert "differs: threads: 8, then 4" in said([BEFORE()], [SCENARIOS["one_node_plan"]()], tmp_path)


def test_runs_of_one_side_that_differ(tmp_path: Path) -> None:
    text = said([BEFORE(), BEFORE(pin_policy="scatter")], [AFTER()], tmp_path)
    assert "differs: pinning: not the same in all runs of one side" in text


def test_hostile_names(tmp_path: Path) -> None:
    text = compared([SCENARIOS["hostile"]()], [SCENARIOS["hostile"](host="\x1b[31m")], tmp_path)
    assert "\x1b" not in text


# Where the requests went


def test_load_on_the_nodes(tmp_path: Path) -> None:
    before, after = sides([BEFORE()], [AFTER()], tmp_path)
    assert served(before.first) == {0: 1.0, 1: 0.0}
    assert served(after.first)[0] == pytest.approx(0.5, abs=0.01)


def test_lines_that_moved(tmp_path: Path) -> None:
    """An edit above it moved the line: the same function of the same file is the same place."""
    moved = BEFORE().change("place", where="line = 17", line=19)
    assert "sum.c:17 main -> sum.c:19 main" in said([BEFORE()], [moved], tmp_path)


sites = st.builds(Site, st.sampled_from("fg"), st.sampled_from(["/a.c", "/b.c"]), st.integers(1, 4))


@given(st.sets(sites), st.sets(sites))
def test_every_place_is_matched_once(old: set[Site], new: set[Site]) -> None:
    pairs = match_sites(old, new)
    assert sorted(site.label for site, _ in pairs if site) == sorted(site.label for site in old)
    assert sorted(site.label for _, site in pairs if site) == sorted(site.label for site in new)
    assert all(a is None or b is None or (a.function, a.file) == (b.function, b.file) for a, b in pairs)


def test_builds_in_two_folders_have_the_same_lines() -> None:
    """A line stays its own, also where the function has several; of two files of a name, nothing is guessed."""
    old = {Site("main", "/one/sum.c", line) for line in (13, 17)}
    new = {Site("main", "/two/sum.c", line) for line in (13, 17)}
    assert {(a.line, b.line) for a, b in match_sites(old, new) if a and b} == {(13, 13), (17, 17)}
    more = {*new, Site("main", "/three/sum.c", 13)}
    assert {(a.line, b.line) for a, b in match_sites(old, more) if a and b} == {(17, 17)}


# The test of ranks, against counting all orders


def by_counting(before: list[float], after: list[float]) -> float:
    """Two-sided: the share of all ways to deal the values to the sides that separate them at least as clearly."""

    def wins(first: Sequence[float], second: Sequence[float]) -> int:
        return sum(a > b for a in first for b in second)

    pool, n = [*before, *after], len(before)
    least = min(wins(before, after), wins(after, before))
    deals = list(itertools.combinations(range(len(pool)), n))
    as_clear = 0
    for chosen in deals:
        first = [pool[at] for at in chosen]
        second = [pool[at] for at in range(len(pool)) if at not in chosen]
        as_clear += wins(first, second) <= least
    return min(1.0, 2 * as_clear / len(deals))


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=9, unique=True), st.data())
def test_chance_counts_right(values: list[int], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(values) - 1))
    before, after = [float(v) for v in values[:cut]], [float(v) for v in values[cut:]]
    assert rank_sum_p_value(before, after) == pytest.approx(by_counting(before, after))


def test_chance_by_the_book() -> None:
    """Complete separation of five and five: 2 of 252 deals."""
    assert rank_sum_p_value([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == pytest.approx(2 / 252)
    assert rank_sum_p_value([1, 1, 1], [1, 1, 1]) == 1.0


# Arguments


@pytest.mark.parametrize(
    ("files", "before", "after"),
    [("a b", "a", "b"), ("a -- b", "a", "b"), ("a b -- c", "a b", "c"), ("a -- b c d", "a", "b c d")],
)
def test_sides(files: str, before: str, after: str) -> None:
    assert split(files.split()) == (before.split(), after.split())


@pytest.mark.parametrize("files", ["", "a", "a b c", "-- a", "a --", "--frob a b"])
def test_sides_that_are_none(files: str) -> None:
    with pytest.raises(Failure):
        split(files.split())


def test_command(tmp_path: Path) -> None:
    before = [builder.write(tmp_path / f"b{at}") for at, builder in enumerate(repeats(BEFORE, 2, 2, 2, 2))]
    after = [builder.write(tmp_path / f"a{at}") for at, builder in enumerate(repeats(AFTER, 1, 1, 1, 1))]
    done = reports("diff", *before, "--", *after)
    assert done.returncode == 0, done.stderr
    assert "2.00 times as fast" in done.stdout
    assert reports("diff", before[0], after[0]).returncode == 0
