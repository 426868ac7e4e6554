# SPDX-License-Identifier: Apache-2.0
"""numaprof try: what runs allow to say, whole trials on this machine, and bad input."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sqlite3
import subprocess
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, PROGRAM, TREE, build_c
from deciding import advised as to_place
from numaprof.commands import cli, try_fix
from numaprof.evidence.evidence import Evidence, load
from numaprof.evidence.machine import Machine
from numaprof.evidence.spread import Spread
from numaprof.experiments.trials import proposals, trial_runs
from numaprof.experiments.trials.placement import Subject, interleave
from numaprof.experiments.trials.proposals import Layouts, Proposal
from numaprof.experiments.trials.stored_trial import store, stored
from numaprof.experiments.trials.trial import Tried, change, judge, measure
from numaprof.experiments.trials.trial_document import Trial as Document
from numaprof.experiments.trials.trial_document import as_document
from numaprof.experiments.trials.trial_runs import Arm, run_once
from numaprof.experiments.trials.trial_text import trial_text
from numaprof.placement.advice import Advice
from numaprof.placement.explain import advise
from numaprof.terminal.layout import Layout
from numaprof.terminal.trial_view import print_trial
from recording_builder import RecordingBuilder
from running import Ended, one, run, target, until
from scenarios import SCENARIOS, parallel_init, serial_init
from test_interrupt import is_running

pytestmark = pytest.mark.requires("gcc")
SUM = BUILD / "examples" / "sum_serial"


# --- statistics


def test_a_clear_difference_is_a_difference_and_noise_is_none() -> None:
    """Of two sides from one distribution, as many seem to differ as the test's level allows; of shifted ones, all."""
    generator = random.Random(1)

    def side(shift: float) -> Spread:
        return Spread(tuple(generator.lognormvariate(0, 0.05) + shift for _ in range(5)))

    same = [change(side(0), side(0)) for _ in range(1000)]
    false = sum(each is not None and (each.faster or each.slower) for each in same)
    assert false <= 50  # the exact test of 5 and 5 runs at 0.05 has a level of 0.032: 32 of 1000, and three deviations
    found = [change(side(1), side(0)) for _ in range(100)]
    assert all(each is not None and each.faster and 1.8 < each.ratio < 2.2 for each in found)


def test_a_gain_below_one_per_cent_is_none() -> None:
    found = change(Spread((1.004, 1.005, 1.006, 1.007, 1.008)), Spread((1.0, 1.001, 1.002, 1.003, 1.0035)))
    assert found is not None and found.p < 0.05 and not found.faster


def tried(builder: RecordingBuilder, name: str, folder: Path) -> Tried:
    return Tried(Arm(name, name), (), (measure(str(builder.write(folder / name)), ()),))


@pytest.mark.parametrize(("change", "words"), [(False, "fall from 524 k to 5 900"), (True, "rise from 5 900 to 524 k")])
def test_where_time_means_nothing_remote_requests_are_told(change: bool, words: str, tmp_path: Path) -> None:
    serial = tried(serial_init(emulated="lab"), "serial", tmp_path)
    parallel = tried(parallel_init(emulated="lab"), "parallel", tmp_path)
    found = judge(parallel, serial) if change else judge(serial, parallel)
    assert found.words == "cannot tell"
    assert found.why == f"remote requests {words}; the time cannot be judged on an emulated machine"


@pytest.mark.parametrize("scenario", ["serial_init", "multiplexed", "named_objects"])
def test_a_share_has_its_population_and_its_error(scenario: str, tmp_path: Path) -> None:
    """Counted all the time; counted in turns by intervals that are not known; sampled."""
    plain = tried(SCENARIOS[scenario](), "plain", tmp_path)
    assert plain.side is not None and plain.side.share is not None
    document = as_document(Document("./sum", (plain,), (), ()))["sides"][0]
    assert document["remote_shares_of"] == plain.side.population
    (share,), (interval,) = document["remote_shares"], document["remote_intervals"]
    if scenario == "multiplexed":
        assert interval is None and document["remote_request_errors"] == [None]
    elif scenario == "serial_init":
        assert interval == (share, share) and document["remote_request_errors"] == [0]
    else:
        assert interval[0] < share < interval[1] and document["remote_requests"] is None
    out = io.StringIO()
    with redirect_stdout(out):
        print_trial(trial_text(Document("./sum", (plain,), (), ())), Layout())
    printed = " ".join(out.getvalue().split())
    assert f"remote: share of {plain.side.population};" in printed
    assert ("error not known" in printed) == (scenario == "multiplexed")


