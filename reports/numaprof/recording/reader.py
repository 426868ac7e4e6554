# SPDX-License-Identifier: Apache-2.0
"""Opens a recording for reading, and says in one line what is wrong with a file that is none. The only user of SQLite.

What is asked of it stands in the modules sql_*.py beside this one.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import struct
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from numaprof.recording.codes import PARAMETERS
from numaprof.recording.commit import finished_commit, restored_copy
from numaprof.recording.sql.sql_run import TABLES, Tables
from numaprof.text.format import clean, shell_path
from numaprof.text.messages import Failure
from numaprof.text.regular_file import open_regular

APPLICATION_ID = 0x4E554D41  # core/recording/schema.sql
NEWEST_VERSION = 1

# Offsets in the first 100 bytes: sqlite.org, "Database File Format", 1.3.
_HEADER = struct.Struct(">16sH6xII28xI4xI20xII")
_MAGIC = b"SQLite format 3\0"
_PERF_DATA = (b"PERFILE2", b"2ELIFREP")  # of either byte order

# The longest query over a recording of a million samples takes 21 M steps of SQLite's machine, half a step for each
# byte of the file, and no query takes more than in proportion to the recording (tests/growth/). One that takes forty
# times as many is over tables made to keep it busy.
STEPS_AT_ONCE = 1_000_000
STEPS_AT_LEAST = 500
STEPS_PER_BYTE = 20

Row = TypeVar("Row", bound=NamedTuple)


class Header(NamedTuple):
    magic: bytes
    page_bytes: int
    changes: int
    pages: int
    user_version: int
    application_id: int
    valid_for: int
    sqlite_version: int


class Recording:
    """An open recording. Rows come back as the NamedTuple the caller names; its annotations are checked."""

    def __init__(self, path: str) -> None:
        self.path = path
        _check_file(path)
        self._steps_left = self._steps = STEPS_AT_LEAST + STEPS_PER_BYTE * os.stat(path).st_size // STEPS_AT_ONCE
        self._connection = _connect(path, self._out_of_steps)
        self._connection.text_factory = _decode

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self, row: type[Row], sql: str, **values: object) -> list[Row]:
        kinds, found = _column_kinds(row), self._execute(sql, values)
        # Most rows have the same few combinations of types: each is checked once.
        seen = {tuple(map(type, cells)): cells for cells in found}
        if any(bytes in signature for signature in seen):
            return [row(*_checked(self.path, cells, kinds)) for cells in found]
        for cells in seen.values():
            _checked(self.path, cells, kinds)
        return list(map(row._make, found))

    def one(self, row: type[Row], sql: str, **values: object) -> Row:
        found = self.rows(row, sql, **values)
        if not found:
            raise Failure(
                f"{self.path} holds no run: the recorder ended before the program was started",
                "record again",
            )
        return found[0]

    def has_table(self, name: str) -> bool:
        return bool(self.one(Tables, TABLES, name=name).found)

    def rows_if(self, table: str, row: type[Row], sql: str) -> list[Row]:
        """Rows of a query that needs a table; none if the recording lacks the table."""
        return self.rows(row, sql) if self.has_table(table) else []

    def run(self, *steps: str, **values: object) -> None:
        """Steps that make temporary tables."""
        for sql in steps:
            self._execute(sql, values)

    def _out_of_steps(self) -> bool:
        self._steps_left -= 1
        return self._steps_left < 0

    def _execute(self, sql: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        self._steps_left = self._steps
        try:
            return self._connection.execute(sql, {**PARAMETERS, **values}).fetchall()
        except (sqlite3.Error, OverflowError, MemoryError, UnicodeError) as error:
            if self._steps_left < 0:
                raise Failure(
                    f"{self.path}: a query was ended after {self._steps} M steps, too many for a file of this size",
                    "record again; do not trust the file if a stranger made it",
                ) from error
            raise _damaged(self.path, error) from error


def _decode(text: bytes) -> str:
    # Names are raw bytes: what is not UTF-8 becomes \xNN, as core/text/diag.c shows it.
    return text.decode("utf-8", "backslashreplace")


def _damaged(path: str, error: BaseException) -> Failure:
    return Failure(f"{path} is damaged or was not written by numaprof ({error})", "record again, or copy it again")


# How the answers in sql_*.py write the types of their columns.
_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "str": (str,),
    "float": (float, int),
    "int | None": (int, type(None)),
    "str | None": (str, type(None)),
    "float | None": (float, int, type(None)),
}


def _column_kinds(row: type[Any]) -> list[tuple[type, ...]]:
    # NamedTuple keeps annotations as unevaluated references; Python 3.9 could not evaluate "int | None".
    return [_KINDS[str(getattr(hint, "__forward_arg__", hint))] for hint in row.__annotations__.values()]


def _checked(path: str, cells: tuple[Any, ...], kinds: list[tuple[type, ...]]) -> tuple[Any, ...]:
    # SQLite's columns hold whatever was put there; a text where a number belongs is damage, and a blob is a text.
    values = tuple(_decode(cell) if isinstance(cell, bytes) else cell for cell in cells)
    for value, kind in zip(values, kinds):
        if not isinstance(value, kind):
            raise _damaged(path, ValueError(f"{value!r} where {kind[0].__name__} belongs"))
    return values


def _check_file(path: str) -> None:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            inside = [clean(name) for name in os.listdir(path) if name.endswith(".numaprof")]
            example = min(inside, default="PROGRAM.PID.numaprof")
            raise Failure(f"{path} is a directory", f"name a recording in it, e.g. {example}")
        if not stat.S_ISREG(mode):
            raise Failure(f"{path} is not a regular file", "copy the recording to a file first")
        with open_regular(path) as file:
            _check_header(path, file.read(_HEADER.size), os.fstat(file.fileno()).st_size)
    except OSError as error:
        remedy = "see what is there with ls -l" if isinstance(error, FileNotFoundError) else "see its permissions"
        raise Failure(f"cannot read {path}: {error.strerror}", remedy) from error
    except ValueError as error:  # a NUL in the name
        raise Failure(f"cannot read {path}: {error}") from error


def _check_header(path: str, start: bytes, size: int) -> None:
    if size == 0:
        raise Failure(f"{path} is empty: the recorder ended before it wrote anything", "record again")
    if start.startswith(_PERF_DATA):
        raise Failure(
            f"{path} is not a recording of numaprof, but a file of perf record", f"numaprof import {shell_path(path)}"
        )
    if not start.startswith(_MAGIC[: len(start)]):
        raise Failure(f"{path} is not a recording of numaprof", "give a file that numaprof record has written")
    if len(start) < _HEADER.size:
        raise Failure(f"{path} is cut off after {size} bytes", "copy it again")
    header = Header(*_HEADER.unpack(start))
    if header.application_id != APPLICATION_ID:
        raise Failure(f"{path} is a database, but not a recording of numaprof", "give a file of numaprof record")
    if header.user_version > NEWEST_VERSION:
        raise Failure(
            f"{path} has recording version {header.user_version}, this numaprof reads up to {NEWEST_VERSION}",
            "update numaprof",
        )
    # SQLite stores 65536 as 1.
    needed = header.pages * (65536 if header.page_bytes == 1 else header.page_bytes)
    if header.changes == header.valid_for and size < needed:
        raise Failure(f"{path} is cut off: {size} bytes of {needed}", "copy it again")


def _connect(path: str, out_of_steps: Callable[[], bool]) -> sqlite3.Connection:
    try:
        commit = finished_commit(path)
        if commit is None:
            return _open(path, out_of_steps)
        with restored_copy(path, commit) as copy:
            return _open(copy, out_of_steps)
    except (sqlite3.Error, OSError, UnicodeError) as error:  # SQLite's own message may hold damaged text
        if isinstance(error, OSError) and error.errno is not None:
            cause = f"cannot copy {path} to a temporary file, to put its last commit into place: {error.strerror}"
            raise Failure(cause, "set TMPDIR to a folder with room") from error
        raise _damaged(path, error) from error


def _open(path: str, out_of_steps: Callable[[], bool]) -> sqlite3.Connection:
    # immutable: no locks, no side files: works in a read-only folder and where the file system cannot lock.
    name = os.fsencode(os.path.abspath(path))
    uri = "file:" + "".join(f"%{byte:02x}" for byte in name)
    connection = sqlite3.connect(uri + "?mode=ro&immutable=1", uri=True, isolation_level=None)
    connection.set_progress_handler(out_of_steps, STEPS_AT_ONCE)
    # Not mapped: a file that another user truncates meanwhile is reported as damaged, instead of a bus error.
    for setting in ("trusted_schema = off", "temp_store = memory", "mmap_size = 0"):
        connection.execute("PRAGMA " + setting)
    # Reads the first page: fails here or never.
    foreign = connection.execute(_FOREIGN).fetchone()
    if foreign is not None:
        connection.close()
        raise Failure(f"{path} holds a {foreign[0]} ({foreign[1]}): a recording has tables only", "record again")
    return connection


# A view in the place of a table may compute for ever, and so may the expression of a generated column, in one step.
# SQLite makes what the text of an entry says, and its type and page may say otherwise; it writes the words like this.
_FOREIGN = """
SELECT CASE WHEN sql GLOB 'CREATE VIRTUAL TABLE *' THEN 'virtual table' ELSE type END, name FROM sqlite_schema
WHERE NOT (sql GLOB 'CREATE TABLE *' OR sql GLOB 'CREATE INDEX *' OR sql GLOB 'CREATE UNIQUE INDEX *')
UNION ALL
SELECT 'generated column', s.name || '.' || x.name FROM sqlite_schema s JOIN pragma_table_xinfo(s.name) x
WHERE s.sql GLOB 'CREATE TABLE *' AND x.hidden > 0
"""
