# SPDX-License-Identifier: Apache-2.0
"""numaprof sweep and policies: numbers of hand-made runs, and whole runs of small programs."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from numaprof.commands.policies import policies
from numaprof.commands.sweep import default_counts
from numaprof.document import build_experiment
from numaprof.experiments.repeats import Series, ranked, wild_remark
from numaprof.experiments.rounds import Outcome, Setting, run_rounds
from numaprof.experiments.run_once import Plan, Trial, ending
from numaprof.experiments.trials.thread_lifetimes import overlap
from numaprof.recording.sql.sql_threads import Life
from numaprof.terminal.experiment_view import chart, print_policies, print_sweep
from numaprof.terminal.layout import Layout

SECOND = 1_000_000_000


def series(asked: int, *seconds: float, **fields: Any) -> Series:
    return Series(f"{asked} threads", tuple(Trial(int(second * SECOND), **fields) for second in seconds), asked)


def printed(outcome: Outcome) -> str:
    out = io.StringIO()
    print_sweep(build_experiment.sweep(outcome, ["./sum"]), Layout(out, 120))
    return out.getvalue()


# --- numbers


def test_speed_up_is_of_medians_and_ideal_counts_threads() -> None:
    text = printed(Outcome((series(1, 8.0, 8.1, 7.9), series(4, 4.0, 4.0, 4.0))))
    row = next(line for line in text.splitlines() if line.lstrip().startswith("4 "))
    assert "2.00x" in row
    assert "50 %" in row


def test_failed_runs_are_not_in_the_numbers_and_are_named() -> None:
    one = Series("2 threads", (Trial(SECOND), Trial(9 * SECOND, "exit status 3"), Trial(SECOND)), 2)
    assert one.times is not None and one.times.middle == SECOND
    assert one.remarks() == ["2 threads: 1 of 3 runs failed (1 x exit status 3); not in the numbers"]


def test_all_failed_is_no_number() -> None:
    one = series(2, 1.0, 1.0, failure="killed by SIGSEGV")
    outcome = Outcome((one,))
    assert one.times is None
    assert "n/a" in printed(outcome)
    assert "there is no number" in printed(outcome)
    assert outcome.exit_status == 1


def test_wild_runs_are_named_with_their_range() -> None:
    assert wild_remark([series(1, 1.0, 1.1, 1.19)]) is None
    remark = wild_remark([series(1, 1.0, 1.1, 1.4), series(2, 1.0, 1.0, 1.01), series(4, 1.0, 1.0, 3.0)])
    assert remark is not None
    assert remark.endswith(": 1 threads by 36 % (1.00 s to 1.40 s); 4 threads by 200 % (1.00 s to 3.00 s)")


@pytest.mark.parametrize(("asked", "seen", "ignored"), [(4, 4, False), (4, 5, False), (4, 8, True), (4, 1, True)])
def test_a_program_that_ignores_the_number_is_named(asked: int, seen: int, ignored: bool) -> None:
    one = series(asked, 1.0, threads=seen)
    assert one.ignored is ignored
    assert any("does not follow" in remark for remark in one.remarks()) is ignored


def test_threads_that_were_not_seen_say_nothing() -> None:
    assert not series(4, 1.0).ignored


def test_most_at_once_is_not_most_in_all() -> None:
    lives = [Life(0, None), Life(10, 20), Life(20, 30), Life(21, 29)]
    assert overlap(lives) == 3
    assert overlap([]) is None


def test_chart_marks_the_ideal() -> None:
    lines = chart(build_experiment.sweep(Outcome((series(1, 8.0), series(2, 4.0), series(4, 4.0))), ["./sum"]))
    assert lines[0] == "speed-up over 1 threads; | is ideal"
    assert lines[2].count("█") == 25  # half of the ideal of four, which has 50
    assert "|" in lines[3]
    assert lines[3].endswith("2.00x")


def test_chart_of_nothing_is_nothing() -> None:
    assert chart(build_experiment.sweep(Outcome((series(1, failure="exit status 1"),)), ["./sum"])) == []


def test_policies_are_ranked_and_those_that_chance_may_tell_apart_named() -> None:
    fast, same, slow, dead = (
        Series("a", (Trial(10), Trial(12))),
        Series("b", (Trial(11), Trial(13))),
        Series("c", (Trial(20), Trial(21))),
        Series("d", (Trial(1, "exit status 1"),)),
    )
    outcome = Outcome((dead, slow, same, fast))
    assert [one.label for one in ranked(outcome.series)] == ["a", "b", "c", "d"]
    out = io.StringIO()
    print_policies(build_experiment.policies(outcome, ["./sum"], dict.fromkeys("abcd", "local")), Layout(out, 120))
    assert "as runs of one setting differ as much: b." in out.getvalue()
    assert "d: 1 of 1 run failed" in out.getvalue()


def test_runs_alternate_between_settings_and_stop_at_an_interrupt() -> None:
    ran: list[str] = []

    def trial(plan: Plan, file: str) -> Trial:
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(plan.command[0])
        return Trial(1)

    outcome = run_rounds([Setting("a", Plan(("a",))), Setting("b", Plan(("b",)))], 2, trial)
    assert ran == ["a", "b", "a"]
    assert [len(one.trials) for one in outcome.series] == [2, 1]
    assert outcome.interrupted and outcome.exit_status == 130


@pytest.mark.parametrize(
    ("status", "words"), [(0, None), (3, "exit status 3"), (-11, "killed by SIGSEGV"), (-99, "killed by signal 99")]
)
def test_endings(status: int, words: str | None) -> None:
    assert ending(status) == words


@pytest.mark.parametrize(("cpus", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
def test_default_counts(cpus: int, counts: list[int]) -> None:
    assert default_counts(cpus) == counts


def node(number: int, cpus: str, mem_bytes: int = 1, allowed: bool = True) -> dict[str, Any]:
    return {"id": number, "cpus": cpus, "mem_bytes": mem_bytes, "allowed": allowed}


def machine(*nodes: dict[str, Any], distances: list[list[int]], allowed: str = "0-7") -> dict[str, Any]:
    return {"nodes": list(nodes), "distances": distances, "allowed_cpus": allowed}


def test_policies_of_two_nodes() -> None:
    found = policies(machine(node(0, "0-3"), node(1, "4-7"), distances=[[10, 21], [21, 10]]))
    assert [one.under for one in found] == ["local", "interleave:0-1", "bind:0", "bind:0@0-3", "bind:1@0-3"]


def test_policies_take_the_farthest_memory_and_only_allowed_cpus() -> None:
    nodes = node(0, "0,1"), node(1, "2,3", 0), node(2, "4,5"), node(3, "", 1), node(4, "6,7", 1, False)
    distances = [[10, 16, 16, 32, 99]] * 5
    found = policies(machine(*nodes, distances=distances, allowed="1-7"))
    assert [one.under for one in found] == ["local", "interleave:0,2-3", "bind:0", "bind:0@1", "bind:3@1"]


def test_one_memory_leaves_one_policy() -> None:
    found = policies(machine(node(0, "0-3"), node(1, "4-7", 0), distances=[[10, 21], [21, 10]]))
    assert [one.under for one in found] == ["local"]


# --- whole runs


def run(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_the_number_reaches_the_program(program: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = f'echo "$OMP_NUM_THREADS $1" >> {log}'
    done = run(program, "sweep", "-t", "1,3", "-n", "2", "--", "sh", "-c", script, "sh", "{threads}")
    assert (done.returncode, done.stderr) == (0, "")
    assert log.read_text().split("\n")[:-1] == ["1 1", "3 3"] * 2
    assert list(tmp_path.iterdir()) == [log]


def test_a_failing_repeat_is_in_the_table(program: Path, tmp_path: Path) -> None:
    script = f"test -e {tmp_path}/ran && exit 7; touch {tmp_path}/ran; exit 0"
    done = run(program, "sweep", "--json", "-t", "1", "-n", "2", "sh", "-c", script)
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert [ran["failure"] for ran in found["settings"][0]["runs"]] == [None, "exit status 7"]
    assert found["remarks"][0] == "1 thread: 1 of 2 runs failed (1 x exit status 7); not in the numbers"


def test_a_program_that_ignores_the_number_is_named_in_the_table(program: Path) -> None:
    done = run(program, "sweep", "-t", "1,4", "-n", "1", "true")
    assert done.returncode == 0, done.stderr
    assert "4 threads requested, 1 at once seen: the program does not follow that number" in done.stdout
    assert "1 thread asked for" not in done.stdout


def test_a_program_that_varies_wildly_is_named_in_the_table(program: Path, tmp_path: Path) -> None:
    script = f"test -e {tmp_path}/ran && exec sleep 0.7; touch {tmp_path}/ran"
    done = run(program, "sweep", "-t", "1", "-n", "2", "--no-record", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    assert re.search(r"median says little: 1 thread by \d+ % \(.* to .*\)", " ".join(done.stdout.split()))


def test_without_the_recorder_times_remain(program: Path) -> None:
    found = json.loads(run(program, "sweep", "--json", "--no-record", "-t", "1", "-n", "1", "true").stdout)
    assert (found["format"], found["version"]) == ("numaprof.sweep", 1)
    assert found["settings"][0]["median_ns"] > 0
    assert any(remark.startswith("not recorded") for remark in found["remarks"])


def test_policies_here(program: Path) -> None:
    done = run(program, "policies", "--json", "-n", "1", "true")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["format"], found["version"]) == ("numaprof.policies", 1)
    assert found["settings"][0]["label"] == "first touch, all CPUs"


@pytest.mark.requires("one_node")
def test_policies_on_one_node_say_so(program: Path) -> None:
    done = run(program, "policies", "-n", "1", "true")
    assert "only one is run" in done.stderr


def test_under_places_memory_and_cpus(program: Path) -> None:
    node_id, cpu = next(iter(os.listdir("/sys/devices/system/node"))) and 0, min(os.sched_getaffinity(0))
    done = run(program, "policies", "--under", f"bind:{node_id}@{cpu}", "--", "sh", "-c",
               "cat /proc/self/status; cat /proc/self/numa_maps")  # fmt: skip
    assert f"Cpus_allowed_list:\t{cpu}\n" in done.stdout
    assert f" bind:{node_id} " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["sweep"], 125, "sweep: no program given"),
        (["sweep", "-t", "0", "true"], 125, "'0' is not a number of at least 1"),
        (["sweep", "-t", "4-2", "true"], 125, "'4-2' is not a range"),
        (["sweep", "-n", "x", "true"], 125, "'x' is not a number"),
        (["sweep", "-t", "1", "/nonexistent"], 127, "no such program"),
        (["sweep", "-t", "1", "/etc/passwd"], 126, "permission denied"),
        (["policies"], 125, "policies: no program given"),
        (["policies", "--under"], 125, "needs a placement and a program"),
        (["policies", "--under", "local"], 125, "needs a placement and a program"),
        (["policies", "--under", "nowhere", "true"], 125, '"nowhere" is not a placement'),
        (["policies", "--under", "bind:\x1b", "true"], 125, r'"bind:\x1b" is not a placement'),
        (["policies", "--under", "bind:4095", "true"], 125, "numaprof topology shows what there is"),
        (["policies", "--under", "local@8000", "true"], 125, "sched_setaffinity: Invalid argument"),
        (["policies", "--under", "local", "/nonexistent"], 127, "cannot run /nonexistent"),
    ],
)
def test_bad_input(program: Path, arguments: list[str], status: int, words: str) -> None:
    done = run(program, *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
