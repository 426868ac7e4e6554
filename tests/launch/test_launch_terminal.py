# SPDX-License-Identifier: Apache-2.0
"""Terminal and signals: the program behaves under numaprof as if it ran alone, and a recording comes out of it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from conftest import PROGRAM
from running import Terminal, children_of, is_alive, one, state_of, target, until

CTRL_C, CTRL_Z, CTRL_BACKSLASH = "\x03", "\x1a", "\x1c"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "r.numaprof"


@pytest.fixture
def terminal(tmp_path: Path, recording: Path) -> Iterator[Terminal]:
    """numaprof runs targets/reader.c there, which is ready."""
    with Terminal([PROGRAM, "record", "-q", "-o", recording, target("reader")], tmp_path) as terminal:
        terminal.expect(r"ready \d+")
        yield terminal


def how_it_ended(recording: Path) -> tuple[int, int, int]:
    return one(recording, "SELECT complete, exit_status, term_signal FROM run")


def test_ctrl_c_belongs_to_a_program_that_handles_it(terminal: Terminal, recording: Path) -> None:
    terminal.type(CTRL_C)
    terminal.expect("caught")
    terminal.type(CTRL_C)
    terminal.expect("caught")
    terminal.type("end 7\n")
    assert terminal.wait() == 7
    assert how_it_ended(recording) == (1, 7, None)


@pytest.mark.parametrize(("key", "number"), [(CTRL_C, signal.SIGINT), (CTRL_BACKSLASH, signal.SIGQUIT)])
def test_a_key_that_kills_the_program_is_its_end_and_ours(
    key: str, number: signal.Signals, tmp_path: Path, recording: Path
) -> None:
    with Terminal([PROGRAM, "record", "-q", "-o", recording, "sh", "-c", "echo ready; exec cat"], tmp_path) as terminal:
        terminal.expect("ready")
        terminal.type(key)
        assert terminal.wait() == -number
    assert how_it_ended(recording) == (1, None, number)


def are_all(pids: tuple[int, ...], *, stopped: bool) -> bool:
    return all((state_of(pid) == "T") == stopped for pid in pids)


def test_ctrl_z_and_fg(tmp_path: Path, recording: Path) -> None:
    with Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], tmp_path) as shell:
        shell.expect("prompt> ")
        reader = target("reader")
        for _ in range(2):
            shell.type(f"{PROGRAM} record -q -o {recording} {reader}\n")
            both = int(shell.expect(r"ready (\d+)")[1]), children_of(shell.pid)[0]
            for _ in range(2):
                shell.type(CTRL_Z)
                shell.expect("Stopped")
                until(partial(are_all, both, stopped=True))
                shell.expect("prompt> ")
                shell.type("fg\n")
                until(partial(are_all, both, stopped=False))
                shell.type("hello\n")
                shell.expect("read hello")
            shell.type("end 5\n")
            shell.expect("prompt> ")
            shell.type("echo status $?\n")
            shell.expect("status 5")
            assert how_it_ended(recording) == (1, 5, None)
            recording.unlink()
        shell.type("exit\n")
        shell.wait()


def test_a_stop_that_comes_before_numaprof_went_on_is_not_undone(recording: Path) -> None:
    """Ctrl-Z right after fg, on a busy host: only the program ran in between."""
    command = [str(PROGRAM), "record", "-q", "-o", str(recording), str(target("reader"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdin and recorder.stdout
        reader = int(recorder.stdout.readline().split()[1])
        both = (reader, recorder.pid)
        os.kill(reader, signal.SIGSTOP)
        until(partial(are_all, both, stopped=True))
        os.kill(reader, signal.SIGCONT)
        until(partial(are_all, (reader,), stopped=False))
        os.kill(reader, signal.SIGSTOP)
        until(partial(are_all, (reader,), stopped=True))
        recorder.send_signal(signal.SIGCONT)
        until(partial(are_all, both, stopped=True))
        recorder.send_signal(signal.SIGCONT)
        until(partial(are_all, both, stopped=False))
        recorder.stdin.close()
        assert recorder.wait() == 0
    assert how_it_ended(recording) == (1, 0, None)


def test_a_shell_with_jobs_of_its_own(tmp_path: Path, recording: Path) -> None:
    command = [PROGRAM, "record", "-q", "-o", recording, "bash", "--norc", "--noprofile", "-i"]
    with Terminal(command, tmp_path) as terminal:
        terminal.expect("prompt> ")
        terminal.type("echo started; cat\n")
        terminal.expect("\r\nstarted")
        terminal.type("echoed\n")
        terminal.expect("echoed\r\nechoed")
        terminal.type(CTRL_Z)
        terminal.expect("Stopped")
        terminal.type("fg\n")
        terminal.expect("fg\r\n.*cat")
        terminal.type("again\n")
        terminal.expect("again\r\nagain")
        terminal.type(CTRL_C)
        terminal.expect("prompt> ")
        terminal.type("exit 9\n")
        assert terminal.wait() == 9
    assert how_it_ended(recording) == (1, 9, None)


def test_term_is_handed_on_and_a_second_one_gives_up(recording: Path) -> None:
    command = [str(PROGRAM), "record", "-q", "-o", str(recording), str(target("reader"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdin and recorder.stdout
        reader = int(recorder.stdout.readline().split()[1])
        recorder.terminate()
        assert recorder.stdout.readline() == "not yet\n"
        assert recorder.poll() is None

        # Two in quick succession count as one (timeout(1) sends them so): this goes on until one counts.
        def gave_up() -> bool:
            recorder.terminate()
            return recorder.poll() is not None

        until(gave_up)
        assert recorder.returncode == -signal.SIGTERM
        assert is_alive(reader)
        recorder.stdin.close()  # ends it
        recorder.stdout.read()
    assert how_it_ended(recording) == (1, None, None)


def test_term_from_timeout_is_one_term(tmp_path: Path, recording: Path) -> None:
    """timeout(1) signals its child and then the whole group, so that we get two and the program gets ours as well."""
    polite = "trap 'echo leaving; exit 3' TERM; echo ready; while :; do read -t 1 word; done"
    command = [
        "/usr/bin/timeout",
        "--foreground",
        "600",
        PROGRAM,
        "record",
        "-q",
        "-o",
        recording,
        "bash",
        "-c",
        polite,
    ]
    for foreground in (command, command[:1] + command[2:]):
        with Terminal(foreground, tmp_path) as terminal:
            terminal.expect("ready")
            os.kill(terminal.pid, signal.SIGALRM)  # its time is up
            assert terminal.wait() == 124
        assert how_it_ended(recording) == (1, 3, None)
        recording.unlink()


def test_hup_is_handed_on(terminal: Terminal, recording: Path) -> None:
    os.kill(terminal.pid, signal.SIGHUP)
    assert terminal.wait() == -signal.SIGHUP
    assert how_it_ended(recording) == (1, None, signal.SIGHUP)


def test_the_window_is_closed(terminal: Terminal, recording: Path) -> None:
    terminal.close()
    assert terminal.wait() == -signal.SIGHUP
    assert how_it_ended(recording) == (1, None, signal.SIGHUP)


def test_ctrl_c_ends_the_repeats(tmp_path: Path) -> None:
    command = [PROGRAM, "record", "-q", "-n", "5", "-o", "%r.numaprof", "sh", "-c", "echo ready; exec cat"]
    with Terminal(command, tmp_path) as terminal:
        terminal.expect("ready")
        terminal.type("\x04")
        terminal.expect("ready")
        terminal.type(CTRL_C)
        assert terminal.wait() == -signal.SIGINT
    assert sorted(file.name for file in tmp_path.iterdir()) == ["1.numaprof", "2.numaprof"]
