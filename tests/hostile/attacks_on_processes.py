# SPDX-License-Identifier: Apache-2.0
"""Attacks on processes: kills, stops and signals at random moments, and processes that do their worst."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import NOBODY, PROGRAM
from hostile.kinds import PATIENCE_S, Kind, as_alone, assert_complete, assert_readable, record
from running import children_of, is_alive, rows, run_command, state_of, target, until

MOMENT_S = 0.3  # as long as a run takes on a quiet machine


def _work(chance: random.Random) -> str:
    """A command that does something of its own for a while, and ends with 0."""
    return chance.choice(
        [
            f"{target('touch')} {chance.randint(1, 32)} {chance.randint(4, 8192)}",
            f"{target('fork_server')} {chance.randint(1, 64)} 64",
            f"{target('short_threads')} {chance.randint(1, 300)} 4 16",
            f"for i in 1 2 3 4 5 6 7 8; do {target('touch')} 2 64 || exit; done",
            f"{target('touch')} 4 64 & {target('touch')} 4 64 & wait",
            f"yes | {target('many_blocks')} {chance.randint(1, 20000)} >/dev/null",
        ]
    )


@contextmanager
def _running(folder: Path, script: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """numaprof and the shell that is its program; the shell has said that it runs."""
    command = [str(PROGRAM), "record", "-q", "-o", str(folder / "r.numaprof"), "sh", "-c", f"echo $$; {script}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout
        yield recorder, int(recorder.stdout.readline())


def _wait_a_moment(chance: random.Random, process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(chance.uniform(0, MOMENT_S))


def _kill_the_recorder(chance: random.Random, folder: Path) -> None:
    ended = folder / "ended"
    with _running(folder, f"({_work(chance)}); echo $? > {ended}") as (recorder, shell):
        _wait_a_moment(chance, recorder)
        recorder.kill()
        until(lambda: not is_alive(shell), PATIENCE_S)
    assert ended.read_text() == "0\n"
    assert_readable(folder / "r.numaprof")


def _kill_before_the_program_runs(chance: random.Random, folder: Path) -> None:
    """Also while it opens the recording and the events: the program then runs to its end, or never began."""
    began, ended = folder / "began", folder / "ended"
    command = [str(PROGRAM), "record", "-q", "-o", str(folder / "r.numaprof"), "sh", "-c"]
    with subprocess.Popen([*command, f"echo > {began}; {target('touch')} 2 64; echo $? > {ended}"]) as recorder:
        with contextlib.suppress(subprocess.TimeoutExpired):
            recorder.wait(chance.uniform(0, 0.05))
        recorder.send_signal(signal.SIGSTOP)
        until(lambda: state_of(recorder.pid) in ("T", "Z", ""), PATIENCE_S)  # it starts nobody any more
        children = children_of(recorder.pid)
        recorder.kill()
    until(lambda: not any(map(is_alive, children)), PATIENCE_S)
    assert not began.exists() or ended.read_text() == "0\n"
    if (folder / "r.numaprof").exists():
        assert_readable(folder / "r.numaprof")


def _tree_below(pid: int) -> list[int]:
    found = children_of(pid)
    for child in found:
        found.extend(_tree_below(child))
    return found


def _kill_processes_of_the_program(chance: random.Random, folder: Path) -> None:
    number = chance.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT])
    with _running(folder, f"({_work(chance)}) & ({_work(chance)}) & wait; wait; exit 7") as (recorder, _):
        for _ in range(chance.randint(1, 4)):
            _wait_a_moment(chance, recorder)
            if recorder.poll() is None and (victims := _tree_below(recorder.pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(victims), number)
        status = recorder.wait(PATIENCE_S)
    assert status in (7, -number), status
    assert_complete(folder)


def _stop_the_recorder(chance: random.Random, folder: Path) -> None:
    work = " ".join(f"{target('touch')} {chance.randint(1, 16)} 64 &" for _ in range(chance.randint(1, 3)))
    with _running(folder, f"{work} wait; echo did; read word") as (recorder, shell):
        _wait_a_moment(chance, recorder)
        recorder.send_signal(signal.SIGSTOP)
        until(lambda: not is_alive(shell), PATIENCE_S)
        recorder.send_signal(signal.SIGCONT)
        assert recorder.stdout
        assert recorder.stdout.read() == "did\n"
        assert recorder.wait(PATIENCE_S) == 1  # that of read, without an input
    assert_complete(folder)


KEYBOARD = {signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCHLD}
NOT_SENT = {signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGHUP, 32, 33}
SIGNALS = sorted(set(range(1, signal.SIGRTMAX + 1)) - NOT_SENT)


def _send_signals(chance: random.Random, folder: Path) -> None:
    command = [str(PROGRAM), "record", "-q", "-o", str(folder / "r.numaprof"), str(target("signals"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout
        assert recorder.stdout.readline() == "ready\n"
        for _ in range(chance.randint(1, 60)):
            number = chance.choice(SIGNALS)
            os.kill(recorder.pid, number)
            if number not in KEYBOARD:
                assert recorder.stdout.readline() == f"{int(number)} 0\n"
        recorder.terminate()
        assert recorder.wait(PATIENCE_S) == 0
    assert_complete(folder)


def _interrupt(chance: random.Random, folder: Path) -> None:
    """TERM and HUP at any moment, also several: both numaprof and the program end, and the recording can be read."""
    with _running(folder, f"while ({_work(chance)}); do :; done") as (recorder, shell):
        while recorder.poll() is None:
            _wait_a_moment(chance, recorder)
            recorder.send_signal(chance.choice([signal.SIGTERM, signal.SIGHUP]))
        until(lambda: not is_alive(shell), PATIENCE_S)
        assert recorder.returncode in (-signal.SIGTERM, -signal.SIGHUP), recorder.returncode
    assert_readable(folder / "r.numaprof")


def _write_chance_to_the_channel(chance: random.Random, folder: Path) -> None:
    done = record(folder, target("hostile"), chance.randrange(1 << 32), 20)
    assert (done.status, done.err) == (0, "")
    assert_complete(folder)


def _write_chance_as_a_sibling(chance: random.Random, folder: Path) -> None:
    user = " ".join(chance.choice([[], NOBODY]))
    script = (
        f"{user} {target('hostile')} {chance.randrange(1 << 32)} 400 & "
        f"for i in 1 2 3; do {target('touch')} 8 64 || exit 9; done; kill $!; wait; exit 5"
    )
    assert record(folder, "sh", "-c", script).status == 5
    assert_complete(folder)


def _stop_ranks(chance: random.Random, folder: Path) -> None:
    """Some recorders are stopped at a random moment, and continued when all others have ended."""
    count = chance.randint(2, 4)
    words = [PROGRAM, "record", "-q", "-o", "job", "sh", "-c", _work(chance)]
    ranks = []
    for number in range(count):
        environment = {**os.environ, "PMI_RANK": str(number), "PMI_SIZE": str(count)}
        ranks.append(subprocess.Popen(list(map(str, words)), cwd=folder, env=environment, stdin=subprocess.DEVNULL))
    stopped = chance.sample(ranks, chance.randint(1, count - 1))
    with contextlib.suppress(subprocess.TimeoutExpired):
        ranks[0].wait(chance.random() * MOMENT_S)
    for rank in stopped:
        rank.send_signal(signal.SIGSTOP)
    try:
        assert [rank.wait(PATIENCE_S) for rank in ranks if rank not in stopped] == [0] * (count - len(stopped))
    finally:
        for rank in stopped:
            rank.send_signal(signal.SIGCONT)
    assert [rank.wait(PATIENCE_S) for rank in stopped] == [0] * len(stopped)
    assert len(list((folder / "job").glob("rank-*.numaprof"))) == count


def _connect_as_a_stranger(chance: random.Random, folder: Path) -> None:
    children = chance.randint(10, 60)
    with tempfile.TemporaryDirectory(prefix="numaprof-test-") as public:
        Path(public).chmod(0o755)
        address = Path(public) / "address"
        command = [*chance.choice([[], NOBODY]), str(target("stranger")), str(address), "guess"]
        script = f'printf "%s\\n" "$NUMAPROF_CHANNEL" > {address}; exec {target("fork_server")} {children} 64'
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stranger:
            done = record(folder, "sh", "-c", script)
            out, _ = stranger.communicate()
    assert done.status == 0
    assert int(out.split()[1]) == 0, "it got the segment"
    assert rows(folder / "r.numaprof", "SELECT count(*) FROM process") == [children + 1]


def _be_realtime(_: random.Random, folder: Path) -> None:
    done = record(folder, target("realtime"))
    assert done.status in (0, 77), done  # 77: no real-time threads here
    assert_complete(folder)


ACTIONS = ("nothing", "malloc", "map", "execve", "execvp", "vfork", "fork", "spawn", "spawnp", "affinity")


def _use_small_stacks(chance: random.Random, folder: Path) -> None:
    signals = chance.random() < 0.5
    bytes_ = chance.randrange(8192 if signals else 16384, 65536, 4096)
    actions = [f"{action}{'@signal' if signals else ''}" for action in chance.choices(ACTIONS, k=chance.randint(1, 20))]
    environment = {**os.environ, **{f"FILLER_{i}": "x" * chance.randint(0, 200) for i in range(chance.randint(0, 100))}}
    if run_command(target("small_stack"), bytes_, *actions, env=environment).status != 0:
        return  # too small for the program alone
    done = record(folder, target("small_stack"), bytes_, *actions, env=environment)
    assert (done.status, done.err) == (0, ""), (bytes_, actions, done)
    assert_complete(folder)


def _fork_and_thread_in_crowds(chance: random.Random, folder: Path) -> None:
    crowd = chance.choice(
        [
            [target("fork_server"), chance.randint(100, 400), 4],
            [target("touch"), chance.randint(100, 500), 4],
            [target("short_threads"), chance.randint(500, 2000), 1, 1],
            ["sh", "-c", f"for i in $(seq {chance.randint(50, 150)}); do /bin/true; done"],
        ]
    )
    as_alone(folder, *crowd)


ROOT = ("root",)
KINDS = (
    Kind(
        "recorder killed",
        "the program runs to its own end, and the recording holds all but the last batch",
        _kill_the_recorder,
        2,
        100,
    ),
    Kind(
        "recorder killed at its start",
        "the program runs to its own end or does not begin",
        _kill_before_the_program_runs,
        1,
        60,
    ),
    Kind(
        "recorder stopped",
        "the program runs to its own end; each of its processes waits at most 2 s, once",
        _stop_the_recorder,
        1,
        30,
    ),
    Kind(
        "processes killed",
        "numaprof ends as the program does, and the recording is complete",
        _kill_processes_of_the_program,
        2,
        100,
    ),
    Kind("signals", "each reaches the program, or nobody as docs/signals.md says", _send_signals, 1, 60),
    Kind("TERM and HUP", "the program gets them, both end, and the recording can be read", _interrupt, 1, 40),
    Kind(
        "hostile descendant",
        "chance in all shared memory ends neither the recorder nor the recording",
        _write_chance_to_the_channel,
        1,
        60,
    ),
    Kind(
        "hostile sibling",
        "chance in all shared memory, also from another user, changes no other program of the run",
        _write_chance_as_a_sibling,
        1,
        30,
        ROOT,
    ),
    Kind(
        "strangers",
        "processes that the program did not start get no shared memory, and cost no record",
        _connect_as_a_stranger,
        1,
        30,
        ("root", "perf_event"),
    ),
    Kind(
        "real-time threads",
        "no thread of the program waits for another one inside the preload library",
        _be_realtime,
        1,
        10,
        ROOT,
    ),
    Kind("stopped ranks", "no rank waits for another one of its job", _stop_ranks, 1, 30),
    Kind("small stacks", "a program that runs on its stacks alone runs on them recorded", _use_small_stacks, 2, 100),
    Kind("crowds", "hundreds of threads and processes end as they do alone", _fork_and_thread_in_crowds, 1, 30),
)
