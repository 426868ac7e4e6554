# SPDX-License-Identifier: Apache-2.0
"""Who may import whom in the reports: documents are made from evidence, and renderers show documents."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import TREE

ROOM = TREE / "reports" / "numaprof"
MADE_FROM = {"evidence", "analysis", "placement", "source", "recording", "fixes", "compare", "experiments", "document"}


def imported(file: Path) -> Iterator[str]:
    """The rooms of the package that a module imports from."""
    for node in ast.walk(ast.parse(file.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            names = [node.module or ""]
        yield from (name.split(".")[1] for name in names if name.startswith("numaprof."))


def modules(*rooms: str) -> list[str]:
    assert all((ROOM / room).is_dir() for room in rooms), "a room of this test is gone: name the one that replaced it"
    return sorted(str(file.relative_to(ROOM)) for room in rooms for file in (ROOM / room).rglob("*.py"))


@pytest.mark.parametrize("module", modules("terminal", "page", "export"))
def test_renderers_import_the_model_only(module: str) -> None:
    assert not MADE_FROM & set(imported(ROOM / module))


SOURCES = (
    "evidence",
    "analysis",
    "placement",
    "source",
    "recording",
    "model",
    "fixes",
    "compare",
    "experiments",
    "text",
)


@pytest.mark.parametrize("module", modules(*SOURCES))
def test_what_documents_are_made_from_knows_no_renderer(module: str) -> None:
    assert not {"terminal", "page", "export", "commands", "document"} & set(imported(ROOM / module))
