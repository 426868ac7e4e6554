# SPDX-License-Identifier: Apache-2.0
"""What `numaprof diff` says of single runs in the emulated machine: of identical runs it must not say "changed", of
runs whose true shares differ by ten points or more it must.

    make bench BENCH=changes
    build/venv/bin/python tests/bench/bench_changes.py [--dialect NAME]... [--runs N] [--keep DIR] [--again]
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from itertools import combinations, product
from pathlib import Path

from bench import BUILD, TREE
from bench_errors import DIALECTS, PHASES
from bench_errors import build as build_phases
from numaprof.compare.sides import ShareChange, Side, share_change
from numaprof.document.build_comparison import BETTER, SAME, WORSE, comparison
from numaprof.evidence.evidence import load
from numaprof.evidence.thresholds import MIN_SHOWN_BYTES

ROUNDS = 1500
EXAMPLES = BUILD / "examples"

# Command, and the remote share that the program is made for; None: it depends on the machine, so that only its own runs
# are compared.
PROGRAMS: dict[str, tuple[str, float | None]] = {
    "steady": (f"--pin none -- {PHASES} steady {ROUNDS} 0 1 4 5", 1 / 3),
    "thirds": (f"--pin none -- {PHASES} thirds {ROUNDS} 0 1 4 5", 1 / 2),
    "bursts": (f"--pin none -- {PHASES} bursts {ROUNDS} 0 1 4 5", 1 / 4),
    "serial": (f"-- {EXAMPLES}/sum_serial 4 32", 1 / 2),
    "parallel": (f"-- {EXAMPLES}/sum_parallel 4 32", 0.0),
    "sparse": (f"-- {EXAMPLES}/sparse 2 1000", None),
    "unpinned": (f"--pin none -- {EXAMPLES}/sum_serial 4 32", None),
    "lopsided": (f"-- {EXAMPLES}/lopsided 3 24", None),
}
APART = 0.10


def record(dialect: str, runs: int, folder: Path) -> None:
    """One boot. The programs alternate, as a user's runs before and after an edit do."""
    script = "; ".join(
        f"{TREE}/numaprof record -q -o $NUMAPROF_SCRATCH/{name}-{number}.numaprof {command} > /dev/null"
        for number in range(runs)
        for name, (command, _) in PROGRAMS.items()
    )
    machine = TREE / "tests" / "lab" / "machines" / f"small-{dialect}.machine"
    command = [TREE / "lab" / "run", "--machine", machine, "--scratch", folder, "--quiet", "--time-limit", "3000"]
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([*command, "--", "sh", "-c", script], check=True)


def sides(folder: Path) -> dict[str, list[Side]]:
    return {name: [Side((load(str(path)),)) for path in sorted(folder.glob(f"{name}-*.numaprof"))] for name in PROGRAMS}


def said(pairs: list[tuple[Side, Side]]) -> tuple[int, int, int]:
    """Pairs; of these changed; of these of an unknown share."""
    found = [share_change(before, after) for before, after in pairs]
    changed = sum(word in (ShareChange.FELL, ShareChange.ROSE) for word in found)
    return len(found), changed, found.count(ShareChange.UNKNOWN)


def parts_changed(pairs: list[tuple[Side, Side]]) -> int:
    """Pairs with no change in all, but with a thread or, by its share, an object that changed."""
    found = [comparison(before, after, times=False) for before, after in pairs]
    same = [each for each in found if each.change == SAME]
    threads = (any(thread.change in (BETTER, WORSE) for thread in each.threads) for each in same)
    objects = (any(one.changed and one.moved_bytes < MIN_SHOWN_BYTES for one in each.objects) for each in same)
    return sum(map(max, threads, objects))


def identical(runs: dict[str, list[Side]]) -> dict[str, list[tuple[Side, Side]]]:
    return {name: list(combinations(runs[name], 2)) for name in PROGRAMS}


def different(runs: dict[str, list[Side]]) -> list[tuple[Side, Side]]:
    known = {name: share for name, (_, share) in PROGRAMS.items() if share is not None}
    far = [pair for pair in combinations(known, 2) if abs(known[pair[0]] - known[pair[1]]) >= APART]
    return [pair for one, other in far for pair in product(runs[one], runs[other])]


def shares(runs: list[Side]) -> str:
    found = [side.share for side in runs if side.share is not None]
    return ", ".join(f"{100 * s.middle:.1f} ± {50 * (s.highest - s.lowest):.1f}" for s in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", action="append", choices=DIALECTS, help="default: all")
    parser.add_argument("--runs", type=int, default=5, help="of each program (5)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where recordings stay (default: they do not)")
    parser.add_argument("--again", action="store_true", help="judge what --keep holds, without recording")
    parser.add_argument("--shares", action="store_true", help="print each run's share too")
    options = parser.parse_args()
    build_phases()
    alike, apart, parts = [0, 0, 0], [0, 0, 0], 0
    print(
        "| dialect | identical pairs | changed | a part of them | pairs 10 points apart | changed | share not known |"
    )
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as made:
        for dialect in options.dialect or DIALECTS:
            folder = (options.keep or Path(made)) / dialect
            if not options.again:
                record(dialect, options.runs, folder)
            runs = sides(folder)
            same = [said(pairs) for pairs in identical(runs).values()]
            one, other = [sum(column) for column in zip(*same)], said(different(runs))
            alike, apart = [a + b for a, b in zip(alike, one)], [a + b for a, b in zip(apart, other)]
            part = sum(map(parts_changed, identical(runs).values()))
            parts += part
            row = (dialect, one[0], one[1], part, other[0], other[1], one[2] + other[2])
            print(f"| {' | '.join(map(str, row))} |", flush=True)
            for name in PROGRAMS if options.shares else ():
                print(f"{name}: {shares(runs[name])}")
    print(f"| all | {alike[0]} | {alike[1]} | {parts} | {apart[0]} | {apart[1]} | {alike[2] + apart[2]} |")


if __name__ == "__main__":
    main()
