# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile files: recordings that anybody sent, and programs that are no programs any more."""

from __future__ import annotations

import random
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from hostile.kinds import PATIENCE_S, Kind, is_one_line, record
from running import one, run_command, target
from scenarios import SCENARIOS

AT_ONCE = 10  # files that one process reads: starting Python is most of the time
READ = """
import contextlib, io, signal, sys, traceback
from numaprof.commands import cli
signal.alarm(100)
for words in [line.split("\\t") for line in sys.stdin.read().splitlines()]:
    out, err = (io.TextIOWrapper(io.BytesIO(), 'utf-8', 'backslashreplace') for _ in range(2))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.run(words)
    except BaseException:
        print("fell", words, traceback.format_exc())
        continue
    out.flush(), err.flush()
    shown, said = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))
    said = "".join(line for line in said.splitlines(keepends=True) if not line.endswith("…\\n"))  # it takes its time
    is_answer = words[0] == "check" and 120 <= status <= 124 and not said
    is_silent_end = status and not is_answer and (said.count("\\n") != 1 or not said.startswith("numaprof: "))
    if is_silent_end or "\\x1b" in said + shown or "root:" in said + shown:
        print("fell", words, status, said[-500:])
print("done")
"""
VIEWS = (
    ["report"],
    ["report", "--full"],
    ["report", "--json", "-"],
    ["report", "--html"],
    ["report", "--csv"],
    ["export", "-o", "-", "--format", "folded"],
    ["export", "-o", "-", "--format", "folded", "--value", "first_touches"],
    ["export", "-o", "-", "--format", "openmetrics"],
    ["export", "--format", "perfetto", "-o"],
    ["export", "--format", "pprof", "-o"],
    ["check", "--max-remote", "10%"],
    ["diff"],
    ["diff", "--json", "-"],
)


def _read_all(chance: random.Random, files: list[Path]) -> None:
    lines = []
    for file in files:
        words = list(chance.choice(VIEWS))
        if words[-1] in ("--html", "--csv", "-o"):
            words.append(str(file.with_suffix(".out")))
        if words[0] == "diff":
            words.append(str(chance.choice(files)))
        lines.append("\t".join([*words, str(file)]))
    done = run_command(sys.executable, "-c", READ, input="\n".join(lines), timeout=PATIENCE_S, cwd=files[0].parent)
    assert done.out.endswith("done\n"), done
    assert done.out == "done\n", done.out


def _a_recording(chance: random.Random, path: Path) -> Path:
    names = sorted(name for name in SCENARIOS if name != "many_threads")
    return SCENARIOS[chance.choice(names)]().write(path)


def damage(chance: random.Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    how = chance.randrange(4)
    if how == 0:
        content = content[: chance.randrange(len(content))]
    elif how == 1:
        at, length = chance.randrange(len(content)), chance.randint(1, 4096)
        content[at : at + length] = chance.randbytes(len(content[at : at + length]))
    else:
        for _ in range(chance.randint(1, 64)):
            content[chance.randrange(len(content) if how == 2 else min(len(content), 4096))] = chance.randrange(256)
    path.write_bytes(content)


def _read_damaged_recordings(chance: random.Random, folder: Path) -> None:
    files = [_a_recording(chance, folder / f"{number}.numaprof") for number in range(AT_ONCE)]
    for file in files:
        damage(chance, file)
    _read_all(chance, files)


ODD_VALUES = (
    None,
    0,
    -1,
    1,
    2**31,
    2**63 - 1,
    -(2**63),
    0.5,
    -1e308,
    float("inf"),
    float("-inf"),
    "",
    "x" * 10000,
    "0-3,9-1",
    "\x1b[2J",
    "{0}%s{{x}}",
    "\u202e",
    "../../../etc/passwd",
    "/proc/kmsg",
    "1e999",
    "[",
    '{"a":',
    b"\xff\xfe\x00",
    b"",
)


def _small_or_odd(chance: random.Random) -> object:
    """A row of odd values alone would not get far."""
    return chance.choice(ODD_VALUES) if chance.random() < 0.3 else chance.choice([0, 1, 1, 2, 4096, "1", "/tmp/x.c"])


def make_hostile(chance: random.Random, path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA ignore_check_constraints = 1")
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'") if name[0] != "s"
        ]
        tables += [name for name in ("sample", "snapshot", "source", "sample_kind") if chance.random() < 0.5]
        for _ in range(chance.randint(1, 6)):
            table = chance.choice(tables)
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            if not columns:
                continue
            where = "" if chance.random() < 0.3 else " WHERE abs(random()) % 4 = 0"
            try:
                how = chance.random()
                if how < 0.1:
                    db.execute(f"DELETE FROM {table}{where}")
                elif how < 0.15:
                    db.execute(f"DROP TABLE {table}")
                elif how < 0.4:
                    marks = ", ".join("?" * len(columns))
                    db.execute(f"INSERT INTO {table} VALUES ({marks})", [_small_or_odd(chance) for _ in columns])
                else:
                    db.execute(f'UPDATE {table} SET "{chance.choice(columns)}" = ?{where}', [chance.choice(ODD_VALUES)])
            except sqlite3.Error:
                continue  # the table itself forbids it
        db.commit()


def _read_hostile_recordings(chance: random.Random, folder: Path) -> None:
    files = [_a_recording(chance, folder / f"{number}.numaprof") for number in range(AT_ONCE)]
    for file in files:
        make_hostile(chance, file)
    _read_all(chance, files)


def _run_damaged_programs(chance: random.Random, folder: Path) -> None:
    """The program may fall; numaprof may not, and ends as the program does."""
    program = folder / "program"
    shutil.copy(target("touch"), program)
    content = bytearray(program.read_bytes())
    for _ in range(chance.randint(1, 16)):
        content[chance.randrange(chance.choice([64, 1024, len(content)]))] = chance.randrange(256)
    program.write_bytes(content)
    done = record(folder, program, 1, 4)
    recording = folder / "r.numaprof"
    if not recording.exists():
        assert is_one_line(done), done
        return
    complete, exit_status, signal = one(recording, "SELECT complete, exit_status, term_signal FROM run")
    assert (complete, done.status) == (1, exit_status if signal is None else -signal), done
    _read_all(chance, [recording])


KINDS = (
    Kind(
        "damaged recordings",
        f"a report, or one line; no file holds anybody up ({AT_ONCE} files at a time)",
        _read_damaged_recordings,
        1,
        80,
    ),
    Kind(
        "hostile recordings",
        f"a report, or one line; no value ends in a traceback ({AT_ONCE} files at a time)",
        _read_hostile_recordings,
        1,
        120,
    ),
    Kind(
        "damaged programs",
        "numaprof ends as the program does, or says in one line why it cannot run",
        _run_damaged_programs,
        1,
        100,
    ),
)
