# SPDX-License-Identifier: Apache-2.0
"""What `numaprof COMMAND --help` says, in parts: the manual pages and the shell completions are made from it."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent


@dataclass
class Help:
    synopsis: list[str] = field(default_factory=list)
    about: list[str] = field(default_factory=list)  # paragraphs
    items: list[tuple[str, str]] = field(default_factory=list)  # option or argument, what it is for


def commands() -> list[str]:
    return re.findall(r'\{"([a-z]+)", cmd_\w+,', (TREE / "profiler" / "commands" / "commands.c").read_text())


def read_help(command: str) -> Help:
    words = [TREE / "build" / "numaprof", command, "--help"]
    text = subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "200"}
    ).stdout
    first, *blocks = re.split(r"\n\s*\n", text.rstrip())
    found = Help()
    for line in first.splitlines():
        usage = re.sub(r"^usage: ", "", line, flags=re.IGNORECASE)
        if usage.lstrip().startswith("numaprof"):
            found.synopsis.append(usage.strip())
        else:
            found.about.append(line.strip())
    for block in blocks:
        read_block(block.splitlines(), found)
    return found


def read_block(lines: list[str], found: Help) -> None:
    if not any(line.startswith(" ") for line in lines):
        found.about.append(" ".join(lines))
        return
    for line in lines:
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if indent == 0:
            continue  # a heading such as "options:"
        if text.startswith("-") or indent <= 2 or not found.items:
            name, _, meaning = re.sub(r"\s{2,}", "\t", text, count=1).partition("\t")
            found.items.append((name, re.sub(r"\s{2,}", "  ", meaning)))
        else:
            name, meaning = found.items[-1]
            found.items[-1] = (name, re.sub(r"\s{2,}", "  ", f"{meaning} {text}".strip()))
