# SPDX-License-Identifier: Apache-2.0
"""`numaprof top`: what it reads of programs that run, what it refuses, and its screen in a terminal."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attaching import Attachee, attachee, gone, refused, state, waits, with_pmu
from conftest import NOBODY, PROGRAM, TREE
from live_samples import header_document, process, sample_document, text, thread
from numaprof.commands.top import main
from numaprof.text.messages import Failure
from running import Terminal, rows, run, run_command, until

SOON = ("--once", "--interval", "0.2")


def table(text: str, name: str) -> dict[int, list[str]]:
    """The rows of a table of plain text, by the number in the first column."""
    part = next(part for part in text.split("\n\n") if part.split()[0] == name)
    found = [line.split() for line in part.splitlines()[1:] if line.split()[0].isdigit()]
    return {int(words[0]): words[1:] for words in found}


def top(*words: object) -> str:
    done = run("top", *SOON, *words)
    assert (done.status, done.err) == (0, "")
    return done.out


def test_a_process_and_its_threads() -> None:
    with attachee() as program:
        program.do("thread")
        shown = top("-p", program.pid)
    assert table(shown, "PID")[program.pid][0] == "attachee"
    threads = table(shown, "TID")
    assert len(threads) == 2
    assert program.pid in threads
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.requires("one_node")
def test_pages_of_a_process_on_one_node() -> None:
    """What the program filled is known; libc's data and stacks are some pages more."""
    with attachee() as program:
        program.do("touch")
        shown = top("-p", program.pid)
    assert table(shown, "PID")[program.pid][-1] == "0:100"
    ((placed, *_),) = [words[5:] for words in table(shown, "NODE").values()]
    assert 19 <= float(placed.rstrip("M")) <= 24  # 20 MiB are 21 MB
    assert re.search(r" 17M +17M +±\d+ \S+ data +0:100$", shown, re.MULTILINE)  # 16 MiB of .bss


@pytest.mark.requires("one_node")
def test_without_remote_memory_the_share_is_not_available_and_never_zero() -> None:
    with attachee() as program:
        shown = top("-p", program.pid)
    assert "\nremote share n/a: " in shown
    for line in shown.split("\n\n")[1:3]:
        for row in line.splitlines()[1:]:
            assert row.split()[3:6] in (["n/a"] * 3, ["-"] * 3)


