# SPDX-License-Identifier: Apache-2.0
"""Odd programs, limits, namespaces and environments: each run must say and return what it does without numaprof."""

from __future__ import annotations

import os
import random
import resource
from pathlib import Path

from conftest import PROGRAM
from hostile.kinds import PATIENCE_S, Kind, as_alone, assert_complete, assert_readable, is_one_line, record
from running import run_command, target

PYTHON = "/usr/bin/python3"
THREADS = "import threading as t; a=[t.Thread(target=lambda: bytearray(1 << 20)) for _ in range({0})]; "
ODD = {
    "closes all descriptors": "exec {closes}",
    "is killed by itself": "kill -SEGV $$",
    "aborts": "exec {python} -c 'import os; os.abort()'",
    "leaves a daemon": "{daemon} {folder}/made 64",
    "leaves children": "({touch} 4 64; echo late) & exit 3",
    "replaces itself in turn": "exec env -i A=1 sh -c 'exec nice -n 1 env' | grep -c A=1",
    "runs from memory": "exec {python} -c \"import os; f=os.memfd_create('x'); "
    "os.write(f, open('/bin/echo', 'rb').read()); "
    "os.execve(f, ['echo', 'from memory'], {{}})\"",
    "runs a deleted file": "cd {folder}; cp /bin/cat gone; mkfifo text; ./gone text & exec 3> text; rm gone; "
    "echo still here >&3; exec 3>&-; wait; rm text",
    "changes its user": "exec setpriv --reuid=65534 --regid=65534 --clear-groups {touch} 2 64",
    "changes its root": "exec {python} -c \"import os; os.chroot('{folder}'); os.write(1, b'inside')\"",
    "ends in a thread": 'exec {python} -c "import os, threading; threading.Thread(target=lambda: os._exit(9)).start(); '
    'threading.Event().wait()"',
    "execs in a thread": 'exec {python} -c "import os, threading; threading.Thread(target=lambda: '
    "os.execv('/bin/echo', ['echo', 'x'])).start(); threading.Event().wait()\"",
    "forks with threads": 'exec {python} -c "import os; ' + THREADS.format(8) + "[x.start() for x in a]; p=os.fork(); "
    'p or os._exit(4); print(os.waitpid(p, 0)[1])"',
    "traces itself": 'exec {python} -c "import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))"',
    "has no memory left": "ulimit -v 400000; exec {python} -c 'x = bytearray(1 << 30)' 2>/dev/null",
    "has another session": "exec setsid -w {touch} 2 64",
    "loads libraries often": "exec {python} -c \"import ctypes; [ctypes.CDLL('libm.so.6') for _ in range(999)]\"",
    "has a static child": "{touch_static} 4 64; echo $?",
    "starts what is missing": "/no/such/program; ./nor-this; exec /none",
    "starts what is no program": "cd {folder}; echo 'echo shell text' > text; chmod +x text; ./text; echo $?",
    "has a pipe for a program": "mkfifo {folder}/fifo; chmod +x {folder}/fifo; {folder}/fifo 2>/dev/null; echo $?",
    "cannot search its PATH": "PATH=/root/none:/proc/1/fd:/bin; ls / >/dev/null; echo $?",
    "unmaps and maps": "exec {remapped}",
    "ignores everything": "trap '' HUP INT QUIT TERM CHLD PIPE; {touch} 2 64; echo $?",
    "says gigabytes": "head -c 30000000 /dev/zero | cksum",
    "recurses": 'exec {python} -c "import sys; sys.setrecursionlimit(99999); f=lambda n: n and f(n - 1); f(20000)"',
    "limits itself": "ulimit -n 20; ulimit -s 512; exec {touch} 4 64",
    "calls everything everywhere": "exec {everywhere}",
    "takes all keys": "exec {all_keys}",
    "sandboxes itself": "{sandboxed} prctl; echo $?; {sandboxed} seccomp; echo $?; exec {sandboxed} strict",
    "reads its mask in every way": "exec {mask_views}",
}


ODD_TARGETS = ("closes", "daemon", "touch", "remapped", "everywhere", "all_keys", "sandboxed", "mask_views")


def _script(name: str, folder: Path) -> str:
    programs = {word: target(word) for word in ODD_TARGETS}
    static = target("touch", "-static", output="touch-static")
    return ODD[name].format(python=PYTHON, folder=folder, touch_static=static, **programs)


def _run_an_odd_program(chance: random.Random, folder: Path) -> None:
    as_alone(folder, "sh", "-c", _script(chance.choice(sorted(ODD)), folder))


NAMESPACES = ("-m", "-u", "-i", "-n", "-C", "-p -f", "-p -f --mount-proc -m", "-U -r", "-T")


def _change_namespaces(chance: random.Random, folder: Path) -> None:
    """Inside the program, around numaprof, or both."""
    inside, outside = (" ".join(chance.sample(NAMESPACES, k=chance.randint(0, 3))) for _ in range(2))
    work = f"{target('touch')} {chance.randint(1, 4)} 64; echo $?"
    before = ["unshare", *outside.split()] if outside else []
    done = record(folder, "sh", "-c", f"unshare {inside} sh -c '{work}'; echo $?", before=before)
    assert (done.status, done.out) == (0, "0\n0\n"), (outside, inside, done)
    assert_complete(folder)


