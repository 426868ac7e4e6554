# SPDX-License-Identifier: Apache-2.0
"""The table of docs/corpus.md: a row for each program, each with its day, and sums that are those of the rows."""

from __future__ import annotations

from run import TREE, points, renewed, rows_of, sources

DOCUMENT = TREE / "docs" / "corpus.md"


def judged() -> str:
    text = DOCUMENT.read_text()
    return text[text.index("<!-- table -->") : text.index("<!-- end -->")]


def test_each_program_has_a_row() -> None:
    programs = sorted(source.name for source in sources())
    assert [row.program.strip("`") for row in rows_of(judged())] == programs


def test_sums_are_those_of_the_rows() -> None:
    assert renewed(DOCUMENT.read_text(), []) == DOCUMENT.read_text()


def test_a_program_that_is_measured_again_renews_its_row_alone() -> None:
    (first, *others) = rows_of(judged())
    newer = first._replace(came="1 %", measured="2030-01-02")
    assert first.came != newer.came
    text = renewed(DOCUMENT.read_text(), [newer])
    assert rows_of(text[text.index("<!-- table -->") :]) == [newer, *others]


def test_shares_are_read_as_points() -> None:
    assert [points(cell) for cell in ("94 %", "-7 %", "n/a", "-")] == [94, -7, None, None]
