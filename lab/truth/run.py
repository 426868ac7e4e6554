# SPDX-License-Identifier: Apache-2.0
"""Records programs in an emulated machine that keeps the truth by page."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent
FOLDERS = (TREE / "build" / "lab", TREE / "build" / "examples")
LINES = "/sys/kernel/debug/numaprof-lab/lines"
SECONDS = 1800


def record_all(machine: str, programs: dict[str, tuple[str, ...]], folder: Path) -> None:
    """One boot: NAME.numaprof for each program that ends well, and `lines`, in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    script = "; ".join(
        [*(_record(name, command) for name, command in programs.items()), f'cp {LINES} "$NUMAPROF_SCRATCH"/lines']
    )
    command: list[str | Path] = [
        TREE / "lab" / "run",
        "--quiet",
        "--truth",
        "--machine",
        machine,
        "--time-limit",
        str(SECONDS),
    ]
    subprocess.run([*command, "--scratch", folder, "--", "sh", "-c", script], check=True, cwd=TREE)


def _record(name: str, command: tuple[str, ...]) -> str:
    program = next((folder / command[0] for folder in FOLDERS if (folder / command[0]).exists()), None)
    if program is None:
        raise FileNotFoundError(f"{command[0]} is not built: make examples, make lab")
    words: list[str | Path] = [TREE / "numaprof", "record", "-q", "-o", f"{name}.numaprof", "--", program, *command[1:]]
    line = " ".join(shlex.quote(str(word)) for word in words)
    return f'cd "$NUMAPROF_SCRATCH" && {line} >/dev/null || echo {name}: not recorded >&2'