def timed(arm: Arm, times: list[float], folder: Path) -> Tried:
    """Runs of these seconds."""
    runs = [serial_init(wall_ns=int(1e9 * time)).write(folder / f"{arm.name}.{n}") for n, time in enumerate(times)]
    return Tried(arm, (), tuple(measure(str(path), ()) for path in runs))


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1.0, "does as well as the placement, as far as these runs can tell: 1.00 times the time of the placement"),
        (1.5, "1.50 times the time of the placement (p = 0.0079)"),
        (0.5, "0.50 times the time of the placement (p = 0.0079)"),
    ],
)
def test_a_policy_of_the_whole_process_is_compared(factor: float, words: str, tmp_path: Path) -> None:
    times = [1.0, 1.01, 1.02, 1.03, 1.04]
    subject = Subject("allocation", "a", (interleave([0, 1]),), "a test", recorded=1, recorded_bytes=1)
    sides = (
        timed(Arm("plain", "plain"), times, tmp_path),
        timed(Arm("advice-1", "advice 1", (subject,)), times, tmp_path),
        timed(Arm("interleave", "all interleaved", (), "interleave:0,1"), [factor * time for time in times], tmp_path),
    )
    (line,) = trial_text(Document("./sum 7", sides, (), ())).policies
    assert line.startswith(f"For the whole process: numactl --interleave=0,1 ./sum 7: {words}")
    assert line.endswith("; 50.0 % remote, the placement 50.0 %."), line
    beside = as_document(Document("./sum 7", sides, (), ()))["sides"][2]["beside_placement"]
    assert beside["times_as_fast"] == pytest.approx(1 / factor)


# --- whole trials


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "sum.numaprof"
    assert run("record", "-q", "-o", path, SUM, 2, 16).status == 0
    return path


