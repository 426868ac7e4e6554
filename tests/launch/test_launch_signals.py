# SPDX-License-Identifier: Apache-2.0
"""Every signal that reaches numaprof: the program gets it, or nothing happens. docs/signals.md has the table."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from conftest import PROGRAM, TREE
from running import PATIENCE_S, one, rows, run, target, until

NOT_FORWARDED = {signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCHLD}
NOT_TESTED = {
    signal.SIGKILL,
    signal.SIGSTOP,
    signal.SIGTERM,
}  # TERM: test_launch_terminal.py
ALL = set(range(1, signal.SIGRTMAX + 1)) - {32, 33}  # the C library's own


def test_every_signal_reaches_the_program_or_nobody(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    command = [str(PROGRAM), "record", "-q", "-o", str(recording), str(target("signals"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout and recorder.stdout.readline() == "ready\n"
        for number in sorted(NOT_FORWARDED):
            os.kill(recorder.pid, number)
        for number in sorted(ALL - NOT_FORWARDED - NOT_TESTED):
            os.kill(recorder.pid, number)
            assert recorder.stdout.readline() == f"{int(number)} 0\n"
        recorder.terminate()
        assert recorder.wait() == 0
    assert rows(recording, "SELECT complete, exit_status FROM run") == [(1, 0)]


def test_the_table_of_the_docs_is_what_is_tested() -> None:
    table = (TREE / "docs" / "signals.md").read_text()
    kept = {
        name for line in table.splitlines() if "| no |" in line for name in re.findall(r"[A-Z]{3,}", line.split("|")[1])
    }
    assert kept == {number.name.removeprefix("SIG") for number in NOT_FORWARDED}


def test_a_value_comes_along(tmp_path: Path) -> None:
    command = [str(PROGRAM), "record", "-q", "-o", str(tmp_path / "r.numaprof"), str(target("signals"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout and recorder.stdout.readline() == "ready\n"
        subprocess.run(["/bin/kill", "--queue", "4711", "-s", "USR2", str(recorder.pid)], check=True)
        assert recorder.stdout.readline() == f"{int(signal.SIGUSR2)} 4711\n"
        recorder.terminate()


def test_an_alarm_that_was_set_before_exec_ends_the_program(tmp_path: Path) -> None:
    """Blocked, it waits for numaprof, which hands it on to the program, where it waits until that unblocks it."""
    recording = tmp_path / "r.numaprof"
    program = "import signal; signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])\nwhile True: signal.pause()"
    words = [str(PROGRAM), "record", "-q", "-o", str(recording), sys.executable, "-c", program]
    script = (
        "import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]);"
        " signal.setitimer(signal.ITIMER_REAL, 0.001)\n"
        "while not signal.sigpending(): pass\n"
        f"os.execv({words[0]!r}, {words!r})"
    )
    done = subprocess.run([sys.executable, "-c", script], timeout=PATIENCE_S, check=False)
    assert done.returncode == -signal.SIGALRM
    assert one(recording, "SELECT complete, term_signal FROM run") == (1, signal.SIGALRM)


def test_it_ends_where_ends_of_children_are_ignored_and_the_program_ignores_them_too(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    done = run("record", "-q", "-o", recording, "grep", "SigIgn", "/proc/self/status", timeout=PATIENCE_S,
               preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))  # fmt: skip
    assert done.status == 0
    assert int(done.out.split()[1], 16) & 1 << (signal.SIGCHLD - 1)
    assert one(recording, "SELECT complete, exit_status FROM run") == (1, 0)


def test_children_that_were_there_before_are_not_waited_for(tmp_path: Path) -> None:
    """exec numaprof in a shell with background jobs: the job ends only when the test lets it."""
    recording = tmp_path / "r.numaprof"
    read, write = os.pipe()
    shell = f"exec 3<&{read}; cat <&3 >/dev/null & exec {PROGRAM} record -q -o {recording} sh -c 'exit 5'"
    done = subprocess.run(["bash", "-c", shell], pass_fds=[read], timeout=PATIENCE_S, check=False)
    os.close(read)
    os.close(write)
    assert done.returncode == 5


def test_what_the_program_leaves_running_is_waited_for_beside_such_children(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    read, write = os.pipe()
    leave = "cat <&3 >/dev/null & exit 5"  # dash knows descriptors of one digit only
    shell = f'exec 3<&{read}; cat <&3 >/dev/null & exec {PROGRAM} record -q -o {recording} sh -c "{leave}"'
    with subprocess.Popen(["bash", "-c", shell], pass_fds=[read]) as recorder:
        os.close(read)
        until(recording.exists)
        assert recorder.poll() is None
        os.close(write)  # ends both
        assert recorder.wait() == 5
    assert one(recording, "SELECT complete FROM run") == 1
