# SPDX-License-Identifier: Apache-2.0
"""What bad surroundings get: one line of cause and remedy, the best evidence left, and a recording all the same."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BUILD, NOBODY, PROGRAM, TREE, build_once
from running import (
    Ended,
    has_rows,
    is_alive,
    one,
    reports,
    rows,
    run,
    run_as_nobody,
    run_command,
    target,
    touched_pages,
    until,
)

EVIDENCE = "SELECT used, why_not, remedy FROM evidence WHERE collector = '{}' ORDER BY level DESC LIMIT 1"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "r.numaprof"


def forbid(call: str, answer: str) -> list[object]:
    """Before a command: it gets this answer to that system call."""
    return [build_once(BUILD / "tests" / "forbid", str(TREE / "tests" / "launchers" / "forbid.c")), call, answer]


def report(recording: Path) -> Ended:
    return reports("report", recording)


def assert_one_line(done: Ended, *words: str) -> None:
    assert done.err.count("\n") == 1, done.err
    assert ";" in done.err, "a cause and a remedy"
    for word in words:
        assert word in done.err


def assert_threads(recording: Path, threads: int) -> None:
    assert one(recording, "SELECT complete FROM run") == 1
    assert rows(recording, "SELECT pin, from_start, end_ns IS NOT NULL, count(*) FROM thread GROUP BY 1, 2, 3") == [
        ("planned", 1, 1, threads)
    ]


def test_a_program_that_closes_its_descriptors(recording: Path) -> None:
    assert run("record", "-q", "-o", recording, target("closes")) == (0, "", "")
    assert one(recording, "SELECT count(*) FROM process WHERE followed = 'preload' AND end_ns IS NOT NULL") == 2
    assert rows(recording, "SELECT DISTINCT pin FROM thread") == ["planned"]
    assert touched_pages(recording, 2) >= 256


@pytest.mark.parametrize("answer", ["EPERM", "ENOSYS", "EACCES"])
def test_no_perf_event_open(answer: str, recording: Path) -> None:
    command = [*forbid("perf_event_open", answer), PROGRAM, "record", "--no-report", "-o", recording]
    done = run_command(*command, target("touch"), 3, 1024)
    assert done.status == 0
    first, second = done.err.splitlines()
    assert "page faults are not recorded" in first
    assert "recorded to" in second
    assert one(recording, EVIDENCE.format("faults"))[0] == 0
    assert one(recording, EVIDENCE.format("pages"))[0] == 1
    assert one(recording, "SELECT sum(known) FROM snapshot") >= 3 * 256
    assert_threads(recording, 4)
    assert report(recording).status == 0


def test_no_move_pages(recording: Path) -> None:
    command = [*forbid("move_pages", "EPERM"), PROGRAM, "record", "-q", "-o", recording]
    assert run_command(*command, target("touch"), 3, 1024) == (0, "", "")
    assert "numa_maps" in rows(recording, "SELECT DISTINCT method FROM snapshot")
    assert touched_pages(recording) >= 3 * 256


def test_neither(recording: Path) -> None:
    command = [*forbid("move_pages", "EPERM"), *forbid("perf_event_open", "EPERM"), PROGRAM, "record", "-q"]
    assert run_command(*command, "-o", recording, target("touch"), 3, 1024) == (0, "", "")
    assert one(recording, "SELECT max(known) FROM snapshot WHERE method = 'numa_maps'") >= 3 * 256
    assert_threads(recording, 4)
    assert report(recording).status == 0


@pytest.mark.requires("mounts")
def test_no_proc(recording: Path) -> None:
    touch = target("touch")
    script = f"mount -t tmpfs none /proc && exec {PROGRAM} record --no-report -o {recording} {touch} 3 1024"
    done = run_command("unshare", "-m", "sh", "-c", script)
    assert done.status == 0
    assert "there is no /proc" in done.err.splitlines()[0]
    assert one(recording, EVIDENCE.format("pages")) == (0, "there is no /proc", "mount -t proc proc /proc")
    assert touched_pages(recording) >= 3 * 256
    assert_threads(recording, 4)


@pytest.mark.requires("mounts")
def test_threads_that_proc_does_not_show_are_not_over(recording: Path) -> None:
    """One second is four scans for ends that nobody told."""
    script = f"mount -t tmpfs none /proc && exec {PROGRAM} record -q -o {recording} sleep 1"
    assert run_command("unshare", "-m", "sh", "-c", script).status == 0
    assert one(recording, "SELECT from_start, thread.end_ns >= 1e9 FROM thread") == (1, 1)


@pytest.mark.requires("root")
def test_an_ordinary_user(public_place: Path) -> None:
    shutil.copy(target("touch"), public_place)
    assert run_as_nobody(public_place, public_place / "touch", 3, 1024) == (0, "", "")
    assert_threads(public_place / "r.numaprof", 4)


@pytest.mark.requires("root")
def test_an_ordinary_user_at_a_paranoid_level_that_forbids_all(public_place: Path) -> None:
    """Debian's 3 and Ubuntu's 4 answer EACCES, which this kernel's levels do not know: a filter answers so."""
    launcher = public_place / "forbid"
    shutil.copy(forbid("perf_event_open", "EACCES")[0], launcher)
    shutil.copy(target("touch"), public_place)
    recording = public_place / "r.numaprof"
    command = [*NOBODY, launcher, "perf_event_open", "EACCES"]
    done = run_command(
        *command, public_place / "numaprof", "record", "-q", "-o", recording, public_place / "touch", 3, 1024
    )
    assert done == (0, "", "")
    used, why, remedy = one(recording, EVIDENCE.format("faults"))
    assert used == 0
    assert why
    assert remedy
    assert one(recording, "SELECT sum(known) FROM snapshot") >= 3 * 256


