# SPDX-License-Identifier: Apache-2.0
"""Every call that may wait is in the tables of docs/dev/waits.md, with its bound."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from conftest import TREE

CALLS = (
    *("connect", "accept", "accept4", "recv", "recvfrom", "recvmsg", "send", "sendto", "sendmsg", "flock", "lockf"),
    *("wait", "waitpid", "waitid", "wait4", "poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait"),
    *("read", "readv", "write", "writev", "open", "openat", "fopen", "popen", "fsync", "fdatasync", "system"),
    *("pthread_join", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_mutex_lock", "pthread_barrier_wait"),
    *(
        "sem_wait",
        "sem_timedwait",
        "nanosleep",
        "clock_nanosleep",
        "usleep",
        "sleep",
        "pause",
        "sched_yield",
        "mq_receive",
    ),
    *("sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend", "msgrcv", "semop"),
)
CALL = re.compile(rf"(?<![\w.>\"])({'|'.join(CALLS)})\(|\b(F_SETLKW|F_OFD_SETLKW|FUTEX_WAIT)\b")
# An open that waits for nobody.
AT_ONCE = re.compile(r"O_NONBLOCK|O_DIRECTORY|O_TMPFILE|O_EXCL")
PYTHON_CALL = re.compile(r"\.(wait|communicate|accept|recv|waitpid|waitid|sigtimedwait)\(|(select\.select)\(")
ROW = re.compile(r"^\| `(\S+)` \| (.*)$", re.MULTILINE)
CELL = re.compile(r"`(\w+)` (\d+)")


def in_tables() -> Counter[tuple[str, str]]:
    text = (TREE / "docs" / "dev" / "waits.md").read_text()
    rows = [(file, CELL.findall(rest.partition(" |")[0])) for file, rest in ROW.findall(text)]
    assert rows and all(calls for _, calls in rows)
    return Counter({(file, call): int(count) for file, calls in rows for call, count in calls})


def calls_of(file: Path) -> list[str]:
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(\\.|[^"\\\n])*"', "", file.read_text(), flags=re.DOTALL)
    found = []
    for match in CALL.finditer(text):
        call = match[1] or match[2]
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        statement = text[match.start() : text.find(";", match.start())]
        is_definition = re.fullmatch(r"[\w ]*\w[ *]+|PRELOAD_EXPORT.*", line) and not re.search(r"=|return|\(", line)
        if not is_definition and not (
            call in ("open", "openat") and "?" not in statement and AT_ONCE.search(statement)
        ):
            found.append(call)
    return found


def in_tree() -> Counter[tuple[str, str]]:
    files = [file for room in ("core", "collectors", "profiler") for file in (TREE / room).rglob("*.[ch]")]
    found = [(str(file.relative_to(TREE)), call) for file in files for call in calls_of(file)]
    for file in (TREE / "reports" / "numaprof" / "experiments").rglob("*.py"):
        found += [
            (str(file.relative_to(TREE)), first or "select") for first, _ in PYTHON_CALL.findall(file.read_text())
        ]
    return Counter(found)


def test_every_wait_has_its_row() -> None:
    assert in_tree() == in_tables()


def test_a_new_wait_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "new.c"
    file.write_text(
        "static int new_open(int fd);\n"
        "int new_read(const char *path)\n{\n    int fd = open(path, O_RDONLY | O_CLOEXEC); // open(path)\n"
        "    return recv(fd, path, 1, 0) < 0 && connect(fd, NULL, 0) && open(path, O_NONBLOCK |\n O_RDONLY);\n}\n"
    )
    assert calls_of(file) == ["open", "recv", "connect"]