class Trial:
    """numaprof try in this process. Of one node there is no advice: here it is to place the largest heap block."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        monkeypatch.setenv("NUMAPROF_PROGRAM", str(PROGRAM))
        monkeypatch.setattr(try_fix, "proposals", self.proposals)
        monkeypatch.chdir(folder)

    @staticmethod
    def proposals(evidence: Evidence, layouts: Layouts) -> list[Proposal]:
        heap = max((o for o in evidence.objects.found if o.kind == "heap"), key=lambda found: found.bytes or 0)
        advice = to_place(heap, max(evidence.machine.memory_nodes))
        return [proposals.proposal(1, advice, evidence, layouts)]

    def run(self, *arguments: object) -> Ended:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = cli.run(["try", *map(str, arguments)])
        return Ended(status, out.getvalue(), err.getvalue())

    def document(self, *arguments: object) -> dict[str, Any]:
        ended = self.run("--json", *arguments)
        assert ended.status == 0, ended.err
        document = json.loads(ended.out)
        assert (document["format"], document["version"]) == ("numaprof.try", 1)
        assert isinstance(document, dict)
        return document


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Trial:
    return Trial(monkeypatch, tmp_path)


def side(document: dict[str, Any], label: str) -> dict[str, Any]:
    return next(each for each in document["sides"] if each["label"] == label)


@pytest.mark.requires("one_node")
def test_a_trial_on_one_node_claims_nothing(trial: Trial, recording: Path, tmp_path: Path) -> None:
    document = trial.document(recording, "-n", 2, "--keep", tmp_path / "kept")
    placed = side(document, "advice 1")
    assert placed["allocations"]["asked"] == placed["allocations"]["placed"] == 2
    assert (placed["found_share"], placed["placed_share"], placed["verified_share"]) == (1, 1, 1)
    assert placed["verdict"]["words"] == "cannot tell" and "one node" in placed["verdict"]["why"]
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert {"plain.1.numaprof", "plain.2.numaprof", "advice-1.2.numaprof", "advice-1.placement"} <= kept
    # The phases are those of the recordings: the initialisation ends before the run does.
    for name in ("plain", "advice 1"):
        phases = zip(side(document, name)["initialisation_ns"], side(document, name)["wall_ns"])
        assert all(0 < initialised < wall for initialised, wall in phases)
    again = run("run", "--place", tmp_path / "kept" / "advice-1.placement", SUM, 2, 16)
    assert "placed 1 of 1 allocations" in again.err


class Clock:
    """Run time by the kernel's count of page faults, not by a busy computer's clock: as on a machine of two nodes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Machine, "single", False)
        monkeypatch.setattr(trial_runs, "run_once", self.run_once)

    @staticmethod
    def run_once(program: trial_runs.Program, arm: Arm, stem: str) -> trial_runs.Run:
        done = run_once(program, arm, stem)
        assert done.recording is not None and done.failure is None
        with closing(sqlite3.connect(done.recording)) as database, database:
            database.execute("UPDATE run SET wall_ns = (SELECT 10000000 * value FROM note WHERE kind = 'faults')")
        return done


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.requires("one_node", "huge_pages", "perf_event")
@pytest.mark.parametrize(
    ("faster", "runs", "verdict"),
    [
        ("placed", 5, ("worth the edit", "times as fast (p = 0.0079)")),
        ("plain", 5, ("leave it", "the run is slower")),
        ("neither", 5, ("leave it", "no difference")),
        ("placed", 1, ("cannot tell", "try with -n 5")),
    ],
)
@pytest.mark.usefixtures("clock")
def test_run_times_decide(faster: str, runs: int, verdict: tuple[str, str], trial: Trial, tmp_path: Path) -> None:
    """Whole trials of a program whose sides differ in page size."""
    program, path = target("page_size", "-O1", "-g"), tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", path, program, faster).status == 0
    document = trial.document(path, "-n", runs)
    found = side(document, "advice 1")["verdict"]
    assert (found["words"], verdict[1] in found["why"]) == (verdict[0], True), found


@pytest.mark.requires("one_node")
def test_the_page_compares_the_sides(trial: Trial, recording: Path, tmp_path: Path) -> None:
    page = tmp_path / "trial.html"
    ended = trial.run(recording, "-n", 1, "--html", page)
    assert ended.status == 0, ended.err
    text = page.read_text()
    assert "Cannot tell<span>advice 1</span>" in text and "sum.c" in text
    assert "numaprof run --place" in text and "/numaprof-try-" not in text, "no name of a file that is gone"


@pytest.mark.requires("one_node")
def test_the_file_that_keeps_the_effect_is_named_and_works(trial: Trial, recording: Path, tmp_path: Path) -> None:
    ended = trial.run(recording, "-n", 1)
    (file,) = tmp_path.glob("*.placement")
    assert f"--place {file.name}" in " ".join(ended.out.split())
    assert "will be run 2 times" in ended.err
    assert "what the trial cannot imitate" in ended.out
    assert run("run", "--place", file, SUM, 1, 16).status == 0


@pytest.mark.requires("one_node")
def test_a_rebuilt_program_is_tried_by_source_location(trial: Trial, tmp_path: Path) -> None:
    program, path = tmp_path / "sum", tmp_path / "r.numaprof"
    source, flags = str(TREE / "examples" / "sum.c"), ("-fopenmp", "-O2", "-g", "-fno-tree-vectorize")
    build_c(program, source, *flags)
    assert run("record", "-q", "-o", path, program, 1, 16).status == 0
    build_c(program, source, *flags, "-fno-inline", "-DUNUSED")
    assert Path(program).stat().st_size > 0
    document = trial.document(path, "-n", 1)
    rebuilt = any("rebuilt" in remark for remark in document["remarks"])
    assert side(document, "advice 1")["found_share"] == 1
    assert rebuilt