def limited(files: int) -> list[object]:
    return ["prlimit", f"--nofile={files}:{files}"]


@pytest.mark.parametrize("files", [16, 64])
@pytest.mark.requires("root")
def test_few_open_files(files: int, public_place: Path) -> None:
    """A limit that an ordinary user cannot raise."""
    shutil.copy(target("touch"), public_place)
    recording = public_place / "r.numaprof"
    command = [
        *limited(files),
        *NOBODY,
        public_place / "numaprof",
    ]
    done = run_command(*command, "record", "-q", "-o", recording, public_place / "touch", 30, 64, cwd=public_place)
    assert done == (0, "", "")
    assert_threads(recording, 31)


def test_limits_and_priority_of_the_program_are_its_own(recording: Path) -> None:
    for files in (64, 1024):
        command = ["prlimit", f"--nofile={files}:4096"]
        alone = run_command(*command, target("limit"))
        recording.unlink(missing_ok=True)
        assert run_command(*command, PROGRAM, "record", "-q", "-o", recording, target("limit")) == alone
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 4096


@pytest.mark.requires("mounts")
@pytest.mark.parametrize("kib", [16, 128, 420, 1200])
def test_a_full_disk(kib: int, tmp_path: Path) -> None:
    """Too full to begin: nothing is run. Full on the way: the program runs to its end, and is recorded so far."""
    ran, copy = tmp_path / "ran", tmp_path / "copy"
    touch = target("touch")
    script = (
        f"mount -t tmpfs -o size={kib}k none /mnt && "
        f"{PROGRAM} record -q -o /mnt/r sh -c '{touch} 8 8192; {touch} 8 8192; {touch} 8 8192; echo > {ran}; exit 4';"
        f"status=$?; cp /mnt/r {copy} 2>/dev/null; exit $status"
    )
    done = run_command("unshare", "-m", "sh", "-c", script)
    if done.status == 125:
        assert not ran.exists()
        assert not copy.exists()
    else:
        assert done.status == 4
        assert ran.exists()
        shown = report(copy)
        assert shown.status == 0
        assert ("it could not be written any further: No space left" in shown.out) == (done.err != "")
    if kib < 420:
        assert done.status == 125
    if done.err or kib < 1200:  # the last may hold all of it
        assert_one_line(done, "No space left", "-o")


