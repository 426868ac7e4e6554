# SPDX-License-Identifier: Apache-2.0
"""make install and make static: what they made works elsewhere, with the tree out of sight, and goes away again."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from conftest import TREE, build_c
from test_docs import links

THREADS = """
#include <pthread.h>
static void *rest(void *unused) { return unused; }
int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, 0, rest, 0) || pthread_join(thread, 0);
}
"""


def make(*words: str) -> None:
    done = subprocess.run(["make", "-C", TREE, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def without_the_tree(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """In `folder`, with an empty environment, and an empty folder mounted over the tree."""
    hide = f"mount -t tmpfs none '{TREE}' && cd '{folder}' && exec env -i PATH=/usr/bin:/bin \"$@\""
    words = ["unshare", "-m", "sh", "-c", hide, "sh", *map(str, command)]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("target")
    (folder / "threads.c").write_text(THREADS)
    return build_c(folder / "threads", str(folder / "threads.c"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    make("install", f"DESTDIR={folder}", "PREFIX=/opt/numaprof")
    return folder


def threads_pinned(recording: Path) -> int:
    """By the preload library: nothing else pins."""
    with closing(sqlite3.connect(recording)) as connection, connection:
        return int(connection.execute("SELECT count(*) FROM thread WHERE pin = 'planned'").fetchone()[0])


@pytest.mark.requires("mounts", "perf_event", "gcc")
def test_installed_it_records_and_reports(installed: Path, target: Path, tmp_path: Path) -> None:
    program = installed / "opt/numaprof/bin/numaprof"
    done = without_the_tree(tmp_path, program, "-o", "x.numaprof", target)
    assert done.returncode == 0, done.stderr
    assert "REMOTE" in done.stdout
    assert threads_pinned(tmp_path / "x.numaprof") >= 1
    again = without_the_tree(tmp_path, program, "report", "x.numaprof")
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.requires("mounts")
def test_installed_it_says_where_the_lab_is(installed: Path, tmp_path: Path) -> None:
    done = without_the_tree(tmp_path, installed / "opt/numaprof/bin/numaprof", "lab", "--", "true")
    assert done.returncode == 125
    assert "source tree" in done.stderr


def test_links_of_installed_pages_lead_somewhere(installed: Path) -> None:
    folder = installed / "opt/numaprof/share/doc/numaprof"
    pages = sorted(folder.rglob("*.md"))
    assert {folder / "README.md", folder / "docs/dev/architecture.md"} <= set(pages)
    found = [(page, link) for page in pages for link in links(page)]
    assert (folder / "README.md", "docs/pictures/overview.svg") in found
    assert [(page.name, link) for page, link in found if not (page.parent / link).exists()] == []


def test_uninstall_leaves_nothing(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed, tmp_path / "copy", symlinks=True)
    make("uninstall", f"DESTDIR={tmp_path / 'copy'}", "PREFIX=/opt/numaprof")
    assert [path for path in (tmp_path / "copy").rglob("*") if not path.is_dir()] == []


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with (TREE / "build" / ".static.lock").open("w") as lock:  # another worker may need the same build
        fcntl.flock(lock, fcntl.LOCK_EX)
        make("static")
    return Path(shutil.copy(TREE / "build" / "static" / "numaprof", tmp_path_factory.mktemp("static") / "numaprof"))


def test_static_needs_no_library(static: Path) -> None:
    headers = subprocess.run(["readelf", "-lW", static], capture_output=True, text=True, check=True)
    assert "INTERP" not in headers.stdout
    assert "DYNAMIC" not in headers.stdout


@pytest.mark.requires("mounts", "perf_event", "gcc")
def test_static_alone_it_records_and_says_where_to_read(static: Path, target: Path, tmp_path: Path) -> None:
    done = without_the_tree(tmp_path, static, "-o", "x.numaprof", target)
    assert done.returncode == 0, done.stderr
    assert "numaprof-reports cannot be started here: No such file or directory" in done.stderr
    assert "read it on a machine with numaprof's Python part" in done.stderr
    assert threads_pinned(tmp_path / "x.numaprof") >= 1
    assert "not pinned" not in done.stderr
    assert sorted(path.name for path in static.parent.iterdir()) == ["numaprof"]


@pytest.mark.requires("mounts", "perf_event", "gcc")
def test_static_works_where_there_is_nothing_else(static: Path, tmp_path: Path) -> None:
    """A folder as root directory with the program, a static target, and /proc."""
    (tmp_path / "exit.c").write_text("int main(void) { return 7; }\n")
    build_c(tmp_path / "exit", "-static", str(tmp_path / "exit.c"))
    shutil.copy(static, tmp_path / "numaprof")
    for folder in ("proc", "sys"):
        (tmp_path / folder).mkdir()
    inside = f"mount --rbind /proc '{tmp_path}/proc' && exec chroot '{tmp_path}' /numaprof record -o /x.numaprof /exit"
    words = ["unshare", "-m", "sh", "-c", inside]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 7, done.stderr
    assert (tmp_path / "x.numaprof").stat().st_size > 0