def test_cpu_time_agrees_with_the_kernel() -> None:
    """Of a loop that never waits: all readings together say no more than the kernel did around them."""
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as loop:
        before, shown, interval = cpu_ticks(loop.pid), 0.0, 0.0
        command = [PROGRAM, "top", "-p", str(loop.pid), "--interval", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            while shown < 0.2:  # seconds, however long that takes
                line = process.stdout.readline()  # type: ignore[union-attr]
                interval = float(found[1]) if (found := re.search(r"last ([0-9.]+) s", line)) else interval
                if line.split()[:2] == [str(loop.pid), "sh"] and "MEMORY" not in line:
                    share = float(line.split()[2].replace("<1", "0"))  # of a CPU; a busy host gives it little
                    shown += share / 100 * interval / 2  # a row for the process and one for its thread
            after = cpu_ticks(loop.pid)
            process.kill()
        loop.kill()
    assert shown <= (after - before) / os.sysconf("SC_CLK_TCK") * 1.1 + 0.05  # intervals are shown with one decimal


def cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_a_name_that_is_no_text() -> None:
    script = r"printf '\377\033[2J\n(' > /proc/$$/comm; echo ready; read line"
    with subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        shown = top("-p", program.pid)
        program.communicate(b"\n")
    assert f"{program.pid} \\xff\\x1b" in shown
    assert all(line.isprintable() for line in shown.splitlines())


def test_all_processes_are_the_default() -> None:
    with attachee() as program:
        done = run("top", *SOON)
        assert "; all processes\n" in done.out
        assert f"{program.pid}" in run("top", *SOON, "-a", "--sort", "name").out or "more" in done.out


@pytest.mark.requires("root")
def test_the_program_is_left_as_it_was() -> None:
    with attachee() as program:
        program.do("thread")
        until(lambda: waits(program.pid))
        before = state(program.pid)
        command = [PROGRAM, "top", "-p", str(program.pid), "--interval", "0.1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            while "NODE:PAGES" not in process.stdout.readline():  # type: ignore[union-attr]
                pass
            during = state(program.pid)
            process.kill()
        assert during == before
        assert state(program.pid) == before


def test_piped_output_is_a_page_for_each_interval() -> None:
    with attachee() as program:
        command = [PROGRAM, "top", "-p", str(program.pid), "--interval", "0.1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            heads = 0
            while heads < 3:
                heads += process.stdout.readline().startswith("numaprof top: ")  # type: ignore[union-attr]
            program.do("end")
            rest = process.stdout.read()  # type: ignore[union-attr]
    assert process.returncode == 0
    assert rest.rstrip()


def test_a_reader_that_goes_away_ends_it() -> None:
    with attachee() as program:
        done = subprocess.run(
            f"{PROGRAM} top -p {program.pid} --interval 0.1 | head -1", shell=True, capture_output=True, check=True
        )
        assert done.stderr == b""
        until(lambda: not readers(program.pid))


def readers(pid: int) -> list[str]:
    """Processes that read of this one for numaprof top."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:4] == [str(PROGRAM).encode(), b"top", b"-p", str(pid).encode()]:
                found.append(entry.name)
    return found


def test_a_program_that_ends_at_once() -> None:
    """Its reader ends after one sample."""
    theirs, ours = os.pipe()
    with os.fdopen(ours, "wb") as file:
        file.write(text(header_document()) + text(sample_document(1, process(1, "p", thread(1, "p", 0)))))
    words = ["--stream", str(theirs), "--interval", "1", "--once", "--pids", "1"]
    with pytest.raises(Failure, match="process 1 ended before a second reading"):
        main(words)
    os.close(theirs)


@pytest.mark.requires("root")
def test_thousands_of_threads() -> None:
    """As many as the brief of a large server, or as fit here. What reading them costs stands in the first line."""
    with attachee() as program:
        for _ in range(50):
            program.do("hundred")
        done = run("top", "--once", "--interval", "2", "-p", program.pid)
    assert done.status == 0, done.err
    assert "... and 4981 more" in done.out
    cost = float(re.search(r"own cost ([0-9.]+) %", done.out)[1])  # type: ignore[index]
    assert cost < 50  # 1 % for each 100 threads


@pytest.mark.requires("perf_event", "mounts", "gcc", "x86_64")
@pytest.mark.parametrize(
    ("files", "said"),
    [(2000, "class(es)? left out: raise ulimit -n"), (600, r"\d+ threads uncounted: the limit of open files")],
)
def test_classes_are_left_out_before_threads(files: int, said: str) -> None:
    """The PMU can be opened and counts nothing."""
    mount = with_pmu()
    few = ("prlimit", f"--nofile={files}", "setpriv", "--bounding-set=-sys_resource")
    with attachee() as program:
        for _ in range(3):
            program.do("hundred")
        done = run_command(*mount[:6], *few, *mount[6:], PROGRAM, "top", "--once", "-p", program.pid)
    if "not in the event catalogue" in done.out:
        pytest.skip("the catalogue has no events for this CPU")
    assert (done.status, done.err) == (0, "")
    assert re.search(said, done.out)
    assert "... and 281 more" in done.out  # of 301 threads


# --- refusals


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        (("-p", "x"), "not a list of process ids"),
        (("-p", "1", "-a"), "choose one of them"),
        (("--interval", "0"), "seconds"),
        (("--interval", "nan"), "seconds"),
        (("--events", "x"), "not a list of classes"),
        (("--sort", "x"), "no such column"),
        (("--node", "77"), "no such node"),
        (("--node", "-1"), "no such node"),
        (("--what",), "unknown option"),
        (("true",), "unexpected argument"),
    ],
)
def test_bad_options(words: tuple[str, ...], cause: str) -> None:
    refused(run("top", "--once", *words), 125, cause)


def test_no_such_process_or_group() -> None:
    refused(run("top", "--once", "-p", gone()), 127, "does not exist")
    refused(run("top", "--once", "--cgroup", "no/such/group"), 127, "is not a control group")


def test_a_zombie_and_a_thread_of_the_kernel() -> None:
    with subprocess.Popen(["true"]) as process:
        until(lambda: Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z")
        refused(run("top", "--once", "-p", process.pid), 126, "has ended")
    kernel = [p for p in Path("/proc").iterdir() if p.name == "2" and "kthreadd" in (p / "comm").read_text()]
    if kernel:
        refused(run("top", "--once", "-p", 2), 126, "thread of the kernel")


@pytest.mark.requires("root")
def test_of_another_user(public_place: Path) -> None:
    nobody = (*NOBODY, public_place / "numaprof")
    with attachee() as program:
        done = run_command(*nobody, "top", "--once", "-p", program.pid)
    assert (done.status, done.out) == (126, "")
    assert re.fullmatch(
        r"numaprof: process \d+ belongs to another user, .*; run numaprof as its owner, or as root\n", done.err
    )


# --- in a terminal


class Tmux:
    """`numaprof top` in a terminal of 80 x 24."""

    def __init__(self, folder: Path, command: str) -> None:
        self.words = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self.run("new-session", "-d", "-x", "80", "-y", "24", "-c", str(folder), f"{command}; echo status $?; cat")

    def run(self, *words: str) -> str:
        return subprocess.run([*self.words, *words], capture_output=True, text=True, check=True).stdout

    def screen(self) -> str:
        return self.run("capture-pane", "-p")

    def shows(self, pattern: str) -> str:
        """Waits until this is on the screen."""
        return str(until(lambda: (screen := self.screen()) and re.search(pattern, screen) and screen))

    def press(self, *keys: str) -> None:
        self.run("send-keys", *keys)


@pytest.fixture
def program() -> Iterator[Attachee]:
    with attachee() as found:
        yield found


@contextmanager
def tmux(folder: Path, command: str) -> Iterator[Tmux]:
    terminal = Tmux(folder, command)
    try:
        yield terminal
    finally:
        terminal.run("kill-server")


@pytest.fixture
def screen(tmp_path: Path, program: Attachee) -> Iterator[Tmux]:
    with tmux(tmp_path, f"{PROGRAM} top -p {program.pid} --interval 0.2") as terminal:
        yield terminal


@pytest.mark.requires("tmux")
def test_keys_of_the_screen(screen: Tmux, program: Attachee) -> None:
    screen.shows(r"PROCESSES by cpu, all nodes, row 1 of 1")
    screen.press("Enter")
    screen.shows(rf"THREADS of {program.pid} attachee")
    program.do("thread")
    screen.shows(r"row 1 of 2")
    screen.press("Enter")
    screen.shows(r" 17M +17M +±\d+ attachee data")
    screen.press("BSpace", "BSpace", "n")
    screen.shows(r"NODES, row 1 of")
    screen.press("?")
    screen.shows(r"keys and columns")
    screen.press("x", "p", "s")
    screen.shows(r"PROCESSES by remote")
    screen.press("q")
    screen.shows(r"status 0")


@pytest.mark.requires("tmux")
def test_the_screen_follows_the_size_of_the_terminal(screen: Tmux) -> None:
    screen.shows(r"PROCESSES by cpu")
    for width, height in ((50, 12), (100, 30), (40, 10), (80, 24)):
        screen.run("resize-window", "-x", str(width), "-y", str(height))
        keys = "? help  q quit  p t n m tables  Enter open  s sort  f node  c class  r record"
        last = keys if len(keys) < width else keys[: width - 2] + "…"
        until(lambda height=height, last=last: screen.screen().split("\n")[height - 1] == last)


@pytest.mark.requires("tmux")
def test_the_last_reading_stays_when_the_process_has_ended(screen: Tmux, program: Attachee) -> None:
    screen.shows(r"PROCESSES by cpu")
    program.do("end")
    shown = screen.shows(r"the processes have ended")
    assert "attachee" in shown
    screen.press("q")
    screen.shows(r"status 0")


@pytest.mark.requires("tmux", "perf_event")
def test_r_records_the_process(screen: Tmux, program: Attachee, tmp_path: Path) -> None:
    screen.shows(r"PROCESSES by cpu")
    screen.press("r")
    screen.shows(rf"recording process {program.pid} to attachee.{program.pid}.\d+.numaprof; r stops")
    (recording,) = until(lambda: list(tmp_path.glob("*.numaprof")))
    until(lambda: "1" in str(recorded(recording)))
    screen.press("r")
    screen.shows(rf"recorded: numaprof report attachee.{program.pid}.\d+.numaprof")
    screen.press("q")
    screen.shows(r"status 0")
    assert rows(recording, "SELECT pid, followed FROM process") == [(program.pid, "attached")]


def recorded(recording: Path) -> object:
    try:
        return rows(recording, "SELECT count(*) FROM process")
    except sqlite3.Error:  # not written yet
        return None


@pytest.mark.requires("tmux")
def test_ctrl_c_leaves_the_terminal_as_it_was(screen: Tmux) -> None:
    screen.shows(r"PROCESSES by cpu")
    screen.press("C-c")
    screen.shows(r"status 0")
    assert "PROCESSES" not in screen.screen()


@contextmanager
def watched(folder: Path, program: Attachee, before: str = "", behind: str = "") -> Iterator[tuple[Tmux, int]]:
    """The view in a shell that tells the state of the terminal afterwards; and the process of the view."""
    command = f"{before} {PROGRAM} top -p {program.pid} --interval 0.2 {behind}"
    script = f"sh -c 'echo $$ >pid; exec {command}'; echo ended $?; stty -a"
    with tmux(folder, script) as terminal:
        terminal.shows(r"PID +PROGRAM|NODE:PAGES %")
        yield terminal, int((folder / "pid").read_text())


def assert_sane(terminal: Tmux, status: int) -> None:
    shown = terminal.shows(rf"(?s)ended {status}.*\bicanon\b.*\becho\b")
    assert "-icanon" not in shown and " -echo " not in shown


@pytest.mark.requires("tmux")
@pytest.mark.parametrize("name", ["SIGQUIT", "SIGABRT", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGTERM", "SIGHUP"])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, program: Attachee, name: str) -> None:
    number = signal.Signals[name]
    with watched(tmp_path, program) as (terminal, pid):
        os.kill(pid, number)
        assert_sane(terminal, 0 if number in (signal.SIGTERM, signal.SIGHUP) else 128 + number)


@pytest.mark.requires("tmux")
@pytest.mark.parametrize("stdin", ["</dev/null", "<&-", "<pid"])
def test_keys_come_from_the_terminal_though_standard_input_is_something_else(
    tmp_path: Path, program: Attachee, stdin: str
) -> None:
    with watched(tmp_path, program, behind=stdin) as (terminal, _):
        terminal.press("n")
        terminal.shows(r"NODES, row 1 of")
        terminal.press("q")
        assert_sane(terminal, 0)


@pytest.mark.requires("tmux")
def test_a_terminal_without_keys_gets_plain_pages(tmp_path: Path, program: Attachee) -> None:
    """In a session of its own the program has no /dev/tty. A page has all tables, a screen one."""
    with watched(tmp_path, program, before="setsid -w", behind="</dev/null") as (terminal, _):
        terminal.shows(r"ADDRESS +SIZE +RESIDENT")


@pytest.mark.requires("tmux")
def test_a_terminal_of_one_column(screen: Tmux) -> None:
    screen.shows(r"PROCESSES by cpu")
    for width, height in ((1, 1), (1, 24), (2, 2), (80, 1), (80, 24)):
        screen.run("resize-window", "-x", str(width), "-y", str(height))
    screen.shows(r"PROCESSES by cpu")
    screen.press("q")
    screen.shows(r"status 0")


@pytest.mark.requires("tmux", "perf_event")
def test_a_recording_ends_with_a_view_that_is_killed(tmp_path: Path, program: Attachee) -> None:
    with watched(tmp_path, program) as (terminal, pid):
        terminal.press("r")
        (recording,) = until(lambda: list(tmp_path.glob("*.numaprof")))
        until(lambda: "1" in str(recorded(recording)))
        os.kill(pid, signal.SIGKILL)
        until(lambda: rows(recording, "SELECT complete FROM run") == [1])


@pytest.mark.requires("tmux")
@pytest.mark.parametrize("setting", ["TERM=vt100", "NO_COLOR=1"])
def test_without_colour(tmp_path: Path, program: Attachee, setting: str) -> None:
    """The chosen row is reversed, headings are bold; nothing else is set."""
    with tmux(tmp_path, f"env {setting} {PROGRAM} top -p {program.pid} --interval 0.2") as screen:
        screen.shows(r"PROCESSES by cpu, all nodes, row 1 of 1")
        shown = screen.run("capture-pane", "-e", "-p")
        assert re.search(rf"\x1b\[[0-9;]*7m(?:\x1b\[[0-9;]*m)* *{program.pid} attachee ", shown), shown
        settings = {number for found in re.findall(r"\x1b\[([0-9;]*)m", shown) for number in found.split(";")}
        assert settings <= {"", "0", "1", "7", "39", "49"}
        screen.press("Enter")
        screen.shows(rf"THREADS of {program.pid} attachee")
        screen.press("q")
        screen.shows(r"status 0")


@pytest.mark.requires("tmux", "root")
def test_the_screen_of_thousands_of_threads(tmp_path: Path, program: Attachee) -> None:
    """Keys, a smaller and a larger terminal, and the end of the process."""
    for _ in range(50):
        program.do("hundred")
    with tmux(tmp_path, f"{PROGRAM} top -p {program.pid} --interval 0.5") as screen:
        screen.shows(r"PROCESSES by cpu, all nodes, row 1 of 1")
        screen.press("Enter")
        screen.shows(r"row 1 of 5001")
        screen.press("PageDown", "Down")
        row = int(re.search(r"row (\d+) of 5001", screen.shows(r"row (?!1 )\d+ of 5001"))[1])  # type: ignore[index]
        assert 1 < row < 24
        screen.press("s")
        screen.shows(r"by remote, .*of 5001")
        for width, height in ((50, 12), (100, 40)):
            screen.run("resize-window", "-x", str(width), "-y", str(height))
            until(lambda height=height: screen.screen().split("\n")[height - 1].startswith("? help  q quit  p t n m"))
            screen.shows(rf"THREADS of {program.pid} attachee by remote")
        program.do("end")
        screen.shows(r"the processes have ended")
        screen.press("q")
        screen.shows(r"status 0")


@pytest.mark.parametrize(("name", "why"), [("no-such-terminal", "is unknown"), ("dumb", "cannot move its cursor")])
def test_a_terminal_that_cannot_show_it(tmp_path: Path, name: str, why: str) -> None:
    with attachee() as program:
        words = ["/usr/bin/env", f"TERM={name}", PROGRAM, "top", "-p", program.pid]
        with Terminal(words, tmp_path) as terminal:
            terminal.expect(rf"the terminal '{name}' {why}; set TERM, or numaprof top --once")
            assert terminal.wait() == 125


def test_the_screen_is_loaded_for_this_command_only() -> None:
    code = "import sys, numaprof.commands.top, numaprof.commands.report; print('curses' in sys.modules)"
    python = TREE / "build" / "venv" / "bin" / "python"
    assert subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
