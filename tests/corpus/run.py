#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the advice on a corpus of programs with known truth: make corpus.

Each program is recorded in the emulated machine; what is printed as code is applied to the letter by apply.py; the
result is recorded again. The table says whether the kind of fix is the right one, whether its code could be used as
printed, and how many of the remote requests went, beside what was promised.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
sys.path[:0] = [str(TREE / "reports"), str(HERE)]

from apply import apply  # noqa: E402
from numaprof.evidence.evidence import Evidence, load  # noqa: E402
from numaprof.placement.advice import Advice, Kind  # noqa: E402
from numaprof.placement.explain import advise  # noqa: E402

WORK = Path(os.environ.get("CORPUS_WORK") or TREE / "build" / "corpus").resolve()
COMPILER = {".c": ["gcc", "-std=gnu17"], ".cpp": ["g++"], ".f90": ["gfortran"]}
BUILD = ["-O2", "-g", "-fopenmp", "-pthread"]
SECONDS = 600  # for one program, by the clock of the guest, which jumps where the host was stopped
CLOSE = 15  # points: a promise comes true if it is no further from what came

# The word of a program's truth for each kind of decision.
TRUTH_OF = {
    "parts": "parts",
    "per allocation": "parts",
    "interleave": "spread",
    "pages": "pages",
    "threshold": "threshold",
}


@dataclass
class Case:
    source: Path
    truth: str
    fix: str
    standard: str = "c++17"
    others: tuple[str, ...] = ()  # what stands beside it in programs/with: headers, and further files to compile
    before: Evidence | None = None
    after: Evidence | None = None
    advices: list[Advice] = field(default_factory=list)
    later: list[Advice] = field(default_factory=list)
    command: str | None = None
    problem: str = ""
    fixed: bool = False

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def changes(self) -> list[Advice]:
        """What asks for a change of the program or of how it is run to place its memory."""
        return [a for a in self.advices if a.kind is Kind.FIX or any(each.kind == "file" for each in a.objects)]

    @property
    def code(self) -> list[str]:
        """As it is printed."""
        return [line for advice in self.changes for line in printed(advice)]


def printed(advice: Advice) -> list[str]:
    return [*advice.code, *(f"{code}      {remark}" for code, remark in advice.remarked)]


def sources() -> list[Path]:
    """Without what a compiler leaves that is tried there by hand: modules, programs."""
    return [source for source in (HERE / "programs").iterdir() if source.suffix in COMPILER]


def cases(names: list[str]) -> list[Case]:
    found = []
    for source in sorted(sources()):
        words = dict(re.findall(r"^(?://|!) (truth|fix|std|with): (.*)$", source.read_text(), re.M))
        if not names or source.name in names:
            others = tuple(words.get("with", "").split())
            found.append(Case(source, words["truth"], words["fix"], words.get("std", "c++17"), others))
    return found