LIMITS = {
    resource.RLIMIT_NOFILE: (8, 200),
    resource.RLIMIT_STACK: (96 << 10, 1 << 20),
    resource.RLIMIT_FSIZE: (0, 2 << 20),
    resource.RLIMIT_AS: (8 << 20, 400 << 20),
    resource.RLIMIT_MEMLOCK: (0, 1 << 20),
    resource.RLIMIT_DATA: (1 << 20, 64 << 20),
    resource.RLIMIT_CORE: (0, 0),
}


def _limit_everything(chance: random.Random, folder: Path) -> None:
    """numaprof does its work, or says in one line what is lacking; it is never killed by a limit."""
    limits = {limit: chance.randint(*LIMITS[limit]) for limit in chance.sample(sorted(LIMITS), k=chance.randint(1, 2))}

    def limited() -> None:
        for limit, value in limits.items():
            resource.setrlimit(limit, (value, value))

    command = [str(PROGRAM), "record", "-q", "-o", str(folder / "r.numaprof"), str(target("touch")), "2", "64"]
    alone_status = run_command(target("touch"), 2, 64, preexec_fn=limited).status
    done = run_command(*command, preexec_fn=limited, timeout=PATIENCE_S)
    if done.status == 125:
        assert is_one_line(done), (limits, done)
    else:
        assert done.status in (alone_status, 127), (limits, alone_status, done)
        assert alone_status != 0 or done.status == 0 or "error while loading" in done.err, (limits, done)
    if done.status == 0 and (folder / "r.numaprof").exists():
        assert_readable(folder / "r.numaprof")


VARIABLES = (
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "TMPDIR",
    "HOME",
    "XDG_CACHE_HOME",
    "LANG",
    "LC_ALL",
    "NUMAPROF_CHANNEL",
    "NUMAPROF_PRELOAD",
    "NUMAPROF_PLACE",
    "OMP_PROC_BIND",
    "COLUMNS",
    "TERM",
    "TZ",
    "NO_COLOR",
    "PATH",
    "GLIBC_TUNABLES",
    "DEBUGINFOD_URLS",
    "SOURCE_DATE_EPOCH",
)
VALUES = (
    "",
    "/",
    "/no/such/folder",
    "x" * 5000,
    "%s%n%d",
    "-1",
    "\x1b[2J",
    "a:b c",
    "\udcff\udcfe",
    "/dev/full",
    "1e999",
)


def _change_the_environment(chance: random.Random, folder: Path) -> None:
    changes = {chance.choice(VARIABLES): chance.choice(VALUES) for _ in range(chance.randint(1, 4))}
    environment = {**os.environ, **changes}
    done = record(folder, target("touch"), 2, 64, env=environment)
    assert done.status == 0, (changes, done)
    assert_complete(folder)
    if "LD_PRELOAD" not in changes and "LD_LIBRARY_PATH" not in changes:
        seen = run_command(PROGRAM, "report", folder / "r.numaprof", env=environment, timeout=PATIENCE_S)
        assert seen.status == 0 or is_one_line(seen), (changes, seen)


COMMANDS = (
    "record",
    "run",
    "report",
    "diff",
    "check",
    "topology",
    "events",
    "doctor",
    "policies",
    "sweep",
    "export",
    "try",
)
WORDS = (
    "-o",
    "--pin",
    "--delay",
    "--duration",
    "--control",
    "--json",
    "--html",
    "--csv",
    "--full",
    "--max-remote",
    "--",
    "-n",
    "--events",
    "--interval",
    "--top",
    "--place",
    "-q",
    "-5",
    "0",
    "1e9",
    "99999999999999999999",
    "nan",
    "%q{X}",
    "/dev/null",
    "/",
    "",
    "\x1b[31m",
    "x" * 300,
    "true",
    "/bin/true",
    "--help",
    "--no-such-option",
    "compact",
    "0-3",
    "3-0",
    "r.numaprof",
)


def _write_any_command(chance: random.Random, folder: Path) -> None:
    words = [chance.choice(COMMANDS), *chance.choices(WORDS, k=chance.randint(0, 5))]
    if "-n" in words and "99999999999999999999" not in words:
        words = [word for word in words if word != "1e9"]
    done = run_command(PROGRAM, *words, cwd=folder, timeout=PATIENCE_S, stdin=-3)
    assert 0 <= done.status <= 127, (words, done)
    assert "Traceback" not in done.err, (words, done)
    assert "\x1b" not in done.err, (words, done)


KINDS = (
    Kind(
        "odd programs",
        "a program says and returns what it does alone, and the recording is complete",
        _run_an_odd_program,
        3,
        150,
        ("root",),
    ),
    Kind(
        "namespaces",
        "programs in any namespaces run as alone, and the recording is complete",
        _change_namespaces,
        1,
        60,
        ("root",),
    ),
    Kind(
        "limits", "numaprof does its work or says in one line which limit stands in the way", _limit_everything, 3, 150
    ),
    Kind(
        "environment", "no value of a variable ends the program or loses the recording", _change_the_environment, 1, 100
    ),
    Kind(
        "command lines",
        "each ends by itself with a status of the table, without a traceback",
        _write_any_command,
        4,
        300,
    ),
)
