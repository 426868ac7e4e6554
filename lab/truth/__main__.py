# SPDX-License-Identifier: Apache-2.0
"""python -m truth [--machine NAME]... [--program NAME]... [--long] [--keep DIR] [--again]: prints the table."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from truth import lines, table
from truth.judge import Run, judge
from truth.programs import LONG, MACHINES, PROGRAMS
from truth.run import record_all


def main() -> None:
    parser = argparse.ArgumentParser(prog="make truth", description=__doc__)
    parser.add_argument("--machine", action="append", choices=MACHINES, help="default: all dialects")
    parser.add_argument("--program", action="append", choices=list(PROGRAMS), help="default: all")
    parser.add_argument("--long", action="store_true", help="a few programs, of 5 s a thread or more")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where recordings stay (default: they do not)")
    parser.add_argument("--again", action="store_true", help="judge what --keep holds, without recording")
    options = parser.parse_args()
    known = LONG if options.long else PROGRAMS
    programs = {name: known[name] for name in options.program or known if name in known}
    with tempfile.TemporaryDirectory(prefix="numaprof-truth-") as made:
        folder = options.keep or Path(made)
        runs: list[Run] = []
        for machine in options.machine or MACHINES:
            if not options.again:
                record_all(machine, programs, folder / machine)
            runs += judged(machine, list(programs), folder / machine)
        print(table.text(runs))


def judged(machine: str, programs: list[str], folder: Path) -> list[Run]:
    truth = lines.read_table(folder / "lines")
    recordings = {name: folder / f"{name}.numaprof" for name in programs}
    return [judge(machine, name, path, lines.join(truth, path)) for name, path in recordings.items() if path.exists()]


if __name__ == "__main__":
    main()