@pytest.mark.requires("one_node")
def test_programs_that_fail_now_and_then_are_counted(trial: Trial, recording: Path, tmp_path: Path) -> None:
    flaky = tmp_path / "flaky"
    flaky.write_text(f'#!/bin/sh\nif [ -n "$NUMAPROF_PLACE" ]; then exit 3; fi\nexec {SUM} 1 16\n')
    flaky.chmod(0o755)
    ended = trial.run(recording, "-n", 1, "--json", "--", flaky)
    assert ended.status == 1
    document = json.loads(ended.out)
    assert side(document, "advice 1")["failures"] == ["exit status 3"]
    assert side(document, "advice 1")["verdict"] == {"words": "cannot tell", "why": "no placed run ended well"}


@pytest.mark.requires("one_node")
def test_other_output_is_told(trial: Trial, recording: Path, tmp_path: Path) -> None:
    script = tmp_path / "other"
    script.write_text(f'#!/bin/sh\n[ -n "$NUMAPROF_PLACE" ] && echo placed\n{SUM} 1 16\n')
    script.chmod(0o755)
    document = trial.document(recording, "-n", 1, "--", script)
    assert any("output differs from the plain runs': advice 1" in remark for remark in document["remarks"])


@pytest.mark.requires("one_node")
def test_another_size_is_not_the_advised_allocation(trial: Trial, recording: Path, tmp_path: Path) -> None:
    document = trial.document(recording, "-n", 1, "--", SUM, 1, 64)
    placed = side(document, "advice 1")
    assert placed["found_share"] == 0
    assert placed["verdict"]["words"] == "cannot tell"
    # A file that places nothing keeps no effect.
    assert document["placement_file"] is None and not list(tmp_path.glob("*.placement"))
    other = trial.run(recording, "-n", 1, "--", "true")
    assert "0 of 1 call stack found again in 1 run: nothing was placed." in other.out


@pytest.mark.requires("one_node")
def test_numbers_differ_where_plain_runs_agree(trial: Trial, recording: Path, tmp_path: Path) -> None:
    """One plain run alone may have printed the time it took."""
    script = tmp_path / "numbers"
    script.write_text('#!/bin/sh\n[ -n "$NUMAPROF_PLACE" ] && echo 1 || echo 2\n')
    script.chmod(0o755)
    words = "numbers in the output differ from the plain runs': advice 1"
    assert words not in trial.document(recording, "-n", 1, "--", script)["remarks"]
    assert words in trial.document(recording, "-n", 2, "--", script)["remarks"]


