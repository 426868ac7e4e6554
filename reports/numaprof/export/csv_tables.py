# SPDX-License-Identifier: Apache-2.0
"""The document as tables: one file for each list in it, and one, report.csv, for all that is single.

Rows of a list inside a list carry the identity of what they belong to: its `id`, else its position. A table without
rows has its head.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from numaprof.model.fields import parts

SINGLE = "report"


@dataclass(frozen=True)
class Table:
    columns: tuple[str, ...]
    rows: list[tuple[object, ...]] = field(default_factory=list)


Tables = dict[str, Table]


def tables(document: object) -> Tables:
    found: Tables = {SINGLE: Table(("name", "value"))}
    _single(document, type(document), "", found)
    return found


def _single(value: object, kind: Any, prefix: str, found: Tables) -> None:
    for part in parts(kind):
        item, name = getattr(value, part.name, None), prefix + part.name
        if part.row is None:
            found[SINGLE].rows.append((name, _cell(item)))
        elif part.many:
            _list(found, part.row, Where(name), item or ())
        else:
            _single(item, part.row, name + ".", found)


@dataclass(frozen=True)
class Where:
    """A list in the document: its name, and what it belongs to, if it stands in rows of another."""

    name: str
    owners: tuple[str, ...] = ()
    keys: tuple[object, ...] = ()

    def inside(self, name: str, key: tuple[object, ...] = ()) -> Where:
        owner = "of_" + self.name.rpartition(".")[2].rstrip("s")
        return Where(f"{self.name}.{name}", (*self.owners, owner), (*self.keys, *key))


def _list(found: Tables, kind: Any, where: Where, rows: tuple[Any, ...]) -> None:
    columns = [column for column, _ in _plain(None, kind)]
    table = found.setdefault(where.name, Table((*where.owners, *columns)))
    lists = [part for part in parts(kind) if part.many and part.row is not None]
    for part in lists:
        _list(found, part.row, where.inside(part.name), ())
    for number, row in enumerate(rows):
        table.rows.append((*where.keys, *(_cell(value) for _, value in _plain(row, kind))))
        for part in lists:
            inside = where.inside(part.name, (getattr(row, "id", number),))
            _list(found, part.row, inside, getattr(row, part.name))


def _plain(row: object, kind: Any, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Columns and values; a row within a row adds its columns under its name."""
    for part in parts(kind):
        value = getattr(row, part.name, None)
        if part.row is None:
            yield prefix + part.name, value
        elif not part.many:
            yield from _plain(value, part.row, f"{prefix}{part.name}_")


def _cell(value: object) -> object:
    """Lists of plain values are joined by spaces. A spreadsheet must not take a name for a formula."""
    if isinstance(value, tuple):
        value = " ".join("" if item is None else str(item) for item in value)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@"):
        return "'" + value
    return value


def csv_files(document: object) -> Iterator[tuple[str, bytes]]:
    """Names and contents."""
    for name, table in tables(document).items():
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(table.columns)
        writer.writerows(table.rows)
        yield f"{name}.csv", text.getvalue().encode("utf-8")
