# SPDX-License-Identifier: Apache-2.0
"""All attacks, each a few times; `make hostile` tries more, from a seed of its own (docs/dev/hostile.md)."""

from __future__ import annotations

import random
import shutil
import traceback
from pathlib import Path
from typing import Callable

import pytest
from conftest import REQUIREMENTS, TREE
from hostile import attacks_on_commands, attacks_on_files, attacks_on_processes, attacks_on_programs
from hostile.kinds import Kind, attempts, seed_of_this_run

KINDS = (
    *attacks_on_processes.KINDS,
    *attacks_on_programs.KINDS,
    *attacks_on_files.KINDS,
    *attacks_on_commands.KINDS,
)


@pytest.mark.timeout(1800)
@pytest.mark.requires("gcc")
@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.name) for kind in KINDS])
def test_what_was_promised_holds(kind: Kind, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    lacking = [word for word in kind.requires if not REQUIREMENTS[word]()]
    if lacking:
        pytest.skip(f"needs {', '.join(lacking)}, which this machine does not have")
    tried, fell = attempts(kind), []
    for attempt in range(tried):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        folder.chmod(0o777)
        seed = f"{seed_of_this_run()} {kind.name} {attempt}"
        try:
            kind.attack(random.Random(seed), folder)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            fell.append(f"attempt {attempt}, {where.name}:{where.lineno}: {error}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    record_property("hostile", (kind.name, kind.promise, tried, tried - len(fell)))
    assert not fell, f"HOSTILE_SEED={seed_of_this_run()}\n" + "\n".join(fell)


def test_the_docs_have_every_promise() -> None:
    text = " ".join((TREE / "docs" / "dev" / "hostile.md").read_text().split())
    assert [kind.name for kind in KINDS if f"| {kind.name} | {kind.promise} |" not in text] == []