class Asked(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_asks_first(trial: Trial, recording: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdin", Asked("n\n"))
    asked = Asked()
    with redirect_stderr(asked):
        assert cli.run(["try", str(recording), "-n", "3"]) == 125
    assert "will be run 6 times; go on? [y/N] " in asked.getvalue()
    assert "not run; --yes skips the question" in asked.getvalue()
    assert not list(tmp_path.iterdir())


# --- bad input: one line, nothing run


def refused(ended: Ended, *words: str) -> None:
    assert ended.status == 125, ended
    assert ended.err.count("\n") == 1 and ended.err.startswith("numaprof: "), ended.err
    assert all(word in ended.err for word in words), ended.err


def changed(recording: Path, path: Path, statement: str) -> Path:
    shutil.copy(recording, path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)
    return path


def test_without_advice_there_is_nothing_to_try(tmp_path: Path) -> None:
    path = tmp_path / "true.numaprof"
    assert run("record", "-q", "-o", path, "true").status == 0
    refused(run("try", path), "nothing to try")


def test_no_recording_no_trial(trial: Trial, tmp_path: Path) -> None:
    refused(trial.run(tmp_path / "missing.numaprof"), "cannot read")
    (tmp_path / "text").write_text("hello")
    refused(trial.run(tmp_path / "text"))
    refused(run("try"), "see numaprof try --help")


def test_a_deleted_program_is_named(trial: Trial, recording: Path, tmp_path: Path) -> None:
    path = changed(recording, tmp_path / "r", """UPDATE run SET command = '["./gone"]', program = '/gone'""")
    refused(trial.run(path), "./gone is not there any more")
    path = changed(recording, tmp_path / "s", """UPDATE run SET cwd = '/gone'""")
    refused(trial.run(path), "/gone, which is gone")


def test_a_folder_that_takes_no_files_is_named(trial: Trial, recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(trial.run(recording, "--keep", "/proc"), "--keep /proc: ", "; choose another")
    monkeypatch.setattr("tempfile.tempdir", "/proc")
    refused(trial.run(recording), "no temporary folder: ", "; set TMPDIR")


def test_advice_numbers_are_those_of_the_report(trial: Trial, recording: Path) -> None:
    refused(trial.run(recording, "--advice", 7), "there is no advice 7")


def test_a_program_that_cannot_be_run_is_named(trial: Trial, recording: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("hello")
    refused(trial.run(recording, "--", text), "is not there, or cannot be executed; check the name after --")


def refused_after_a_run(ended: Ended, *words: str) -> None:
    """The first line says what will be run."""
    assert "will be run" in ended.err.splitlines()[0]
    refused(Ended(ended.status, ended.out, ended.err.partition("\n")[2]), *words)


@pytest.mark.parametrize("flag", ["-static", "-fsanitize=address"])
def test_a_program_that_cannot_be_placed_is_named(trial: Trial, recording: Path, tmp_path: Path, flag: str) -> None:
    program = build_c(tmp_path / "still", str(TREE / "tests" / "targets" / "touch.c"), flag)
    remedy = "link it dynamically" if flag == "-static" else "build it without -fsanitize=address"
    refused_after_a_run(trial.run(recording, "--", program), "cannot be placed", remedy)


@pytest.mark.parametrize(
    ("script", "words"),
    [("echo no input >&2; exit 3", "exit status 3 (no input)"), ("kill -9 $$", "killed by SIGKILL;")],
)
def test_a_program_that_fails_unchanged_is_run_once(
    trial: Trial, recording: Path, tmp_path: Path, script: str, words: str
) -> None:
    kept = tmp_path / "kept"
    ended = trial.run(recording, "--keep", kept, "--", "sh", "-c", script)
    refused_after_a_run(ended, f"the first run, unchanged, failed: {words}")
    assert len(list(kept.glob("*.numaprof"))) == 1


def test_another_program_is_refused(trial: Trial, recording: Path, tmp_path: Path) -> None:
    other = build_c(tmp_path / SUM.name, str(TREE / "tests" / "targets" / "placed.c"), "-pthread")
    ended = trial.run(recording, "-n", 1, "--", other)
    assert ended.status == 125
    assert "another program than the recorded one" in ended.err
    assert not list(tmp_path.glob("*.placement"))


def test_nodes_that_are_not_here_are_named(trial: Trial, recording: Path, tmp_path: Path) -> None:
    """A recording of a larger machine: its threads ran on node 5."""
    path = changed(recording, tmp_path / "r", "UPDATE node SET id = 5 WHERE id = 0")
    path = changed(path, tmp_path / "s", "UPDATE cpu SET node = 5")
    refused(trial.run(path), "needs node 5, which this process may not use here")


@pytest.mark.requires("one_node")
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE run SET complete = 0", "cut short"),
        ("UPDATE run SET term_signal = 11", "the recorded run failed"),
        ("UPDATE run SET emulated = 'lab'", "an emulated machine"),
        ("UPDATE run SET balancing = 1", "automatic NUMA balancing is on"),
    ],
    ids=["cut", "failed", "emulated", "balancing"],
)
def test_what_a_recording_cannot_promise_is_said(
    trial: Trial, recording: Path, tmp_path: Path, statement: str, words: str
) -> None:
    path = changed(recording, tmp_path / "r", statement)
    document = trial.document(path, "-n", 1)
    assert any(words in remark for remark in document["remarks"]), document["remarks"]


def test_cpus_that_may_not_be_used_are_named(trial: Trial, recording: Path, tmp_path: Path) -> None:
    path = changed(recording, tmp_path / "r", "UPDATE run SET pin_policy = 'compact', pin_plan = '8000,8001'")
    refused(trial.run(path), "ran on CPU 8000, which this process may not use here")


@pytest.mark.requires("one_node")
def test_threads_sit_on_the_recorded_cpus(trial: Trial, recording: Path, tmp_path: Path) -> None:
    """In the order of the recording, whatever order its policy would choose now."""
    cpus = sorted(os.sched_getaffinity(0), reverse=True)
    plan = ",".join(map(str, cpus))
    path = changed(recording, tmp_path / "r", f"UPDATE run SET pin_policy = 'compact', pin_plan = '{plan}'")
    trial.document(path, "-n", 1, "--keep", tmp_path / "kept")
    for name in ("plain.1", "advice-1.1"):
        assert one(tmp_path / "kept" / f"{name}.numaprof", "SELECT pin_plan FROM run") == plan
    assert f"pin {plan}\n" in (tmp_path / "kept" / "advice-1.placement").read_text()


@pytest.mark.requires("one_node")
def test_another_number_of_threads_allows_no_verdict(
    trial: Trial, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Machine, "single", False)
    monkeypatch.setenv("OMP_NUM_THREADS", "13")
    verdict = side(trial.document(recording, "-n", 1), "advice 1")["verdict"]
    assert verdict["words"] == "cannot tell" and "the runs have 13 threads, the recording" in verdict["why"]


@pytest.mark.requires("one_node")
def test_a_program_may_have_an_exit_status_of_its_own(trial: Trial, recording: Path, tmp_path: Path) -> None:
    script = tmp_path / "three"
    script.write_text(f"#!/bin/sh\n{SUM} 1 16\nexit 3\n")
    script.chmod(0o755)
    path = changed(recording, tmp_path / "r", "UPDATE run SET exit_status = 3")
    assert side(trial.document(path, "-n", 1, "--", script), "advice 1")["failures"] == []
    refused_after_a_run(trial.run(path, "-n", 1), "exit status 0, and 3 in the recorded run")


def test_what_hangs_is_ended_and_named(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numaprof.experiments import supervise  # noqa: PLC0415 (its constant is changed)
    from numaprof.experiments.trials import trial_runs  # noqa: PLC0415

    monkeypatch.setenv("NUMAPROF_PROGRAM", str(BUILD / "numaprof"))
    monkeypatch.setattr(supervise, "GRACE_S", 60.0)
    begun = tmp_path / "begun"

    class Begun(subprocess.Popen[bytes]):
        """Its time begins when the program does."""

        def wait(self, timeout: float | None = None) -> int:
            until(begun.exists)
            return super().wait(timeout)

    monkeypatch.setattr(supervise.subprocess, "Popen", Begun)
    command = ("sh", "-c", f"echo $$ > {begun}.new; mv {begun}.new {begun}; exec sleep 1000")
    program = trial_runs.Program(command, str(tmp_path), "none", (), 0.5)
    found = trial_runs.run_once(program, trial_runs.Arm("plain", "plain"), str(tmp_path / "plain.1"))
    assert found.failure is not None and "hangs" in found.failure
    assert found.recording is not None and one(Path(found.recording), "SELECT complete FROM run") == 1
    assert not is_running(int(begun.read_text()))


# --- results beside the recording


def kept(recording: Path, folder: Path) -> Path:
    """A recording of its own, so that what is stored beside it is too."""
    path = folder / "kept.numaprof"
    shutil.copy(recording, path)
    return path


@pytest.mark.requires("one_node")
def test_the_result_is_kept_beside_the_recording(trial: Trial, recording: Path, tmp_path: Path) -> None:
    path = kept(recording, tmp_path)
    document = trial.document(path, "-n", 1)
    stored_file = json.loads((tmp_path / "kept.numaprof.trial.json").read_text())
    assert {name: stored_file[name] for name in document} == document
    evidence, layouts = proposals.read(str(path))
    (found,) = stored(evidence, [each.advice for each in trial.proposals(evidence, layouts)])
    assert found is not None and found.verdict == "cannot tell" and "one node" in found.why
    assert (found.plain_runs, found.placed_runs, found.verified) == (1, 1, 1.0)
    assert "sum.c" in found.placements[0]


def advised(folder: Path, **changes: Any) -> tuple[Evidence, list[Advice]]:
    """A recording with one advice, and a trial of it beside it."""
    path = serial_init().write(folder / "x.numaprof")
    evidence = load(str(path))
    side = {
        "finding": advise(evidence)[0].finding,
        "verdict": {"words": "worth the edit", "why": "it is <b>2.0</b> times as fast"},
        "remote_shares": [0.01, 0.03],
        "remote_intervals": [[0.005, 0.015], [0.02, 0.04]],
        "wall_ns": [1.0, 2.0],
        "times_as_fast": 2.0,
        "p": 0.008,
        "verified_share": 1,
        "allocations": {"checked_bytes": 3 << 20},
        "subjects": [{"label": "a\x1b[2J", "places": [{"placement": "blocks 0:0.5 1:1"}]}],
    }
    plain = {"remote_shares": [0.5, 0.6], "remote_intervals": [[0.4, 0.6], None], "wall_ns": [3.0, 4.0]}
    assert store({"version": 1, "sides": [plain, {**side, **changes}]}, evidence) is None
    return evidence, advise(evidence)


def test_terminal_page_and_json_show_the_result(tmp_path: Path) -> None:
    evidence, advices = advised(tmp_path)
    (found,) = stored(evidence, advices)
    assert found is not None and (found.remote_before, found.remote_after) == (0.55, 0.02)
    assert (found.remote_before_range, found.remote_after_range) == ((), (0.005, 0.04))
    assert found.placements == ("a\\x1b[2J: blocks 0:0.5 1:1",)
    out = io.StringIO()
    with redirect_stdout(out):
        assert cli.run(["report", "--full", evidence.path]) == 0
    assert "Tried: worth the edit: it is <b>2.0</b> times as fast." in " ".join(out.getvalue().split())
    assert (
        cli.run(["report", evidence.path, "--html", str(tmp_path / "x.html"), "--json", str(tmp_path / "x.json")]) == 0
    )
    page = (tmp_path / "x.html").read_text()
    assert "remote 55.0 % (error not known), then 2.0 % (0.5 % to 4.0 %); 100.0 % of 3 MiB checked" in page
    assert "Tried: worth the edit." in page and "It is &lt;b&gt;2.0&lt;/b&gt; times as fast" in page
    assert json.loads((tmp_path / "x.json").read_text())["advice"][0]["trial"]["p"] == 0.008


def test_advice_names_its_trial(tmp_path: Path) -> None:
    """On the page and as data; on the terminal see golden/report/named_objects.txt."""
    path = SCENARIOS["named_objects"]().write(tmp_path / "x.numaprof")
    html, data = tmp_path / "x.html", tmp_path / "x.json"
    assert cli.run(["report", str(path), "--html", str(html), "--json", str(data)]) == 0
    assert f"numaprof try {path} --advice 1</code>" in html.read_text()
    assert json.loads(data.read_text())["advice"][0]["can_be_tried"] is True


@pytest.mark.parametrize(
    "changes",
    [
        {"finding": "another advice"},
        {"verdict": {"words": "buy it", "why": "x"}},
        {"verdict": None},
        {"p": "0.008"},
        {"remote_shares": 7},
        {"remote_intervals": [["a", 1]]},
        {"allocations": {"checked_bytes": "3"}},
        {"subjects": [{}]},
    ],
    ids=["finding", "verdict", "nothing", "text", "number", "interval", "bytes", "subjects"],
)
def test_a_damaged_result_is_none(changes: dict[str, Any], tmp_path: Path) -> None:
    assert stored(*advised(tmp_path, **changes)) == [None]


def test_a_result_of_another_recording_of_that_name_is_none(tmp_path: Path) -> None:
    evidence, advices = advised(tmp_path)
    path = tmp_path / "x.numaprof.trial.json"
    for text in (
        path.read_text().replace(str(evidence.run.started_at), "1999-01-01T00:00:00Z"),
        "[]",
        "{",
        "[" * 100_000,
    ):
        path.write_text(text)
        assert stored(evidence, advices) == [None]


@pytest.mark.requires("one_node")
def test_a_result_that_cannot_be_kept_is_said(trial: Trial, recording: Path, tmp_path: Path) -> None:
    path = kept(recording, tmp_path)
    (tmp_path / "kept.numaprof.trial.json").mkdir()
    ended = trial.run(path, "-n", 1)
    assert ended.status == 0
    assert "the result is not kept beside the recording: Is a directory" in ended.err
    assert not list(tmp_path.glob("kept.numaprof.trial.json.*"))
