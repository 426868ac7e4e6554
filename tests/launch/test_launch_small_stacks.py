# SPDX-License-Identifier: Apache-2.0
"""What the preload library needs of the program's stacks, and what numaprof needs of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM, TREE
from running import rows, run, run_command, target

pytestmark = [pytest.mark.requires("gcc")]

LEAST = 16384  # PTHREAD_STACK_MIN on x86-64 and arm64
ALTERNATE = 8192  # SIGSTKSZ
MOST_MORE = 6144  # docs/dev/hostile.md states it
ACTIONS = ("nothing", "malloc", "map", "execve", "execvp", "vfork", "fork", "spawn", "spawnp", "affinity")


def _used(text: str) -> dict[str, int]:
    return {name: int(used) for name, used in (line.split(": ") for line in text.splitlines())}


def test_a_thread_with_the_smallest_stack_does_what_it_does_alone(tmp_path: Path) -> None:
    ended = run("record", "-q", "-o", tmp_path / "r", target("small_stack"), LEAST, *ACTIONS)
    assert (ended.status, ended.err) == (0, "")
    assert list(_used(ended.out)) == list(ACTIONS)
    assert rows(tmp_path / "r", "SELECT count(*) FROM process WHERE followed = 'preload'") == [5]


def test_a_handler_on_an_alternate_stack_does_what_it_does_alone(tmp_path: Path) -> None:
    actions = [f"{name}@signal" for name in ACTIONS]
    alone = run_command(target("small_stack"), ALTERNATE, *actions)
    ended = run("record", "-q", "-o", tmp_path / "r", target("small_stack"), ALTERNATE, *actions)
    assert (alone.status, ended.status, ended.err) == (0, 0, "")


@pytest.mark.parametrize("where", ["", "@signal"], ids=["thread", "signal"])
def test_the_stack_that_the_library_needs_is_what_the_docs_say(where: str, tmp_path: Path) -> None:
    actions = [f"{name}{where}" for name in ACTIONS]
    alone = _used(run_command(target("small_stack"), 65536, *actions).out)
    recorded = _used(run("record", "-q", "-o", tmp_path / "r", target("small_stack"), 65536, *actions).out)
    more = {name: recorded[name] - alone[name] for name in actions}
    assert max(more.values()) <= MOST_MORE, more
    assert f"{MOST_MORE // 1024} KiB" in (TREE / "docs" / "dev" / "hostile.md").read_text()


@pytest.mark.parametrize("kib", [96, 128])
@pytest.mark.parametrize(
    "words", ["record -q -o r true", "record -q -o r {touch} 2 64", "doctor", "topology", "events"]
)
def test_a_limit_for_the_stack(words: str, kib: int, tmp_path: Path) -> None:
    command = f'ulimit -s {kib}; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", command, "sh", PROGRAM, *words.format(touch=target("touch")).split()],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
