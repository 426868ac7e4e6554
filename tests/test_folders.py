# SPDX-License-Identifier: Apache-2.0
"""Source folders stay small enough to read as a list: one that grows beyond that is divided."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from pathlib import PurePath

import pytest
from conftest import TREE

MOST = 17  # what the largest held when the limit was set
SOURCES = ("core", "collectors", "profiler", "reports/numaprof", "lab")


@pytest.mark.requires("git")
def test_no_source_folder_holds_too_many_file_units() -> None:
    """Counts units of C and Python in the folder itself: .c and .h of one name are one unit, __init__.py is none.
    Files of other kinds (HTML templates, tables of the catalogue) are not counted, nor is what lies in folders below.
    """
    command = ["git", "ls-files", *SOURCES]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=TREE).stdout.splitlines()
    units: dict[PurePath, set[str]] = defaultdict(set)
    for path in map(PurePath, listed):
        if path.suffix in (".c", ".h", ".py") and path.name != "__init__.py":
            units[path.parent].add(path.stem)
    assert {source for source in SOURCES if any(folder.is_relative_to(source) for folder in units)} == set(SOURCES)
    assert {str(folder): len(names) for folder, names in units.items() if len(names) > MOST} == {}
