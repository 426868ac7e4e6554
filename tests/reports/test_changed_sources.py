# SPDX-License-Identifier: Apache-2.0
"""A source file that was written to after the run: its contents decide whether it is another text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from numaprof.text import source_lines

TEXT = ["int main(void)", "{", "\treturn 0;", "}"]
PAST, FUTURE = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("kept", "began", "same"),
    [
        ({1: TEXT[0], 3: TEXT[2]}, PAST, True),  # touch
        ({1: TEXT[0], 3: "\treturn 1;"}, PAST, False),
        ({1: TEXT[0], 3: "\treturn 1;"}, FUTURE, False),  # an older file was put in its place
        ({4: TEXT[3], 5: "int more;"}, PAST, False),
        ({}, PAST, False),
        ({}, FUTURE, True),
    ],
)
def test_contents_decide(
    kept: Mapping[int, str], began: str, same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "main.c"
    source.write_text("\n".join(TEXT) + "\n")
    monkeypatch.chdir(tmp_path)
    source_lines._project.cache_clear()
    try:
        assert bool(source_lines.whole("main.c", None, began, kept)) == same
    finally:
        source_lines._project.cache_clear()


def test_a_long_line_that_the_recording_cut_is_the_same(tmp_path: Path) -> None:
    source = tmp_path / "long.c"
    source.write_text("x" * 500 + "\n" + "é" * 10 + "\n")
    assert not source_lines.has_changed(str(source), PAST, {1: "x" * 400, 2: "é" * 10})
    assert source_lines.has_changed(str(source), PAST, {1: "x" * 399})
