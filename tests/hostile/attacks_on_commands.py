# SPDX-License-Identifier: Apache-2.0
"""Commands that read other machines, join recordings, or run a program many times: their input is hostile too."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

from conftest import NOBODY, PROGRAM
from hostile.attacks_on_files import damage, make_hostile
from hostile.kinds import PATIENCE_S, Kind, is_one_line
from jobs import rank
from machine_files import names, snapshot, unpack
from recording_builder import RecordingBuilder
from running import Ended, run_command, target
from scenarios import SCENARIOS

ODD_TEXTS = ("", "-1", "0", "9" * 30, "0-", "4-1", "0-4294967295", ",", "x" * 5000, "\x1b[2J", "nan", "\n\n", "0 0 0 0")


def _run(folder: Path, *words: object) -> Ended:
    done = run_command(PROGRAM, *words, cwd=folder, timeout=PATIENCE_S, stdin=-3)
    assert "Traceback" not in done.err, (words, done)
    assert "\x1b" not in done.err + done.out, (words, done)
    return done


def _is_answer(done: Ended) -> bool:
    return done.status == 0 or is_one_line(done)


def _damage_a_machine(chance: random.Random, folder: Path) -> None:
    root = unpack(snapshot(chance.choice(names())), folder)
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    for path in chance.sample(files, min(len(files), chance.randint(1, 12))):
        how = chance.randrange(4)
        path.unlink()
        if how == 0:
            path.mkdir()
        elif how == 1:
            path.symlink_to(path.name)
        elif how == 2:
            path.write_bytes(chance.randbytes(chance.randint(0, 300)))
        else:
            path.write_text(chance.choice(ODD_TEXTS))
    for words in (["topology"], ["topology", "--json"], ["doctor"]):
        done = _run(folder, *words, "--sysroot", root)
        assert _is_answer(done) or words == ["doctor"], (words, done)
        assert done.status in (0, 1, 125), (words, done)


# Command lines with names of files where these stand; all of them are there, and none may be lost.
OUTPUTS = (
    "report {} --json {}", "report --html {} {}", "report --schema {}", "report {} --csv {}", "diff {} {} --json {}",
    "check {} --max-remote 10% --junit {}", "check {} --max-remote 10% --sarif {}", "export {} --format pprof -o {}",
    "export {} --format folded -o {}", "export {} --format parquet -o {}", "merge {} {} -o {}", "import -o {} {}",
    "record -o {} true", "policies -n 1 --no-record --html {} -- true", "sweep -t 1 -n 1 --no-record --html {} -- true",
    "try {} -n 1 --keep {} -- true", "lab --console {} -- true",
)  # fmt: skip


def _name_files_of_others(chance: random.Random, folder: Path) -> None:
    SCENARIOS["serial_init"]().write(folder / "a.numaprof")
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    for name in ("b.ranks", "page.html", "data.csv"):
        (folder / name).write_bytes(bytes([chance.randrange(32, 127)]) + chance.randbytes(chance.randint(0, 300)))
    (folder / "tables").mkdir()
    (folder / "tables" / "threads.csv").write_text("mine\n")
    names = [path.name for path in folder.iterdir()]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for line in chance.sample(OUTPUTS, 4):
        words = [word.format(chance.choice(names)) for word in line.split()]
        done = _run(folder, *words)
        assert {path: path.read_bytes() for path in before} == before, (words, done)


def _join_hostile_ranks(chance: random.Random, folder: Path) -> None:
    """Of each rank: whole, damaged or hostile; then the joined file itself is damaged."""
    job = folder / "job.numaprof"
    job.mkdir()
    for number in range(4):
        path = rank(SCENARIOS[chance.choice(["serial_init", "parallel_init"])](), number, 4).write(
            job / f"rank-{number}.host.1.numaprof"
        )
        chance.choice([lambda *_: None, damage, make_hostile])(chance, path)
    done = _run(folder, "merge", job, "-o", "job.ranks")
    assert done.status in (0, 125) and done.err.startswith("numaprof: "), done
    if (folder / "job.ranks").exists():
        damage(chance, folder / "job.ranks")
    for words in (["report", "job.numaprof"], ["report", "job.ranks"], ["merge", "job.ranks", "-o", "again.ranks"]):
        done = _run(folder, *words)
        assert done.status in (0, 1, 125), (words, done)
        assert done.status == 0 or "numaprof: " in done.err, (words, done)


def _with_an_object_that_can_be_placed(chance: random.Random, folder: Path) -> Path:
    builder: RecordingBuilder = SCENARIOS[chance.choice(["serial_init", "named_objects", "all_read_all"])]()
    builder.change("object", kind=chance.choice(["heap", "static", "mapping"])).change("place", build_id="ab" * 20)
    return builder.write(folder / "hostile.numaprof")


def _try_hostile_advice(chance: random.Random, folder: Path) -> None:
    """On a machine of one node no trial begins: then this attacks what chooses the placement."""
    recording = _with_an_object_that_can_be_placed(chance, folder)
    with closing(sqlite3.connect(recording)) as db:
        db.execute("UPDATE run SET command = ?", [chance.choice(['["touch", "fell"]', "[]", "{", "", '["\\u0000"]'])])
        db.commit()
    make_hostile(chance, recording)
    done = _run(folder, "try", recording, "-n", 1, "--", target("touch"), 2, 64)
    assert done.status in (0, 1, 125), done
    assert done.status == 0 or "numaprof: " in done.err or done.out, done
    assert not (folder / "fell").exists()


SCRIPTS = (
    "exit 3",
    "kill -9 $$",
    "kill -TERM $$",
    ":",
    "exec /no/such/program",
    "printf '\\033[2J%s'",
    "cd /; exec true",
)


# Commands that read a file, which stands last.
READERS = (
    ("run", "--place", "{file}", "--", "true"),
    ("record", "-q", "-o", "r.numaprof", "--place", "{file}", "true"),
    ("record", "-q", "-o", "r.numaprof", "{file}"),
    ("{file}",),
    ("report", "{file}"),
    ("report", "job"),
    ("merge", "{file}", "job", "-o", "out.ranks"),
    ("check", "{file}", "--max-remote", "1%"),
    ("diff", "{file}", "{file}"),
    ("export", "{file}", "--format", "folded", "-o", "-"),
    ("try", "{file}"),
    ("import", "/proc/kmsg", "-o", "i.numaprof"),
)


def _read_what_waits(chance: random.Random, folder: Path) -> None:
    """The file has the name of a recording, of joined ranks, or of none, and the rights of a program."""
    (folder / "job").mkdir()
    file = folder / "job" / chance.choice(["r.numaprof", "r.ranks", ".summaries", "r"])
    if chance.random() < 0.5:
        os.mkfifo(file)
        file.chmod(0o777)
    else:
        file.symlink_to(chance.choice(["/proc/kmsg", "/dev/zero", "/dev/tty", "/dev/ptmx"]))
    rights = chance.choice([[], NOBODY]) if os.geteuid() == 0 else []
    words = [word.format(file=file) for word in chance.choice(READERS)]
    done = run_command(*rights, PROGRAM, *words, cwd=folder, timeout=PATIENCE_S, stdin=-3)
    assert "Traceback" not in done.err and done.status != 0, (
        words,
        os.readlink(file) if file.is_symlink() else "",
        done,
    )


def _sweep_odd_programs(chance: random.Random, folder: Path) -> None:
    script = chance.choice(SCRIPTS)
    words = ["--no-record"] if chance.random() < 0.5 else []
    done = _run(folder, "sweep", "-t", chance.choice(["1", "1,2"]), "-n", 1, *words, "--", "sh", "-c", script)
    assert done.status == (0 if script.startswith((":", "printf", "cd")) else 1), (script, done)


KINDS = (
    Kind(
        "names of other files",
        "no option that writes replaces a recording, a source file, or any file of another format",
        _name_files_of_others,
        2,
        40,
    ),
    Kind(
        "damaged machines",
        "topology and doctor end with an answer, or one line, whatever the files of a machine hold",
        _damage_a_machine,
        2,
        150,
    ),
    Kind(
        "hostile ranks",
        "merge and report join the ranks that can be read, and name the others",
        _join_hostile_ranks,
        1,
        30,
    ),
    Kind(
        "hostile trials",
        "try ends with a table, or one line, and runs no program but the given one",
        _try_hostile_advice,
        1,
        40,
    ),
    Kind(
        "files that wait",
        "a FIFO, a device or /proc/kmsg in the place of a file ends in a message",
        _read_what_waits,
        4,
        100,
    ),
    Kind("odd sweeps", "sweep ends with a table and status 1 where every run fails", _sweep_odd_programs, 1, 40),
)
