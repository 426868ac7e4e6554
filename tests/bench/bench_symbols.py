#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long looking up lines takes in a program with much debug information: `bench_symbols.py [RUNS]`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from compiled import BUILD, build_inside, medians, numbers

FUNCTIONS, VARIABLES, COPIES, ADDRESSES = 3000, 30, 24, 10_000


def unit() -> str:
    """Functions with many variables each, and one that is inlined into all."""
    lines = ["static inline __attribute__((always_inline)) int inner(int x) { volatile int y = x; return y * 3; }"]
    for i in range(FUNCTIONS):
        variables = " ".join(f"int v{i}_{j} = x + {j};" for j in range(VARIABLES))
        total = " + ".join(f"v{i}_{j}" for j in range(VARIABLES))
        lines.append(f"struct s{i} {{ int a, b, c; double d; char *e; }};")
        lines.append(f"int f{i}(struct s{i} *s, int x) {{ {variables} s->a = inner(x); return {total}; }}")
    return "\n".join(lines) + "\n"


def build_big(output: Path) -> None:
    """One unit, compiled once and linked many times under other names."""
    with tempfile.TemporaryDirectory() as folder:
        source, first = Path(folder) / "unit.c", Path(folder) / "unit.o"
        source.write_text(unit())
        subprocess.run(["gcc", "-g", "-O1", "-c", source, "-o", first], check=True)
        objects = []
        for copy in range(COPIES):
            objects.append(Path(folder) / f"{copy}.o")
            subprocess.run(["objcopy", f"--prefix-symbols=c{copy}_", first, objects[-1]], check=True)
        main = Path(folder) / "main.c"
        main.write_text("int main(void) { return 0; }\n")
        subprocess.run(["gcc", "-g", main, *objects, "-o", output], check=True)


def addresses(program: Path) -> str:
    """Evenly spread over the functions, as offsets in the file; some lie in the inlined part."""
    text = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in text.splitlines()]
    found = sorted(int(row[1], 16) for row in rows if len(row) == 8 and row[3] == "FUNC" and "_f" in row[7])
    step = len(found) // ADDRESSES
    return "\n".join(f"{start + 8:x}" for start in found[:: step or 1][:ADDRESSES])


def debug_bytes(program: Path) -> int:
    text = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split("]", 1)[1].split() for line in text.splitlines() if "] .debug_" in line]
    return sum(int(row[4], 16) for row in rows)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    big = BUILD / "bench" / "big-debug"
    program = build_inside("symbols")
    if not big.exists():
        build_big(big)
    asked = addresses(big)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "x.numaprof"

        def looked_up() -> list[float]:
            output.unlink(missing_ok=True)
            return numbers([program, output, big], asked)

        ((seconds, cpu, kib, named),) = medians(runs, looked_up)
    print(
        f"{len(asked.split())} addresses in {debug_bytes(big) / 1e6:.0f} MB of debug information: {seconds:.2f} s"
        f" ({cpu:.2f} s of CPU time), {named:.0f} of them named, peak {kib / 1024:.0f} MiB; goal 2 s, 256 MiB;"
        f" medians of {runs}"
    )


if __name__ == "__main__":
    main()
