# SPDX-License-Identifier: Apache-2.0
"""Files that are no recording, not a whole one, or one that a dying recorder left: a line each, never a traceback."""

from __future__ import annotations

import os
import re
import sqlite3
import struct
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import IntEnum
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM, build_once
from numaprof.evidence.evidence import load
from numaprof.recording import codes
from numaprof.recording.codes import Kind, Source
from numaprof.recording.commit import MAGIC, checksum, finished_commit
from numaprof.recording.reader import APPLICATION_ID, NEWEST_VERSION
from numaprof.text import source_lines
from numaprof.text.messages import EXIT_FAILED, Failure
from reading import printed, read
from recording_builder import SCHEMA, RecordingBuilder
from running import reports as in_this_process
from scenarios import serial_init

HERE = Path(__file__).resolve().parent
REPORTS = BUILD / "numaprof-reports"


def reports(*arguments: object, cwd: Path | None = None, **options: object) -> subprocess.CompletedProcess[str]:
    """Without the lines that say what the tool is doing: on a busy machine it does anything for more than a second."""
    command = [str(REPORTS), *map(str, arguments)]
    if options:  # an environment, streams: a process of its own
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=cwd, **options)
    else:
        with standing_in(cwd or Path.cwd()):
            done = subprocess.CompletedProcess(command, *in_this_process(*arguments))
    if done.stderr is not None:
        done.stderr = "".join(line for line in done.stderr.splitlines(keepends=True) if not line.endswith(" …\n"))
    return done


@contextmanager
def standing_in(folder: Path) -> Iterator[None]:
    """The reports find once which folder a reader stands in."""
    before = Path.cwd()
    os.chdir(folder)
    source_lines._project.cache_clear()
    try:
        yield
    finally:
        os.chdir(before)
        source_lines._project.cache_clear()


def refused(path: Path, *words: str) -> None:
    """One line on stderr with cause and remedy, nothing on stdout, exit status 125."""
    done = reports("report", path)
    assert done.returncode == EXIT_FAILED
    assert done.stdout == ""
    assert done.stderr.startswith("numaprof: ")
    assert done.stderr.count("\n") == 1
    assert "; " in done.stderr
    for word in words:
        assert word in done.stderr


def database(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def test_what_is_not_there(tmp_path: Path) -> None:
    refused(tmp_path / "none.numaprof", "No such file")


def test_directory(tmp_path: Path) -> None:
    """A directory is that of a job."""
    refused(tmp_path, "no recording of a rank")


def test_device() -> None:
    refused(Path("/dev/null"), "not a regular file")


def test_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.numaprof"
    path.touch()
    refused(path, "is empty", "record again")


@pytest.mark.parametrize(
    "content", [b"x", b"\x7fELF" + bytes(200), b"PERFILE2" + bytes(500), b"SQLite format 2\0" + bytes(99)]
)
def test_foreign(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    refused(path, "not a recording")


def test_foreign_database(tmp_path: Path) -> None:
    refused(database(tmp_path / "other.db", "CREATE TABLE run (id)"), "a database, but not a recording")


def test_newer_version(tmp_path: Path) -> None:
    path = serial_init().write(tmp_path / "newer.numaprof")
    database(path, f"PRAGMA user_version = {NEWEST_VERSION + 1}")
    refused(path, f"recording version {NEWEST_VERSION + 1}", "update numaprof")


def test_no_tables(tmp_path: Path) -> None:
    refused(database(tmp_path / "bare", f"PRAGMA application_id = {APPLICATION_ID}", "CREATE TABLE x (y)"), "damaged")


def test_no_run(tmp_path: Path) -> None:
    refused(RecordingBuilder().write_without("run", tmp_path / "early"), "holds no run", "record again")


def test_wrong_types(tmp_path: Path) -> None:
    path = serial_init().write(tmp_path / "types.numaprof")
    database(path, "UPDATE thread SET cpu_ns = 'many'")
    refused(path, "damaged", "'many'")


def test_missing_table(tmp_path: Path) -> None:
    refused(database(serial_init().write(tmp_path / "lacking"), "DROP TABLE sample"), "damaged")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE count SET value = 9223372036854775807, running_ns = 9223372036854775807",
        "UPDATE count SET value = -1, running_ns = -1",
        "UPDATE sample SET weight = 9223372036854775807",
        "UPDATE sample SET weight = 0",
        "UPDATE sample_sum SET samples = 9223372036854775807, weight = 0",
        "UPDATE sample_sum SET samples = -1",
        "UPDATE run SET page_bytes = 0",
        "UPDATE run SET command = '[[[', wall_ns = -5, exit_status = 1 << 40, term_signal = 1 << 40",
        "UPDATE run SET command = '{}'",
        "UPDATE thread SET cpu_ns = 0",
        "UPDATE thread SET cpu_ns = NULL, migrations = NULL, planned_cpu = NULL, name = NULL",
        "UPDATE thread SET own_cpus = '0-99999999999,x,-,,5-1', pin = 'program', planned_cpu = NULL",
        "UPDATE cpu SET node = NULL",
        "DELETE FROM cpu",
        "DELETE FROM node",
        "DELETE FROM thread",
        "DELETE FROM event",
        "DELETE FROM place",
        "UPDATE stack SET caller = id",
        "UPDATE place SET inline_of = id",
        "UPDATE place SET file = NULL, function = NULL, line = NULL",
        "UPDATE page_home SET span = -1, node = 77",
        "UPDATE evidence SET level = level + 100, detail = NULL, why_not = NULL",
    ],
)
def test_absurd_content(tmp_path: Path, statement: str) -> None:
    """A report is made of it, or it is refused; nobody sees a traceback."""
    done = reports("report", database(serial_init().write(tmp_path / "absurd"), statement))
    assert done.returncode in (0, EXIT_FAILED), done.stderr
    assert "Traceback" not in done.stderr


