# SPDX-License-Identifier: Apache-2.0
"""results.tsv: a row for each program, with its day; the numbers of docs/corpus.md are the sums of these rows."""

from __future__ import annotations

import shutil
from pathlib import Path

from run import HERE, TREE, points, read_rows, renew, sources, summary, write_rows

RESULTS = HERE / "results.tsv"


def test_each_program_has_a_row() -> None:
    assert [row.program for row in read_rows(RESULTS)] == sorted(source.name for source in sources())


def test_the_document_has_the_sums_of_the_rows() -> None:
    text = (TREE / "docs" / "corpus.md").read_text()
    for line in summary(read_rows(RESULTS)):
        assert f"- {line}\n" in text


def test_a_file_of_rows_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_rows(tmp_path / "copy.tsv", read_rows(RESULTS))
    assert (tmp_path / "copy.tsv").read_text() == RESULTS.read_text()


def test_a_program_that_is_measured_again_renews_its_row_alone(tmp_path: Path) -> None:
    shutil.copy(RESULTS, tmp_path / "results.tsv")
    first, *others = read_rows(RESULTS)
    newer = first._replace(came="1 %", measured="2030-01-02")
    assert first.came != newer.came
    renew(tmp_path / "results.tsv", [newer])
    assert read_rows(tmp_path / "results.tsv") == [newer, *others]


def test_shares_are_read_as_points() -> None:
    assert [points(cell) for cell in ("94 %", "-7 %", "n/a", "-")] == [94, -7, None, None]
