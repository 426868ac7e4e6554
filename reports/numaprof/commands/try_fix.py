# SPDX-License-Identifier: Apache-2.0
"""numaprof try: proves the advice of a recording by runs with the advised placement, without an edit."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from numaprof.commands.arguments import Parser, output_folder, positive, thread_list
from numaprof.commands.policies import topology
from numaprof.commands.writing.outputs import PAGE, Output
from numaprof.evidence.evidence import Evidence
from numaprof.experiments.build_id import build_id_of
from numaprof.experiments.same_subject import rebuilt
from numaprof.experiments.supervise import interruptible
from numaprof.experiments.trials.kernel_weights import by_weight
from numaprof.experiments.trials.placement import Subject, write
from numaprof.experiments.trials.proposals import Layouts, Proposal, merged, proposals, read
from numaprof.experiments.trials.schedule import cpus_of_threads
from numaprof.experiments.trials.stored_trial import store
from numaprof.experiments.trials.trial import Tried, measure, team_size
from numaprof.experiments.trials.trial_document import Trial, as_document
from numaprof.experiments.trials.trial_runs import Arm, Program, Run, Runs, check_first, run_all, run_once
from numaprof.experiments.trials.trial_text import trial_text
from numaprof.terminal.layout import Layout
from numaprof.terminal.trial_view import print_trial
from numaprof.text.format import clean, plural
from numaprof.text.messages import Failure

USAGE = "%(prog)s FILE [--advice N,...] [-n RUNS] [options] [-- PROGRAM [ARGUMENT...]]"
DESCRIPTION = """Runs the recorded program alternately unchanged and with the advised placement, which is applied when
the data are allocated, and says how much the edit will gain (docs/trying-a-fix.md)."""
LEAST_LIMIT_S, LIMIT_FACTOR = (
    120.0,
    10.0,
)  # a run that takes longer than this, or this many times the recorded one, hangs


@dataclass(frozen=True)
class Chosen:
    """What is tried, and what of the advice is not."""

    arms: tuple[Arm, ...]
    not_tried: tuple[str, ...]


@dataclass(frozen=True)
class Options:
    runs: int
    keep: str | None
    html: Output | None
    json: bool
    yes: bool


@dataclass(frozen=True)
class Recorded:
    """The recording whose advice is tried."""

    evidence: Evidence
    layouts: Layouts


def main(arguments: Sequence[str]) -> int:
    middle = arguments.index("--") if "--" in arguments else len(arguments)
    given = _parser().parse_args(arguments[:middle])
    if given.keep is not None and os.path.isdir(given.keep) and os.listdir(given.keep):
        # A file of the user could have the name of one that the runs leave.
        raise Failure(f"--keep {given.keep}: there are files in this folder", "choose another folder")
    recorded = Recorded(*read(given.file))
    command = tuple(arguments[middle + 1 :]) or recorded.evidence.command
    program = _program(recorded.evidence, command, given=middle < len(arguments))
    found = proposals(recorded.evidence, recorded.layouts)
    chosen = choose(found, given.advice, team_size(recorded.evidence))
    options = Options(given.runs, given.keep, given.html, given.json, given.yes)
    folder = _folder(options.keep)
    try:
        return _try(recorded, program, chosen, folder, options)
    except FileNotFoundError as error:
        if os.path.isdir(folder):
            raise
        raise Failure(f"the folder of the runs was removed: {folder}", "--keep FOLDER chooses another one") from error
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def _parser() -> Parser:
    parser = Parser("try", DESCRIPTION, USAGE, "file")
    parser.add_argument("file", metavar="FILE", help="a recording of the program")
    parser.add_argument(
        "--advice", type=thread_list, metavar="N,...", help="only this advice, numbered as in the report"
    )
    parser.add_argument("-n", "--runs", type=positive, default=5, help="runs of each side  [5]")
    parser.add_argument("--keep", type=output_folder, metavar="DIR", help="keep recordings and placement files in DIR")
    parser.add_output(
        "--html", PAGE, help="also write a page: the verdicts, and the plain runs beside all advice placed"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--yes", action="store_true", help="do not ask before the runs")
    return parser


def _program(evidence: Evidence, command: tuple[str, ...], given: bool) -> Program:
    if not command:
        raise Failure("the recording has no command", "name the program after --")
    cwd = None if given else evidence.run.cwd
    if cwd is not None and not os.path.isdir(cwd):
        raise Failure(f"the recorded program ran in {cwd}, which is gone", "name the program after --")
    path = shutil.which(os.path.join(cwd or "", command[0]) if "/" in command[0] else command[0])
    if path is None:
        if given:
            raise Failure(f"{command[0]} is not there, or cannot be executed", "check the name after --")
        raise Failure(f"{command[0]} is not there any more", "build it again, or name the program after --")
    limit = max(LEAST_LIMIT_S, LIMIT_FACTOR * (evidence.run.wall_ns or 0) / 1e9)
    cpus = _pin_order(evidence)
    missing = sorted(set(cpus) - os.sched_getaffinity(0))
    if missing:
        raise Failure(
            f"the recorded threads ran on CPU {missing[0]}, which this process may not use here",
            "run numaprof try with the CPUs of the recording, or record again",
        )
    # Another mask than the recorded one has another compact order: threads have to sit where the data go.
    pin = ",".join(map(str, cpus)) or evidence.run.pin_policy or "compact"
    threads = cpus_of_threads(evidence) if cpus else ()
    return Program(command, cwd, pin, cpus, limit, threads, evidence.run.exit_status or 0)


def _pin_order(evidence: Evidence) -> tuple[int, ...]:
    plan = evidence.run.pin_plan or ""
    if evidence.run.pin_policy == "none" or not all(word.isascii() and word.isdigit() for word in plan.split(",")):
        return ()
    return tuple(map(int, plan.split(",")))


def choose(found: Sequence[Proposal], wanted: Sequence[int] | None, threads: int | None = None) -> Chosen:
    """Arms for the advice that placement can imitate, and for all of it together. threads: of the recorded run."""
    unknown = [number for number in wanted or () if number > len(found)]
    if unknown:
        raise Failure(f"there is no advice {unknown[0]}: the recording has {len(found)}", "see numaprof report FILE")
    picked = [proposal for proposal in found if wanted is None or proposal.number in wanted]
    arms = [
        Arm(
            f"advice-{proposal.number}",
            f"advice {proposal.number}",
            by_weight(proposal.subjects),
            finding=proposal.advice.finding,
            threads=threads,
        )
        for proposal in picked
        if proposal.subjects
    ]
    not_tried = tuple(f"advice {proposal.number}: {why}" for proposal in picked for why in proposal.left_out)
    if not arms:
        why = "; ".join(not_tried) or "the recording has no advice that a placement can imitate"
        raise Failure(f"nothing to try: {why}", "numaprof report FILE shows the advice")
    together = merged([subject for arm in arms for subject in arm.subjects])
    if len(arms) > 1:
        arms.append(Arm("all", "all together", together, threads=threads))
    nodes = sorted({piece.node for subject in together for place in subject.places for piece in place.pieces})
    if len(nodes) > 1:
        policy = f"interleave:{','.join(map(str, nodes))}"
        arms.append(Arm("interleave", "no placement, all interleaved", (), policy))
    return Chosen(tuple(arms), not_tried)


def _folder(keep: str | None) -> str:
    try:
        if keep is None:
            return tempfile.mkdtemp(prefix="numaprof-try-")
        os.makedirs(keep, exist_ok=True)
        with tempfile.TemporaryFile(dir=keep):  # before the first run: can files be made there?
            return keep
    except OSError as error:
        where, remedy = ("no temporary folder", "set TMPDIR") if keep is None else (f"--keep {keep}", "choose another")
        raise Failure(f"{where}: {error.strerror}", remedy) from error


def _try(recorded: Recorded, program: Program, chosen: Chosen, folder: str, options: Options) -> int:
    _check_nodes(chosen)
    remarks = _remarks(recorded.evidence)
    plain = Arm("plain", "plain")
    arms = [plain, *chosen.arms]
    _announce(program, len(arms) * options.runs, options.yes)
    runs = Runs(folder)
    with interruptible() as interruption:
        if _was_rebuilt(program, recorded):
            first = run_once(program, plain, os.path.join(folder, "plain.1"))
            check_first(first, folder)
            chosen, lost = _for_new_build(chosen, first)
            arms = [plain, *chosen.arms]
            runs.by_arm["plain"] = [first]
            remarks += ["the program was rebuilt: allocations are matched by source location", *lost]
        run_all(program, arms, options.runs, runs)
    if interruption.number is not None:
        remarks.append("interrupted: some sides have fewer runs")
    trial = _with_file(_trial(program, arms, runs, chosen.not_tried, remarks), program, folder, options)
    document = as_document(trial)
    why_not = store(document, recorded.evidence)
    if why_not is not None:
        print(f"numaprof: the result is not kept beside the recording: {why_not}", file=sys.stderr)
    if options.json:
        print(json.dumps(document, indent=2))
    else:
        print_trial(trial_text(trial), Layout())
    if options.html:
        _write_page(trial, options.html)
    good = all(tried.measured for tried in trial.tried)
    return interruption.exit_status or (0 if good else 1)


def _check_nodes(chosen: Chosen) -> None:
    here = topology()
    allowed = {node["id"] for node in here["nodes"] if node["mem_bytes"] and node["allowed"]}
    wanted = {
        piece.node
        for arm in chosen.arms
        for subject in arm.subjects
        for place in subject.places
        for piece in place.pieces
    }
    missing = sorted(wanted - allowed)
    if missing:
        nodes = ", ".join(map(str, missing))
        raise Failure(
            f"the advised placement needs node {nodes}, which this process may not use here",
            "try on the machine of the recording; numaprof topology shows what is allowed",
        )


def _remarks(evidence: Evidence) -> list[str]:
    found = []
    if not evidence.run.complete:
        found.append("the recording was cut short: its advice rests on a part of the run")
    elif evidence.run.exit_status or evidence.run.term_signal:
        found.append("the recorded run failed: its advice may rest on a part of the work")
    if evidence.run.emulated:
        found.append("the recording is of an emulated machine: its nodes stand for those of this one")
    if evidence.run.balancing:
        found.append(
            "automatic NUMA balancing is on: it leaves placed ranges alone, so that it differs between the sides"
        )
    return found


def _announce(program: Program, runs: int, yes: bool) -> None:
    text = f"numaprof: {clean(shlex.join(program.command))} will be run {plural(runs, 'time')}"
    if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        print(text, file=sys.stderr)
        return
    print(f"{text}; go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Failure("not run", "--yes skips the question")


def _was_rebuilt(program: Program, recorded: Recorded) -> bool:
    """A launcher or an interpreter has no part in the call stacks: then only the runs tell."""
    path = shutil.which(os.path.join(program.cwd or "", program.command[0]) if "/" in program.command[0]
                        else program.command[0])  # fmt: skip
    now, build_ids = build_id_of(path or ""), recorded.layouts.build_ids
    names = {os.path.basename(module) for module in build_ids}
    same_name = os.path.basename(os.path.realpath(path or "")) in names | {
        os.path.basename(recorded.evidence.run.program or "")
    }
    return now is not None and same_name and now not in build_ids.values()


def _for_new_build(chosen: Chosen, first: Run) -> tuple[Chosen, list[str]]:
    _, layouts = read(first.recording or "")
    arms, lost = [], list[str]()
    for arm in chosen.arms:
        kept, missing = rebuilt(arm.subjects, layouts)
        lost += [why for why in missing if why not in lost]
        if kept or arm.policy:
            arms.append(replace(arm, subjects=tuple(kept)))
    if not any(arm.subjects for arm in arms):
        raise Failure(f"another program than the recorded one: {lost[0]}", "record this program, and try its advice")
    return Chosen(tuple(arms), chosen.not_tried), lost


def _trial(
    program: Program, arms: Sequence[Arm], runs: Runs, not_tried: Sequence[str], remarks: Sequence[str]
) -> Trial:
    subjects: list[Subject] = [subject for arm in arms for subject in arm.subjects]
    tried = []
    for arm in arms:
        mine = runs.by_arm.get(arm.name, [])
        good = [run.recording for run in mine if run.failure is None and run.recording is not None]
        tried.append(Tried(arm, tuple(mine), tuple(measure(path, subjects) for path in good)))
    return Trial(shlex.join(program.command), tuple(tried), tuple(not_tried), tuple(remarks))


def _with_file(trial: Trial, program: Program, folder: str, options: Options) -> Trial:
    """The file that keeps the effect without an edit: that of the arm with everything, if it placed anything."""
    arm = trial.placed[-1].arm
    if not trial.placed[-1].total("placed"):
        return trial
    if options.keep:
        return trial.with_file(os.path.join(folder, f"{arm.name}.placement"))
    name = f"{os.path.basename(program.command[0])}.{os.getpid()}.placement"
    with suppress(OSError), open(name, "x", encoding="utf-8", errors="backslashreplace") as file:
        file.write(write(arm.subjects, f"{arm.label}: made by numaprof try", program.cpus, program.threads))
        return trial.with_file(name)
    return trial


def _write_page(trial: Trial, output: Output) -> None:
    from numaprof.commands.writing.write_documents import write_trial  # noqa: PLC0415 (only then: start-up counts)

    placed = [tried for tried in trial.tried if tried.arm.subjects][-1]
    before, after = ([run.evidence.path for run in tried.measured] for tried in (trial.tried[0], placed))
    if not before or not after:
        raise Failure("--html: no run ended well on one side", "see the remarks")
    write_trial(before, after, trial_text(trial), output)
