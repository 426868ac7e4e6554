# SPDX-License-Identifier: Apache-2.0
"""Summaries of many recordings as tables in Parquet files, for DuckDB, Polars, Spark. The only user of pyarrow.

The columns are the fields of RankSummary, those of parts with the part's name in front. What is not known is null.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from numaprof.model.fields import Part, parts
from numaprof.model.json_schema import explained
from numaprof.model.rank_model import RankSummary
from numaprof.text.messages import Failure

try:
    arrow: Any = import_module("pyarrow")
    files: Any = import_module("pyarrow.parquet")
except ImportError:
    raise Failure("parquet needs the Python package pyarrow", "pip install pyarrow") from None

# What tells to which recording a row of another table belongs.
KEY = ("host_name", "started_at", "pid", "recording")
MAIN = "recordings"


def dataset(summaries: Sequence[RankSummary]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of one file for each table."""
    rows = {MAIN: [dict(_values(RankSummary, each)) for each in summaries]}
    for table, path, part in _lists(RankSummary):
        rows[table] = [
            {**{key: main[key] for key in KEY}, **dict(_values(part.row, item))}
            for main, each in zip(rows[MAIN], summaries)
            for item in _at(each, path)
        ]
    schemas = dataset_schemas()
    for table, found in rows.items():
        made = arrow.BufferOutputStream()
        files.write_table(arrow.Table.from_pylist(found, schema=schemas[table]), made)
        yield f"{table}.parquet", made.getvalue().to_pybytes()


def dataset_schemas() -> dict[str, Any]:
    """Columns of each table, with their descriptions as metadata."""
    main = list(_columns(RankSummary))
    by_name = {field.name: field for field in main}
    found = {MAIN: arrow.schema(main)}
    for table, _, part in _lists(RankSummary):
        found[table] = arrow.schema([*(by_name[key] for key in KEY), *_columns(part.row)])
    return found


def _columns(kind: Any, prefix: str = "") -> Iterator[Any]:
    texts = explained(kind)[1]
    for part in parts(kind):
        if part.row is None:
            about = {"description": texts.get(part.name, {}).get("description", "")}
            yield arrow.field(prefix + part.name, _type(part.note), metadata=about)
        elif not part.many:
            yield from _columns(part.row, f"{prefix}{part.name}_")


def _type(note: str) -> Any:
    plain = note.replace(" | None", "")
    if plain.startswith("tuple["):
        return arrow.list_(_type(plain[len("tuple[") :].partition(",")[0]))
    kinds = {"int": arrow.int64(), "float": arrow.float64(), "bool": arrow.bool_()}
    return kinds.get(plain, arrow.string())


def _values(kind: Any, value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for part in parts(kind):
        found = getattr(value, part.name)
        if part.row is None:
            yield prefix + part.name, list(found) if isinstance(found, tuple) else found
        elif not part.many:
            yield from _values(part.row, found, f"{prefix}{part.name}_")


def _lists(kind: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...], Part]]:
    """Lists of rows anywhere below: name of the table, where they are, and what their rows are."""
    for part in parts(kind):
        here = (*path, part.name)
        if part.many and part.row is not None:
            yield "_".join(here), here, part
        elif part.row is not None:
            yield from _lists(part.row, here)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = getattr(value, name)
    return value