@pytest.mark.requires("mounts")
def test_a_disk_that_others_fill_meanwhile(tmp_path: Path) -> None:
    """To its last byte: the recording has kept the space that it takes to say so."""
    copy, touch = tmp_path / "copy", target("touch")
    script = (
        "mount -t tmpfs -o size=4m none /mnt && "
        f"{PROGRAM} record -q -o /mnt/r sh -c 'cat /dev/zero > /mnt/other; {touch} 8 8192; exit 4' 2>/dev/null;"
        f"status=$?; cp /mnt/r {copy}; exit $status"
    )
    assert run_command("unshare", "-m", "sh", "-c", script).status == 4
    shown = report(copy)
    assert shown.status == 0
    assert shown.out.split("\n\n")[0].count("CUT SHORT: it could not be written any further: No space left") == 1


@pytest.mark.parametrize("moment", ["1", "4", "16", "64"])
def test_a_recorder_killed_while_threads_are_made(moment: str, recording: Path, tmp_path: Path) -> None:
    """The program goes on to its own end, which it tells, and the recording can be read."""
    ended = tmp_path / "ended"
    script = f"echo $$; {target('fork_server')} {moment}; echo; {target('fork_server')} 64 64; echo $? > {ended}"
    command = [str(PROGRAM), "record", "-q", "-o", str(recording), "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout
        shell = int(recorder.stdout.readline())
        recorder.stdout.readline()
        recorder.kill()
        until(lambda: not is_alive(shell))
        assert recorder.wait() == -signal.SIGKILL
    assert ended.read_text() == "0\n"
    done = report(recording)
    assert done.status == 0 or "holds no run" in done.err, done


def test_a_recorder_that_is_stopped_does_not_stop_the_program(recording: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    script = f"echo $$; read word < {fifo}; {target('touch')} 4 64; echo done"
    command = [str(PROGRAM), "record", "-q", "-o", str(recording), "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout
        recorder.stdout.readline()
        recorder.send_signal(signal.SIGSTOP)
        fifo.write_text("go\n")
        assert recorder.stdout.readline() == "done\n"
        recorder.send_signal(signal.SIGCONT)
        assert recorder.wait() == 0
    assert one(recording, "SELECT complete FROM run") == 1


def test_what_a_stopped_recorder_did_not_hear_is_counted(recording: Path) -> None:
    """The program marks what counts, waits for 2 s, and goes on."""
    mark = "ctypes.CDLL(None).numaprof_region_start()"
    script = f"import ctypes; print('ready', flush=True); input(); {mark}; print('done', flush=True); input()"
    command = [str(PROGRAM), "record", "-q", "--paused", "-o", str(recording), sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdin and recorder.stdout
        assert recorder.stdout.readline() == "ready\n"
        recorder.send_signal(signal.SIGSTOP)
        recorder.stdin.write("\n")
        recorder.stdin.flush()
        assert recorder.stdout.readline() == "done\n"
        recorder.send_signal(signal.SIGCONT)
        recorder.communicate("\n")
    assert recorder.returncode == 0
    assert rows(recording, "SELECT * FROM window") == []
    assert one(recording, "SELECT value >= 1 FROM note WHERE kind = 'unmatched' AND text LIKE '%not taken in time%'")


def test_threads_behind_the_libraries_back(recording: Path) -> None:
    """The kernel tells of them; without it /proc does, and they are marked as found late."""
    program = target("raw_threads")
    assert run("record", "-q", "-o", recording, program, 50) == (0, "", "")
    assert one(recording, "SELECT count(*) FROM thread") == 2
    recording.unlink()
    command = [*forbid("perf_event_open", "EPERM"), PROGRAM, "record", "-q", "-o", recording]
    assert run_command(*command, program, 2000) == (0, "", "")
    assert rows(recording, "SELECT from_start FROM thread ORDER BY id") == [1, 0]


@pytest.mark.parametrize(("kib", "status"), [(50, 125), (700, 0)])
def test_a_limit_for_files(kib: int, status: int, recording: Path) -> None:
    """It holds for shared memory too, and kills who does not ask first: neither us nor the program."""
    command = ["prlimit", f"--fsize={kib << 10}", PROGRAM, "record", "-q", "-o", recording, target("touch"), 3, 1024]
    done = run_command(*command)
    assert done.status == status
    if status:
        assert_one_line(done, "File too large", "ulimit -f")
    else:
        assert report(recording).status == 0


def test_a_limit_for_files_that_is_met_later(recording: Path) -> None:
    """What was written before can be read, and the remedy is that of the limit, not of a full disk."""
    command = ["prlimit", f"--fsize={256 << 10}", PROGRAM, "record", "-q", "-o", recording, target("touch"), 20, 20000]
    done = run_command(*command)
    assert done.status == 125
    assert_one_line(done, "File too large", "it holds what was written before", "ulimit -f")
    assert report(recording).status == 0


@pytest.mark.requires("root")
def test_no_locked_memory_but_the_allowance(public_place: Path) -> None:
    """The rings of all CPUs share it evenly."""
    shutil.copy(target("touch"), public_place)
    recording = public_place / "r.numaprof"
    command = ["prlimit", "--memlock=0", *NOBODY]
    command += [public_place / "numaprof", "record", "-q", "-o", recording, public_place / "touch", 3, 1024]
    assert run_command(*command, cwd=public_place) == (0, "", "")
    assert touched_pages(recording) >= 3 * 256


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
def test_a_report_that_nobody_can_read(closed: str, recording: Path) -> None:
    assert run("record", "-q", "-o", recording, "true").status == 0
    done = run_command("sh", "-c", f"exec {BUILD / 'numaprof-reports'} report {recording} {closed}")
    assert done == (0, "", "")


def test_the_commands_that_a_report_suggests_work_twice(tmp_path: Path) -> None:
    """A recording is never overwritten, and the next change comes soon."""
    assert run("record", "-q", "-o", "before.numaprof", target("touch"), 2, 64, cwd=tmp_path).status == 0
    done = run_command(BUILD / "numaprof-reports", "report", "--full", "before.numaprof", cwd=tmp_path)
    first, second = (line.split() for line in done.out.splitlines()[-2:])
    for _ in range(2):
        before = set(tmp_path.iterdir())
        again = run_command(PROGRAM, *first[1:], cwd=tmp_path)
        (new,) = set(tmp_path.iterdir()) - before
        assert again.status == 0 and new.name in again.out + again.err
        compare = [new.name if word == "NEW" else word for word in second[1:]]
        assert run_command(PROGRAM, *compare, cwd=tmp_path).status == 0


LIBRARY = """#include <stddef.h>
void fill(char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    memory[bytes - 1] = 7;
}
"""


@pytest.mark.requires("gcc", "perf_event")
def test_a_library_that_is_emptied_in_place_ends_no_recording(tmp_path: Path) -> None:
    """As cp and install do before they write. The recorder has it mapped: its first touches led there."""
    (tmp_path / "library.c").write_text(LIBRARY)
    library, recording = tmp_path / "library.so", tmp_path / "r.numaprof"
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", library, tmp_path / "library.c"], check=True)
    command = [PROGRAM, "record", "-q", "-o", recording, target("truncated_library"), library]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "7\n"
        until(lambda: has_rows(recording, "sample"))
        process.communicate("\n")
    assert process.returncode == 0
    assert rows(recording, "SELECT complete FROM run") == [1]
    assert rows(recording, "SELECT value FROM note WHERE kind = 'replaced'") == [1]