def build(case: Case, side: str, flags: list[str]) -> bool:
    folder = WORK / side / case.name
    # What others use first: a module of Fortran is compiled before the program that uses it.
    files = [str(folder / name) for name in (*case.others, case.name) if Path(name).suffix in COMPILER]
    standard = [f"-std={case.standard}"] if case.source.suffix == ".cpp" else []
    command = [*COMPILER[case.source.suffix], *standard, *BUILD, "-o", str(folder / "program"), *files, *flags, "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if built.returncode:
        case.problem = f"does not compile: {built.stderr.strip().splitlines()[0]}"
    return built.returncode == 0


def record(side: str, todo: list[Case], machine: Path) -> None:
    """All in one boot."""
    script = ["set -u"]
    for case in todo:
        folder = WORK / side / case.name
        program = str(folder / "program")
        command = program if case.command is None else case.command
        command = f"env {command}" if re.match(r"[A-Z_]+=", command) else command
        out = f"$NUMAPROF_SCRATCH/{case.name}"
        script.append(f"cd {folder}")
        script.append(
            f"timeout {SECONDS} {TREE}/build/numaprof record -q -o {out}.numaprof {command} >{out}.txt 2>{out}.err"
            f" || echo {case.name}: $? >&2"
        )
    (WORK / f"{side}.{os.getpid()}.sh").write_text("\n".join(script) + "\n")
    scratch, results = WORK / f"{side}.{os.getpid()}", WORK / f"{side}.results"
    scratch.mkdir(parents=True)
    results.mkdir(exist_ok=True)
    limit = ["--time-limit", str(SECONDS * len(todo))]
    lab = [str(TREE / "lab" / "run"), "--machine", str(machine), "--scratch", str(scratch), "--quiet", *limit]
    subprocess.run([*lab, "--", "sh", str(WORK / f"{side}.{os.getpid()}.sh")], check=False)
    for path in scratch.glob("*.*"):
        path.replace(results / path.name)
    shutil.rmtree(scratch, ignore_errors=True)


def read(side: str, case: Case) -> Evidence | None:
    path = WORK / f"{side}.results" / f"{case.name}.numaprof"
    try:
        return load(str(path))
    except Exception as error:  # one recording less must not lose the table
        case.problem = case.problem or f"not recorded {side} ({type(error).__name__})"
        return None


def prepare(case: Case, side: str) -> None:
    folder = WORK / side / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in (case.source, *(HERE / "programs" / "with" / name for name in case.others)):
        shutil.copy2(source, folder)


def fix(case: Case) -> bool:
    """Applies the code of all advice; False if there is none, or if it cannot be used as printed."""
    prepare(case, "after")
    if not case.code:
        return False
    try:
        done = apply(case.code, WORK / "after" / case.name)
    except ValueError as error:
        case.problem = str(error)
        return False
    if done.command is not None:
        case.command = done.command.replace("/before/", "/after/")
    if build(case, "after", done.flags) and output(case, "after") != output(case, "before"):
        case.problem = "another result"
    return not case.problem


def output(case: Case, side: str) -> str:
    """What the program prints on this computer."""
    command = ["env", *shlex.split(case.command)] if side == "after" and case.command is not None else []
    done = subprocess.run(
        command or [str(WORK / side / case.name / "program")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "8", "GOMP_SPINCOUNT": "0"},
    )
    return f"{done.stdout}{done.returncode}"


def remote(evidence: Evidence | None) -> float | None:
    return evidence.traffic.remote.estimate if evidence is not None and evidence.counted else None


def promised(case: Case) -> float | None:
    shares = [advice.removes for advice in case.changes]
    return (
        None if any(share is None for share in shares) and not any(shares) else min(1.0, sum(s or 0.0 for s in shares))
    )


def gone(case: Case) -> float | None:
    before, after = remote(case.before), remote(case.after)
    return 1 - after / before if before and after is not None else None


def right(case: Case) -> bool:
    if case.before is None:
        return False
    return not case.changes if case.fix == "none" else set(decided(case)) >= set(case.fix.split(", "))


def decided(case: Case) -> list[str]:
    return sorted({TRUTH_OF[advice.decision] for advice in case.changes if advice.decision in TRUTH_OF})


def usable(case: Case) -> bool | None:
    return None if not case.changes else case.fixed


def false_later(case: Case) -> list[Advice]:
    """Advice that asks for the same again, or for another change, after the fix."""
    spread = case.fix == "spread" or "read by all" in case.truth
    return [a for a in case.later if a.kind is Kind.FIX and not (spread and "copy" in a.change)]


def percent(share: float | None) -> str:
    return "n/a" if share is None else f"{100 * share:.0f} %"


def row(case: Case) -> Row:
    kinds = decided(case)
    mark = {True: "yes", False: "NO", None: "-"}
    share = case.before.traffic.share if case.before is not None else None
    return Row(
        program=case.name,
        right_fix=case.fix,
        advised=", ".join(kinds) or ("other" if case.changes else "none"),
        right=mark[right(case)],
        usable=mark[usable(case)],
        remote=percent(share),
        promised=percent(promised(case)) if case.changes else "-",
        came=percent(gone(case)) if case.after is not None else "-",
        advice_after=str(len(false_later(case))) if case.after is not None else "-",
        remarks=" ".join(case.problem.split())[:80],
        measured=measured(case),
    )


def measured(case: Case) -> str:
    """Return the day of the last recording, "-" if there is none."""
    last = case.after or case.before
    return last.run.started_at[:10] if last is not None else "-"


class Row(NamedTuple):
    """The judgement of one program: a line of results.tsv."""

    program: str
    right_fix: str
    advised: str
    right: str
    usable: str
    remote: str
    promised: str
    came: str
    advice_after: str
    remarks: str
    measured: str


def read_rows(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return [Row(**line) for line in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def write_rows(path: Path, rows: list[Row]) -> None:
    lines = ["\t".join(cells) for cells in (Row._fields, *sorted(rows))]
    path.write_text("".join(f"{line}\n" for line in lines))


def renew(path: Path, rows: list[Row]) -> None:
    """Put these rows in the place of older ones of their programs. All other rows keep their day."""
    write_rows(path, list({row.program: row for row in (*read_rows(path), *rows)}.values()))


def points(cell: str) -> int | None:
    """Return the number of a share; None: n/a, or no run."""
    return int(cell.removesuffix(" %")) if cell.endswith(" %") else None


def summary(rows: list[Row]) -> list[str]:
    with_code = [row for row in rows if row.usable != "-"]
    fixed = [row for row in with_code if points(row.came) is not None]
    gains = [(points(row.promised), points(row.came)) for row in fixed]
    compared = [(share, came) for share, came in gains if share is not None and came is not None]
    close = sum(abs(share - came) <= CLOSE for share, came in compared)
    silent = [row for row in rows if row.right_fix == "none"]
    return [
        f"right kind of fix: {sum(row.right == 'yes' for row in rows)} of {len(rows)}",
        f"code usable as printed: {sum(row.usable == 'yes' for row in with_code)} of {len(with_code)}",
        f"gain within {CLOSE} points of the promise: {close} of {len(compared)};"
        f" {len(fixed) - len(compared)} promise nothing",
        f"silence where nothing is to gain: {sum(row.right == 'yes' for row in silent)} of {len(silent)}",
        f"advice after the fix: {sum(row.advice_after != '0' for row in fixed)} of {len(fixed)}",
    ]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("programs", nargs="*", help="only these, e.g. stream.c")
    options.add_argument(
        "--again", action="store_true", help="judge the last recordings again, record only what is fixed"
    )
    options.add_argument("--judge", action="store_true", help="judge the last recordings again, record nothing")
    options.add_argument("--only-before", action="store_true", help="no fixes")
    options.add_argument("--machine", type=Path, default=HERE / "corpus.machine", help="another emulated one")
    options.add_argument("--results", type=Path, help="renew the rows of these programs in this file")
    given = options.parse_args()
    found, machine = cases(given.programs), given.machine.resolve()
    WORK.mkdir(parents=True, exist_ok=True)
    if not given.again and not given.judge:
        for case in found:
            prepare(case, "before")
            build(case, "before", [])
        record("before", found, machine)
    for case in found:
        case.before = read("before", case)
        case.advices = advise(case.before) if case.before is not None else []
    for case in [] if given.only_before else found:
        case.fixed = fix(case)
    fixed = [case for case in found if case.fixed]
    if fixed and not given.judge:
        record("after", fixed, machine)
    for case in fixed:
        case.after = read("after", case)
        case.later = advise(case.after) if case.after is not None else []
    rows = [row(case) for case in found]
    print("\n".join("\t".join(cells) for cells in (Row._fields, *rows)), *summary(rows), sep="\n")
    if given.results is not None:
        renew(given.results, [each for case, each in zip(found, rows) if case.before is not None])
    return 0


if __name__ == "__main__":
    sys.exit(main())
