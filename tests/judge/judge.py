#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judge the decisions about placement on recordings of all corpus programs: make judge.

The truth of a program stands in a comment of its source. Two thirds of the programs, by a hash of their names, are for
mending the model; of the frozen third only sums are printed. `--make DIR ARCHIVE` packs the recordings
DIR/SET/NAME.numaprof.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
sys.path[:0] = [str(HERE), str(TREE / "reports")]

from compact import Compact, compact, read_archive, restore, write_archive  # noqa: E402
from numaprof.evidence.evidence import Evidence, load  # noqa: E402
from numaprof.placement.decide import decide  # noqa: E402

ARCHIVE = HERE / "recordings.xz"
PROGRAMS = TREE / "tests" / "corpus" / "programs"
TOO_FEW = "too few samples"
# The word of a program's truth for each kind of decision; a decision of another kind changes nothing.
TRUTH_OF = {
    "parts": "parts",
    "per allocation": "parts",
    "move thread": "parts",
    "interleave": "spread",
    "pages": "pages",
    "threshold": "threshold",
    TOO_FEW: TOO_FEW,
}
DENSER = {"dense": 4}  # by the set of recordings: samples that are kept
LITTLE_REMOTE = 0.1  # of the baseline: below it, nothing is to gain


@dataclass(frozen=True)
class Verdict:
    program: str
    recorded: str  # the set of recordings: two nodes, four nodes, dense samples
    truth: frozenset[str]
    decided: frozenset[str]
    baseline: frozenset[str]

    @property
    def right(self) -> bool:
        """True if all kinds of the truth were decided, and no change where the truth is none."""
        return self.decided >= self.truth if self.truth else not self.decided

    @property
    def baseline_right(self) -> bool:
        return self.baseline >= self.truth if self.truth else not self.baseline

    @property
    def undecided(self) -> bool:
        return self.decided == {TOO_FEW}


def is_frozen(program: str) -> bool:
    """True if the program belongs to the third that nobody mends the model on."""
    return int(hashlib.sha256(program.encode()).hexdigest(), 16) % 3 == 0


@cache
def truth_of(program: str) -> frozenset[str]:
    source = (PROGRAMS / program).read_text()
    match = re.search(r"^(?://|!) fix: (.*)$", source, re.MULTILINE)
    assert match, f"{program} has no line 'fix:'"
    return frozenset(match[1].split(", ")) - {"none"}


def baseline_of(evidence: Evidence) -> frozenset[str]:
    share = evidence.traffic.share
    return frozenset({"parts"}) if share is not None and share >= LITTLE_REMOTE else frozenset()


def judge(entry: tuple[str, Compact]) -> Verdict:
    name, tables = entry
    recorded, program = name.split("/")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judged.numaprof"
        restore(tables, path)
        evidence = load(str(path))
    decided = frozenset(TRUTH_OF[found.kind] for found in decide(evidence) if found.kind in TRUTH_OF)
    return Verdict(program, recorded, truth_of(program), decided, baseline_of(evidence))


def judge_all(entries: Iterable[tuple[str, Compact]]) -> list[Verdict]:
    with ProcessPoolExecutor() as pool:
        return list(pool.map(judge, entries, chunksize=8))


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"


def sums(verdicts: list[Verdict]) -> list[str]:
    count = len(verdicts)
    by_truth = Counter(", ".join(sorted(verdict.truth)) or "none" for verdict in verdicts)
    right = Counter(", ".join(sorted(verdict.truth)) or "none" for verdict in verdicts if verdict.right)
    return [
        f"right kind        {share(sum(verdict.right for verdict in verdicts), count)}",
        f"too few samples   {share(sum(verdict.undecided for verdict in verdicts), count)}",
        f"baseline          {share(sum(verdict.baseline_right for verdict in verdicts), count)}",
        *(f"  truth {name:<11} {share(right[name], whole)}" for name, whole in by_truth.most_common()),
    ]


def report(verdicts: list[Verdict]) -> list[str]:
    mended = [verdict for verdict in verdicts if not is_frozen(verdict.program)]
    lines = []
    for verdict in sorted(mended, key=lambda verdict: (verdict.recorded, verdict.program)):
        if not verdict.right:
            wanted, got = (", ".join(sorted(kinds)) or "none" for kinds in (verdict.truth, verdict.decided))
            lines.append(f"{verdict.recorded}/{verdict.program}: decided {got}, right is {wanted}")
    for recorded in sorted({verdict.recorded for verdict in verdicts}):
        for title, part in (("two thirds", mended), ("frozen third", [v for v in verdicts if is_frozen(v.program)])):
            lines += ["", f"{recorded}, {title}", *sums([v for v in part if v.recorded == recorded])]
    return lines


def make(recordings: Path, archive: Path) -> None:
    files = sorted(recordings.glob("*/*.numaprof"))
    write_archive(
        archive,
        {f"{file.parent.name}/{file.stem}": compact(file, DENSER.get(file.parent.name, 1)) for file in files},
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--archive", type=Path, default=ARCHIVE)
    options.add_argument("--make", type=Path, metavar="DIR", help="pack the recordings DIR/SET/NAME.numaprof")
    given = options.parse_args()
    if given.make:
        make(given.make, given.archive)
    print("\n".join(report(judge_all(read_archive(given.archive)))))


if __name__ == "__main__":
    main()