def test_no_permission(tmp_path: Path) -> None:
    path = serial_init().write(tmp_path / "secret.numaprof")
    path.chmod(0)
    child = os.fork()  # root reads everything: become somebody else
    if child == 0:
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            load(str(path))
        except Failure as failure:
            os._exit(0 if "Permission denied" in failure.line() else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_read_only_folder(tmp_path: Path) -> None:
    path = serial_init().write(tmp_path / "sum.numaprof")
    before = path.read_bytes()
    tmp_path.chmod(0o555)
    try:
        assert reports("report", path).returncode == 0
    finally:
        tmp_path.chmod(0o755)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["sum.numaprof"]


@pytest.mark.parametrize("name", ["a b?c#d%41.numaprof", "\u00fcml\u00e4ut", "-dash", os.fsdecode(b"\xff\xfe")])
def test_names_of_files(tmp_path: Path, name: str) -> None:
    serial_init().write(tmp_path / "plain").rename(tmp_path / name)
    done = reports("report", "--", f"{tmp_path}/{name}") if name.startswith("-") else reports("report", tmp_path / name)
    assert done.returncode == 0, done.stderr


def test_cut_anywhere(tmp_path: Path) -> None:
    """Every length that is a multiple of 509 (a prime: it meets all parts of a page), and those near the ends."""
    whole = serial_init().write(tmp_path / "whole").read_bytes()
    path = tmp_path / "cut"
    for length in {*range(0, len(whole), 509), *range(120), *range(len(whole) - 20, len(whole))}:
        path.write_bytes(whole[:length])
        with pytest.raises(Failure) as caught:
            load(str(path))
        assert "\n" not in caught.value.line()


@pytest.mark.parametrize("filler", [b"\xff" * 64, b"\x00" * 64], ids=["ones", "zeros"])
def test_damaged_anywhere(filler: bytes, tmp_path: Path) -> None:
    """Bytes overwritten at many places: either it is noticed, or the report is made; nothing else happens."""
    whole = serial_init().write(tmp_path / "whole").read_bytes()
    path = tmp_path / "damaged"
    outcomes = set()
    for start in range(100, len(whole), 2999):
        path.write_bytes(whole[:start] + filler + whole[start + 64 :])
        try:
            load(str(path))
            outcomes.add("read")
        except Failure as failure:
            assert "\n" not in failure.line()
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    builder = serial_init()
    builder.change("thread", where="id = 5", name=b"\xff\xfe").change("place", function=b"caf\xe9")
    text = printed(builder, tmp_path)
    assert "\\xff\\xfe 4715" in text
    assert "caf\\xe9" in text


def test_blob_where_text_belongs(tmp_path: Path) -> None:
    path = serial_init().write(tmp_path / "blob.numaprof")
    database(path, "UPDATE thread SET name = X'ff41'")
    assert load(str(path)).threads[0].row.name == "\\xffA"


def test_killed_recorder_is_said(tmp_path: Path) -> None:
    builder = serial_init(complete=0)
    assert "CUT SHORT" in printed(builder, tmp_path)


def test_samples_are_counted_when_the_recorder_could_not(tmp_path: Path) -> None:
    with_sums, without = read(serial_init(), tmp_path), serial_init().write(tmp_path / "without")
    database(without, "DELETE FROM sample_sum")
    assert load(str(without)).samples.kinds == with_sums.samples.kinds


# A commit that was cut short: pages behind the database (core/recording/recording_vfs.h).


def footer(start: int, end: int, log: bytes) -> bytes:
    return struct.pack("<QQQQ", MAGIC, start, end, checksum(log))


def unfinished(old: bytes, new: bytes) -> bytes:
    """What lies on disk when the recorder dies after writing the log and before its pages are in place."""
    log = b""
    for offset in range(0, len(new), 4096):
        page = new[offset : offset + 4096]
        log += struct.pack("<QQ", offset, len(page)) + page
    start = max(len(old), len(new))
    return old.ljust(start, b"\0") + log + footer(start, len(new), log)


def two_states(folder: Path) -> tuple[bytes, bytes]:
    path = serial_init(complete=0).write(folder / "states")
    old = path.read_bytes()
    database(path, "UPDATE run SET complete = 1, exit_status = 42")
    return old, path.read_bytes()


def test_finished_commit_is_applied(tmp_path: Path) -> None:
    old, new = two_states(tmp_path)
    path = tmp_path / "unfinished"
    path.write_bytes(unfinished(old, new))
    before = path.read_bytes()
    assert load(str(path)).run.exit_status == 42
    assert path.read_bytes() == before


def test_no_room_for_the_copy_with_the_commit_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "unfinished"
    path.write_bytes(unfinished(*two_states(tmp_path)))
    command = ["prlimit", "--fsize=4096", PROGRAM, "report", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == EXIT_FAILED and "damaged" not in done.stderr
    assert done.stderr.endswith("into place: File too large; set TMPDIR to a folder with room\n")


def test_half_written_commit_is_ignored(tmp_path: Path) -> None:
    """Any cut of the log, and any wrong byte in it, leaves the state before the commit."""
    old, new = two_states(tmp_path)
    whole = unfinished(old, new)
    path = tmp_path / "half"
    for length in range(max(len(old), len(new)), len(whole), 3037):
        path.write_bytes(whole[:length])
        assert finished_commit(str(path)) is None
        assert load(str(path)).run.exit_status == 0
    path.write_bytes(whole[:-100] + b"\xee" + whole[-99:])
    assert finished_commit(str(path)) is None
    assert load(str(path)).run.exit_status == 0


def test_absurd_footers(tmp_path: Path) -> None:
    old, _ = two_states(tmp_path)
    path = tmp_path / "absurd"
    log = struct.pack("<QQ", 1 << 62, 4) + b"abcd"
    path.write_bytes(old + log + footer(len(old), len(old), log))
    refused(path, "damaged")
    path.write_bytes(old + footer(1 << 63, 0, b""))
    assert load(str(path)).run.exit_status == 0


@pytest.mark.requires("gcc")
def test_recorder_killed_within_a_commit(tmp_path: Path) -> None:
    """The recorder's own code, made to die in each step of its commits: its rows are there or not, in whole batches."""
    killed = build_once(
        BUILD / "tests" / "killed_commit",
        str(HERE / "killed_commit.c"),
        str(BUILD / "libnumaprof.a"),
        *("-lpfm", "-ldw", "-lelf", "-lsqlite3"),
    )
    seen = set()
    for writes in range(1, 200):
        path = tmp_path / f"{writes}.numaprof"
        done = subprocess.run([killed, path, str(writes)], check=False)
        if done.returncode == 0:
            break
        assert done.returncode == 99, "killed_commit failed for another reason"
        try:
            notes = len(load(str(path)).notes)
        except Failure as failure:
            assert any(word in failure.cause for word in ("empty", "holds no run", "not a recording", "cut off"))
            continue
        assert notes % 10 == 0
        seen.add((notes, finished_commit(str(path)) is not None))
    else:
        pytest.fail("killed_commit never came to its end")
    assert {with_log for _, with_log in seen} == {True, False}
    assert len({notes for notes, _ in seen}) > 2


# Codes


@pytest.mark.parametrize(("table", "words"), [("sample_kind", Kind), ("source", Source)])
def test_codes_are_those_of_the_schema(table: str, words: type[IntEnum]) -> None:
    with closing(sqlite3.connect(":memory:")) as schema:
        schema.executescript(SCHEMA)
        found = dict(schema.execute(f"SELECT upper(name), id FROM {table}").fetchall())
    assert {code.name: int(code) for code in words} == found


def test_sql_spells_codes_as_words() -> None:
    """kind = @LOAD, not kind = 2."""
    paths = sorted(Path(codes.__file__).parent.rglob("sql_*.py"))
    assert paths != []
    for path in paths:
        assert re.findall(r"\b(?:kind|source) *(?:=|<>|(?:NOT )?IN *\() *[0-9]", path.read_text()) == [], path


def test_weights_of_nothing(tmp_path: Path) -> None:
    path = database(serial_init().write(tmp_path / "absurd"), "UPDATE sample SET weight = 0 WHERE id > 3")
    for options in (["--full"], ["--html", str(tmp_path / "page.html")], ["--json", "-"]):
        done = reports("report", path, *options)
        assert done.returncode in (0, EXIT_FAILED), done.stderr
        assert "Traceback" not in done.stderr
