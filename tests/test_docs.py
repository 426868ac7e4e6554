# SPDX-License-Identifier: Apache-2.0
"""What the documentation points to is there, and every page is found from the index."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import TREE

LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
ROOMS = "core|collectors|profiler|reports|lab|tests|docs|mk"
NAMED = re.compile(rf"(?<![\w./$-])(?:{ROOMS})/[\w./-]*\.(?:c|h|py|sql|md|txt)\b")
STANDS_FOR_A_NAME = re.compile(r"(?<![A-Za-z])(?:NAME|COMMAND|FORMAT|KIND|MACHINE)(?![A-Za-z])")
DOCS = TREE / "docs"


def pages() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True, cwd=TREE).stdout
    return [TREE / line for line in listed.splitlines()]


def links(page: Path) -> list[str]:
    """Of the text, not of code."""
    text = re.sub(r"```.*?```|^    .*?$|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [match[1] for match in LINK.finditer(text) if "://" not in match[1]]


def index() -> Path:
    return DOCS / "README.md"


@pytest.mark.requires("git")
def test_the_first_screen_that_is_explained_is_what_is_printed() -> None:
    printed = (TREE / "tests" / "golden" / "report" / "first" / "serial_init.txt").read_text()
    assert printed in (DOCS / "reading-a-report.md").read_text()


def test_the_tutorial_shows_the_first_screen_of_the_readme() -> None:
    readme = (TREE / "README.md").read_text()
    screen = readme[readme.index("    EMULATED machine") : readme.index("    $ numaprof diff")]
    assert "\n    REMOTE " in screen and screen in (DOCS / "getting-started.md").read_text()


def test_every_link_leads_somewhere() -> None:
    broken = [
        f"{page.relative_to(TREE)}: {link}"
        for page in pages()
        for link in links(page)
        if not (page.parent / link).exists()
    ]
    assert broken == []


@pytest.mark.requires("git")
def test_every_file_that_a_comment_or_a_page_names_is_there() -> None:
    """By its path in the tree, or beside the file that names it. Kernel files and build/ begin otherwise."""
    kinds = ["*.c", "*.h", "*.py", "*.sql", "*.md", "*.mk", "Makefile"]
    listed = subprocess.run(["git", "ls-files", *kinds], capture_output=True, text=True, check=True, cwd=TREE).stdout
    gone = [
        f"{name}: {path}"
        for name in listed.split()
        for path in NAMED.findall((TREE / name).read_text(errors="replace"))
        if not STANDS_FOR_A_NAME.search(path)
        and not any((folder / path).exists() for folder in (TREE, (TREE / name).parent))
    ]
    assert gone == []


def test_every_page_is_in_the_index() -> None:
    found = {(DOCS / link).resolve() for link in links(index())}
    assert {page.resolve() for page in DOCS.rglob("*.md")} - {index()} <= found


def test_the_readme_leads_to_the_index_and_the_changes() -> None:
    assert {"docs/README.md", "docs/dev/architecture.md", "CHANGELOG.md"} <= set(links(TREE / "README.md"))


def test_commands_of_the_readme_exist() -> None:
    text = (TREE / "README.md").read_text() + (DOCS / "README.md").read_text()
    targets = set(re.findall(r"\bmake ([a-z]+)\b", text))
    told = subprocess.run(["make", "-C", TREE, "help"], capture_output=True, text=True, check=True).stdout
    assert targets <= set(re.findall(r"make ([a-z-]+)", told))


def table_of_tests() -> list[tuple[list[str], list[str]]]:
    """tests/README.md: source folders or files, and their tests."""
    rows = re.findall(r"^\| (`[^|]+`) \| (`[^|]+`) \|$", (TREE / "tests" / "README.md").read_text(), re.MULTILINE)
    return [(re.findall(r"`([^`]+)`", sources), re.findall(r"`([^`]+)`", tests)) for sources, tests in rows]


@pytest.mark.requires("git")
def test_the_table_of_tests_has_every_source_file_and_every_test() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True, cwd=TREE).stdout.split(
        "\n"
    )
    rooms = tuple(source for sources, _ in table_of_tests() for source in sources)
    sources = [name for name in listed if re.match(r"(core|collectors|profiler|reports/numaprof/\w+|lab/\w+)/", name)]
    assert [name for name in sources if not name.startswith(rooms)] == []
    named = {f"tests/{test}" for _, tests in table_of_tests() for test in tests}
    there = {name for name in listed if re.search(r"^tests/(\w+/)?test_\w+\.(py|c)$", name)}
    assert named == there
