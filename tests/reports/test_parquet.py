# SPDX-License-Identifier: Apache-2.0
"""Recordings as Parquet tables, read by the tools they are for."""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from conftest import TREE
from jobs import job_directory, job_of
from scenarios import faults_only, serial_init
from test_report_recording import reports

pytestmark = pytest.mark.requires("pyarrow")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job of eight ranks, a recording of no rank without counters, and a damaged one."""
    folder = tmp_path_factory.mktemp("parquet")
    job_directory(folder / "job", [0, 4], size=8)
    faults_only().write(folder / "alone.numaprof")
    (folder / "job" / "bad.numaprof").write_text("junk")
    done = reports("export", "--format", "parquet", "-o", "runs", "job", "alone.numaprof", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "left out: bad.numaprof: is not a recording of numaprof" in done.stderr
    assert "wrote 9 recordings to runs" in done.stderr
    assert sorted(os.listdir(folder / "runs")) == [
        f"{table}.parquet" for table in ("advice", "host_nodes", "objects", "recordings")
    ]
    return folder


@pytest.mark.requires("duckdb")
def test_duckdb_reads_it(dataset: Path) -> None:
    duckdb: Any = import_module("duckdb")
    table = dataset / "runs"

    def ask(question: str) -> list[Any]:
        found: list[Any] = duckdb.sql(question.format(runs=table)).fetchall()
        return found

    ((share,),) = ask("SELECT sum(share_remote) / sum(share_total) FROM '{runs}/recordings.parquet' WHERE number >= 0")
    assert share == pytest.approx(job_of(dataset / "job").verdict.remote_share)
    assert ask("SELECT number FROM '{runs}/recordings.parquet' WHERE share_judgement = 'heavy' ORDER BY 1") == [
        (0,),
        (4,),
    ]
    joined = """SELECT r.number, a.place FROM '{runs}/advice.parquet' a JOIN '{runs}/recordings.parquet' r
                 USING (host_name, started_at, pid, recording)
                WHERE a.kind = 'fix' AND r.number IS NOT NULL ORDER BY 1"""
    assert ask(joined) == [(0, "sum.c:17 main"), (4, "sum.c:17 main")]
    example = re.search(r'duckdb -c "(.*?)"', (TREE / "docs/exports.md").read_text(), re.DOTALL)
    assert example is not None
    assert len(ask(example.group(1).replace("'runs/", "'{runs}/"))) == 2  # hosts


@pytest.mark.requires("polars")
def test_polars_reads_it_and_finds_null_for_what_is_not_known(dataset: Path) -> None:
    polars: Any = import_module("polars")
    rows = polars.read_parquet(dataset / "runs" / "recordings.parquet")
    alone = rows.filter(polars.col("recording") == "alone.numaprof").to_dicts()[0]
    for name in ("number", "job", "share_remote", "share_total", "share_lowest", "share_coverage", "binding_cpus"):
        assert alone[name] is None, name
    assert alone["share_judgement"] == "unknown" and alone["complete"] is True
    assert rows.schema["started_at"] == polars.String and rows.schema["share_remote"] == polars.Float64
    assert rows.schema["binding_cpu_nodes"] == polars.List(polars.Int64)


def test_every_column_is_documented() -> None:
    schemas = import_module("numaprof.export.parquet").dataset_schemas()
    text = (TREE / "docs/exports.md").read_text().partition("## Many recordings as tables")[2]
    documented = set(re.findall(r"`([a-z_]+)`", text))
    columns = {field.name for schema in schemas.values() for field in schema}
    assert columns <= documented
    assert {name for name in documented if name.startswith(("share_", "host_", "binding_"))} <= columns | {"host_nodes"}


def test_a_summary_without_lists_makes_empty_tables(tmp_path: Path) -> None:
    job_directory(tmp_path / "job", [], size=1)
    assert reports("export", "--format", "parquet", "-o", "runs", "job", cwd=tmp_path).returncode == 0
    files: Any = import_module("pyarrow.parquet")
    schemas = import_module("numaprof.export.parquet").dataset_schemas()
    for table, schema in schemas.items():
        assert files.read_table(tmp_path / "runs" / f"{table}.parquet").schema.equals(schema)


@pytest.mark.parametrize(
    "words,why",
    [
        (("--format", "parquet", "x.numaprof"), "required: -o"),
        (("--format", "parquet", "-o", "x.numaprof", "x.numaprof"), "is not a folder"),
        (("--format", "pprof", "x.numaprof", "x.numaprof"), "pprof takes one recording, got 2"),
        (("--format", "parquet", "-o", "runs", "none.numaprof"), "no recording that can be read"),
    ],
)
def test_bad_arguments(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    serial_init().write(tmp_path / "x.numaprof")
    done = reports("export", *words, cwd=tmp_path)
    assert done.returncode == 125 and why in done.stderr
    assert not (tmp_path / "runs").exists()


def test_without_pyarrow_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numaprof.commands.cli import run  # noqa: PLC0415

    path = serial_init().write(tmp_path / "x.numaprof")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "numaprof.export.parquet", raising=False)
    assert run(["export", "--format", "parquet", "-o", str(tmp_path / "runs"), str(path)]) == 125
