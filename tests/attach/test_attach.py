# SPDX-License-Identifier: Apache-2.0
"""`numaprof attach`: what it sees of a program that runs already, and that it leaves the program as it was."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from attaching import LATE_PAGES, PAGE, Attachee, attached, attachee, gone, refused, state, waits, with_pmu
from conftest import BUILD, NOBODY, NOBODY_ID, PROGRAM, TREE, build_once
from numaprof.evidence.evidence import load
from running import children_of, one, reports, rows, run, run_command, target, until

TICK_NS = 1e9 / os.sysconf("SC_CLK_TCK")
ESTIMATED = 0.2  # of faults that come faster than they are recorded samples stand for several
FIRST_TOUCHES = (
    "SELECT coalesce(sum(weight), 0) FROM sample JOIN thread ON thread.id = thread WHERE kind IN (10, 19) AND {}"
)
OF_COMPILED = (
    "stack IN (SELECT stack.id FROM stack JOIN place ON place.id = place WHERE function = 'LEarly;::compiled()')"
)
OF_EARLY = "SELECT count(*) FROM sample WHERE kind IN (10, 11, 12) AND address BETWEEN {} AND {}"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "r.numaprof"


def assert_touched(recording: Path, which: str, pages: int) -> None:
    """On a busy machine the kernel drops records, which it says, and what ends soon leaves faults of unknown kind."""
    seen = one(recording, FIRST_TOUCHES.format(which))
    lost = one(recording, "SELECT coalesce(sum(value), 0) FROM note WHERE kind = 'lost'")
    assert seen <= pages * (1 + ESTIMATED)
    assert seen + lost >= pages * (1 - ESTIMATED)


@pytest.mark.requires("perf_event")
def test_threads_processes_and_first_touches_from_now_on(recording: Path) -> None:
    with attachee() as program:
        program.do("thread")
        with attached(program.pid, recording) as recorder:
            program.do("touch")
            program.do("thread")
            program.do("fork")
        assert recorder.status == 0
        assert recorder.said == f"numaprof: recorded to {recording}; read it with: numaprof report {recording}\n"
    assert one(recording, "SELECT complete, exit_status, pid FROM run") == (
        1,
        None,
        program.pid,
    )
    assert rows(recording, "SELECT pid, followed FROM process")[0] == (
        program.pid,
        "attached",
    )
    assert rows(recording, "SELECT from_start, pin FROM thread") == [(0, "none")] * 4
    assert rows(recording, "SELECT name FROM thread") == ["attachee"] * 4
    assert one(recording, "SELECT process FROM attached WHERE age_ns > 0") == 1
    # The main thread, the new one, and the child filled 4 MiB each; their stacks and libc's data are some pages more.
    assert_touched(recording, "process = 2", LATE_PAGES)
    assert_touched(recording, "process = 1", 2 * LATE_PAGES)
    assert_touched(recording, f"tid = {program.pid}", LATE_PAGES)


@pytest.mark.requires("perf_event")
def test_age_and_date_are_the_kernels_where_a_library_bends_clocks(recording: Path) -> None:
    """As libfaketime does: ten times as fast, from a day ago."""
    source = TREE / "tests" / "targets" / "bent_clock.c"
    library = build_once(BUILD / "tests" / "targets" / "bent_clock.so", str(source), "-shared", "-fPIC")
    begun = time.time()
    with attachee() as program, attached(program.pid, recording, command=("env", f"LD_PRELOAD={library}", PROGRAM)):
        pass
    ended = time.time()
    assert 0 < one(recording, "SELECT age_ns FROM attached") <= (ended - begun) * 1e9 + TICK_NS
    assert begun - 1 <= one(recording, "SELECT CAST(strftime('%s', started_at) AS INTEGER) FROM run") <= ended


def assert_filled_by_children(recording: Path, users: str) -> None:
    """users: the query of process and pages; each of the two children touches its half."""
    lost = one(recording, "SELECT coalesce(sum(value), 0) FROM note WHERE kind = 'lost'")
    filled = rows(recording, users)
    assert [process for process, _ in filled] == [2, 3]
    for _, pages in filled:
        assert LATE_PAGES * (1 - ESTIMATED) - lost <= pages <= LATE_PAGES * (1 + ESTIMATED)


@pytest.mark.requires("perf_event")
def test_cpu_time_is_that_since_attaching(recording: Path) -> None:
    def ran() -> int:
        return int(Path(f"/proc/{program.pid}/schedstat").read_text().split()[0])

    with attachee() as program:
        before = ran()
        with attached(program.pid, recording, "--without", "counters"):
            begun = ran()
            program.do("touch")
            until(lambda: Path(f"/proc/{program.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S")
            most = ran() - begun
        assert most <= one(recording, "SELECT cpu_ns FROM thread") <= ran() - before


@pytest.mark.requires("perf_event")
def test_a_process_whose_main_thread_has_ended(recording: Path) -> None:
    """The kernel shows its memory by the numbers of its other threads."""
    with attachee() as program:
        early = _early(program)
        program.do("thread")
        program.do("leave")
        until(lambda: Path(f"/proc/{program.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z")
        with attached(program.pid, recording) as recorder:
            program.do("touch")
            program.do("thread")
            program.do("fork")
        tids = {int(task.name) for task in Path(f"/proc/{program.pid}/task").iterdir()} - {program.pid}
    assert recorder.status == 0
    assert set(rows(recording, "SELECT tid FROM thread WHERE process = 1")) == tids
    assert rows(recording, "SELECT exe FROM process WHERE id = 1")[0].endswith("/attachee")
    assert span_with_nodes(recording, *early) == pytest.approx(LATE_PAGES * 4, abs=64)
    assert rows(recording, "SELECT text FROM note WHERE kind = 'refused'") == []
    assert_touched(recording, "process = 1", 2 * LATE_PAGES)


@pytest.mark.requires("perf_event")
def test_memory_that_processes_share_is_one_object(recording: Path) -> None:
    """Each child fills a half of it."""
    with attachee() as program, attached(program.pid, recording):
        program.do("share")
    query = "SELECT block.id, bytes FROM block JOIN object ON object.id = object WHERE kind = 'shared'"
    block, size = one(recording, query)
    assert size == 2 * LATE_PAGES * PAGE
    touches = f"FROM sample JOIN thread ON thread.id = sample.thread WHERE sample.kind IN (10, 19) AND block = {block}"
    assert_filled_by_children(recording, f"SELECT process, sum(weight) {touches} GROUP BY process")


@pytest.mark.requires("perf_event")
def test_shared_memory_at_different_addresses_is_one_object(recording: Path) -> None:
    """Each child fills a half of it, through a mapping at an address of its own."""
    with attachee() as program, attached(program.pid, recording):
        program.do("elsewhere")
    of_shared = "JOIN object ON object.id = object WHERE object.kind = 'shared'"
    (name,) = rows(recording, "SELECT name FROM object WHERE kind = 'shared'")
    assert len(rows(recording, f"SELECT DISTINCT block.address FROM block {of_shared}")) == 2
    (found,) = (found for found in load(str(recording)).objects.found if found.name == name)
    assert found.bytes == 2 * LATE_PAGES * PAGE
    touches = f"FROM sample JOIN thread ON thread.id = sample.thread JOIN block ON block.id = block {of_shared}"
    users = f"SELECT thread.process, sum(weight) {touches} AND sample.kind IN (10, 19) GROUP BY 1"
    assert_filled_by_children(recording, users)


@pytest.mark.requires("perf_event")
def test_what_was_placed_before_has_pages_and_no_first_touch(recording: Path) -> None:
    with attachee() as program, attached(program.pid, recording):
        start, end = _early(program)
        program.do("touch")
    assert one(recording, OF_EARLY.format(start, end)) == 0
    assert span_with_nodes(recording, start, end) == pytest.approx(LATE_PAGES * 4, abs=64)
    assert rows(recording, "SELECT method FROM snapshot WHERE method <> 'move_pages'") == []
    assert rows(recording, "SELECT cause FROM snapshot")[-1] == "detach"


def span_with_nodes(recording: Path, start: int, end: int) -> int:
    """Pages of it whose node the last snapshot knows."""
    seen = f"address BETWEEN {start} AND {end} AND node IS NOT NULL AND snapshot = (SELECT max(id) FROM snapshot)"
    span: int = one(recording, f"SELECT sum(span) FROM page_home WHERE {seen}")
    return span


def _early(program: Attachee) -> tuple[int, int]:
    """The addresses of the 16 MiB of its .bss, which lie behind those of its file."""
    found = re.findall(
        r"^(\w+)-(\w+) rw-p 00000000 00:00 0 *$",
        Path(f"/proc/{program.pid}/maps").read_text(),
        re.MULTILINE,
    )
    start, end = max(((int(a, 16), int(b, 16)) for a, b in found), key=lambda span: span[1] - span[0])
    return start, end


def is_recorded(recording: Path, pid: int) -> bool:
    """Its row is on disk, which is later than its events are opened."""
    try:
        return rows(recording, f"SELECT count(*) FROM process WHERE pid = {pid}") == [1]
    except sqlite3.Error:
        return False


@pytest.mark.requires("perf_event", "root")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_program_is_left_as_it_was(recording: Path, how: signal.Signals) -> None:
    with attachee() as program:
        os.sched_setaffinity(program.pid, {min(os.sched_getaffinity(0))})
        program.do("thread")
        until(lambda: waits(program.pid))
        before = state(program.pid)
        with attached(program.pid, recording) as recorder:
            during = state(program.pid)
            until(lambda: is_recorded(recording, program.pid))
            recorder.process.send_signal(how)
            recorder.process.wait()
        assert during == before
        assert state(program.pid) == before
        program.do("touch")
    assert recorder.status == (-9 if how == signal.SIGKILL else 0)
    # What was written before is there to read, however the recorder ended.
    assert rows(recording, "SELECT pid FROM process") == [program.pid]


@pytest.mark.requires("perf_event")
def test_it_ends_with_the_program(recording: Path) -> None:
    with attachee() as program, attached(program.pid, recording) as recorder:
        recorder.ends = True
        program.do("touch")
        program.do("end")
        program.process.wait()
    assert recorder.status == 0
    assert one(recording, "SELECT end_ns IS NOT NULL FROM process")


@pytest.mark.requires("perf_event")
def test_it_ends_after_a_duration(recording: Path) -> None:
    with attachee() as program:
        done = run("attach", "-p", program.pid, "--duration", "0.2", "-o", recording)
        assert done == (
            0,
            "",
            f"numaprof: recorded to {recording}; read it with: numaprof report {recording}\n",
        )
    assert one(recording, "SELECT wall_ns >= 2e8 FROM run")


@pytest.mark.requires("perf_event")
def test_another_program_begins_anew(recording: Path) -> None:
    """After exec all first touches are seen."""
    with attachee() as program, attached(program.pid, recording):
        program.do("exec")
    assert_touched(recording, "process = 1", LATE_PAGES * 4)
    assert one(recording, "SELECT count(*) FROM process") == 1


@pytest.mark.requires("perf_event")
def test_programs_of_later_processes_are_not_expected_to_load_a_library(recording: Path) -> None:
    """The program is executed by a child and by the process itself."""
    program = Attachee(["sh", "-c", 'echo ready; read go; /bin/true; echo "go done"; exec sleep 1000'])
    with attached(program.pid, recording):
        program.do("go")
        until(lambda: Path(f"/proc/{program.pid}/comm").read_text() == "sleep\n")
    program.process.kill()
    program.process.communicate()
    assert [name.rsplit("/", 1)[1] for name in rows(recording, "SELECT exe FROM process")] == ["sleep", "true"]
    assert rows(recording, "SELECT text FROM note WHERE kind = 'not_followed'") == []


@pytest.mark.requires("perf_event", "root")
def test_a_program_with_other_rights_ends_the_recording_of_its_owner(public_place: Path) -> None:
    """Where kernel.perf_event_paranoid is 2 or less. The process lives on, and what was recorded says why it stops."""
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) > 2:
        pytest.skip("kernel.perf_event_paranoid is above 2")
    recording, other = public_place / "r.numaprof", public_place / "other"
    shutil.copy(str(shutil.which("sleep")), other)
    other.chmod(0o4755)
    program = Attachee([*NOBODY, "sh", "-c", f"echo ready; read go; echo 'go done'; exec {other} 1000"])
    with attached(program.pid, recording, command=(*NOBODY, public_place / "numaprof")) as recorder:
        recorder.ends = True
        program.do("go")
    assert program.process.poll() is None
    program.process.kill()
    program.process.communicate()
    assert recorder.status == 0
    assert one(recording, "SELECT text, remedy FROM note WHERE kind = 'not_followed'") == (
        f"process {program.pid} is recorded until it began to run a program with other rights (setuid)",
        "run numaprof as root",
    )


@pytest.mark.requires("perf_event")
def test_several_processes(recording: Path) -> None:
    with attachee() as first, attachee() as second, attached(f"{first.pid},{second.pid},{first.pid}", recording):
        second.do("touch")
        first.do("end")
        first.process.wait()
    assert rows(recording, "SELECT pid FROM process") == [first.pid, second.pid]
    assert_touched(recording, f"tid = {second.pid}", LATE_PAGES)


@pytest.mark.requires("perf_event")
def test_children_that_were_there_belong_to_the_process(recording: Path) -> None:
    """As of a server whose main process waits: the shell starts the program, which has a child of its own later."""
    with attachee("sh", "-c", '"$@"; :', "sh") as shell:
        (program,) = children_of(shell.pid)
        with attached(shell.pid, recording):
            shell.do("touch")
            shell.do("fork")
        assert "attachee" in run("top", "--once", "--interval", "0.1", "-p", shell.pid).out
        shell.do("end")
    assert rows(recording, "SELECT pid, followed FROM process")[:2] == [(shell.pid, "attached"), (program, "attached")]
    assert rows(recording, "SELECT followed FROM process")[2:] == ["inherited"]
    assert_touched(recording, f"tid = {program}", LATE_PAGES)


STARTS_ONE = "echo ready; read go; sleep 1000 & echo go done; read end; kill $!"


def test_without_page_faults_children_are_found_later(recording: Path) -> None:
    """Events of page faults report forks. Without them a scan finds the child."""
    program = Attachee(["sh", "-c", STARTS_ONE])
    with attached(program.pid, recording, "--without", "faults"):
        program.do("go")
        (child,) = children_of(program.pid)
        until(lambda: is_recorded(recording, child))
    program.do("end")
    program.process.communicate()
    assert rows(recording, "SELECT pid FROM process WHERE followed = 'attached'") == [program.pid, child]
    (note,) = rows(recording, "SELECT text FROM note WHERE kind = 'not_followed'")
    assert "within half a second" in note


@pytest.mark.requires("perf_event", "root")
def test_its_owner_needs_no_privilege(public_place: Path) -> None:
    """Where kernel.perf_event_paranoid is 2 or less."""
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) > 2:
        pytest.skip("kernel.perf_event_paranoid is above 2")
    recording = public_place / "r.numaprof"
    with attachee(*NOBODY) as program, attached(program.pid, recording, command=(*NOBODY, public_place / "numaprof")):
        program.do("touch")
    assert_touched(recording, "1", LATE_PAGES)
    assert one(recording, "SELECT detail FROM evidence WHERE collector = 'faults'").endswith(
        "without those inside system calls"
    )


@pytest.mark.requires("perf_event", "mounts")
def test_a_container_from_its_host(recording: Path) -> None:
    """Its threads have other numbers in their own pid namespace."""
    with attachee("unshare", "-p", "-f", "--mount-proc") as program:
        (inner,) = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
        with attached(inner, recording):
            program.do("thread")
    assert one(recording, "SELECT pid FROM process") == int(inner)
    assert_touched(recording, f"tid <> {inner}", LATE_PAGES)


@pytest.mark.requires("perf_event")
def test_the_report_says_so(recording: Path) -> None:
    with attachee() as program, attached(program.pid, recording):
        program.do("touch")
    done = run("report", "--full", recording)
    assert done.status == 0, done.err
    assert f"ATTACHED to process {program.pid}, " in done.out
    assert "first touch not seen" in done.out


@pytest.mark.requires("perf_event")
def test_page_diff_and_check_read_it(recording: Path, tmp_path: Path) -> None:
    later, page = tmp_path / "later.numaprof", tmp_path / "page.html"
    with attachee() as program:
        for each in (recording, later):
            with attached(program.pid, each):
                program.do("touch")
    assert reports("report", "--html", page, recording).status == 0
    assert f"ATTACHED to process {program.pid}, " in html.unescape(page.read_text())
    compared = reports("diff", recording, later)
    assert (compared.status, compared.err) == (0, "")
    assert "attachee" in compared.out
    checked = reports("check", "--max-remote", "50%", recording)
    assert (checked.status in (0, 121, 122), checked.err) == (True, "")  # what it judges depends on the machine
    assert str(recording) in checked.out


def second_of_files(place: Path) -> int:
    """By the clock that files have, which goes in steps."""
    place.touch()
    return int(place.stat().st_mtime)


def record_compiled(program: Attachee, recording: Path) -> None:
    """Attaches in a later second than that in which the compiler told its names."""
    program.do("compile")
    names = Path(f"/tmp/perf-{program.pid}.map")
    try:
        until(lambda: second_of_files(recording.with_name("now")) > int(names.stat().st_mtime))
        with attached(program.pid, recording):
            program.do("compiled")
    finally:
        names.unlink()


@pytest.mark.requires("perf_event", "x86_64")
def test_code_that_was_compiled_before_has_its_name(recording: Path) -> None:
    with attachee() as program:
        record_compiled(program, recording)
    assert_touched(recording, OF_COMPILED, LATE_PAGES)


@pytest.mark.requires("perf_event", "root", "x86_64")
def test_root_believes_the_names_that_the_owner_of_the_process_wrote(recording: Path) -> None:
    with attachee(*NOBODY) as program:
        record_compiled(program, recording)
    assert_touched(recording, OF_COMPILED, LATE_PAGES)


@pytest.mark.requires("perf_event")
def test_a_variable_has_its_name(recording: Path) -> None:
    with attachee() as program, attached(program.pid, recording):
        program.do("static")
    of_variable = "SELECT b.id FROM block b JOIN object o ON o.id = b.object WHERE o.name = 'late_variable'"
    assert one(recording, f"SELECT bytes FROM block WHERE id IN ({of_variable})") == LATE_PAGES * PAGE
    seen = one(recording, f"SELECT ifnull(sum(weight), 0) FROM sample WHERE kind >= 10 AND block IN ({of_variable})")
    lost = one(recording, "SELECT ifnull(sum(value), 0) FROM note WHERE kind = 'lost'")
    assert LATE_PAGES * (1 - ESTIMATED) - lost <= seen <= LATE_PAGES * (1 + ESTIMATED)


@pytest.mark.requires("perf_event")
def test_a_title_is_not_taken_for_the_command(tmp_path: Path) -> None:
    with attachee() as program:
        program.do("title")
        assert Path(f"/proc/{program.pid}/cmdline").read_bytes().rstrip(b"\0") == b"server: /bin/attachee"
        done = run_command(PROGRAM, "attach", "-q", "-p", program.pid, "--duration", "0.1", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert json.loads(one(tmp_path / f"server.{program.pid}.numaprof", "SELECT command FROM run")) == ["server", "..."]


# --- counters


@pytest.mark.requires("perf_event", "mounts", "gcc", "x86_64")
def test_every_thread_is_counted(recording: Path) -> None:
    """Those that were there, and new ones from their start as the kernel reports it.

    On a busy machine a thread may end before the recorder opens its counters: the recording says so.
    """
    with attachee() as program:
        program.do("thread")
        with attached(program.pid, recording, command=(*with_pmu(), PROGRAM)):
            program.do("touch")
            program.do("thread")
            program.do("fork")
    if not one(recording, "SELECT used FROM evidence WHERE level = 1"):
        pytest.skip("the catalogue has no events for this CPU")
    assert one(recording, "SELECT count(*) FROM thread WHERE cpu_ns IS NOT NULL AND migrations IS NOT NULL") >= 3
    counted = rows(recording, "SELECT DISTINCT tid FROM count JOIN thread ON thread.id = count.thread")
    assert program.pid in counted
    clock = "SELECT sum(value), sum(running_ns) FROM count JOIN event ON event.id = event WHERE class = 'time'"
    value, running = one(recording, clock)
    assert 0 < value == running
    refused = rows(recording, "SELECT text FROM note WHERE kind = 'refused'")
    assert [text for text in refused if not text.endswith("counted: the thread has ended")] == []


@pytest.mark.requires("perf_event", "mounts", "gcc", "x86_64")
def test_threads_that_do_not_fit_are_refused_with_the_number(public_place: Path) -> None:
    with attachee(*NOBODY) as program:
        for _ in range(300):
            program.do("start")
        mount = with_pmu()
        command = (*mount[:6], *few_files(*mount[6:], public_place / "numaprof", "attach", "-p", program.pid))
        done = run_command(*command, "--duration", "0.1", cwd=public_place)
    if done.status == 0:
        pytest.skip("the catalogue has no events for this CPU")
    refused(done, 125, f"301 threads need [0-9]+ open files, {LITTLE} are allowed")
    assert list(public_place.glob("*.attachee*")) == []


# --- many threads

LITTLE = 600  # open files


def few_files(*words: object) -> tuple[object, ...]:
    """For an ordinary user: root would raise the limit."""
    return ("prlimit", f"--nofile={LITTLE}", *NOBODY, *words)


@pytest.mark.requires("perf_event", "root")
def test_page_faults_are_left_out_before_threads(public_place: Path) -> None:
    """300 threads on several CPUs need more descriptors for page faults than there may be."""
    recording = public_place / "r.numaprof"
    with attachee(*NOBODY) as program:
        for _ in range(300):
            program.do("start")
        done = run_command(
            *few_files(
                public_place / "numaprof", "attach", "-q", "-p", program.pid, "--duration", "0.1", "-o", recording
            )
        )
    assert done == (0, "", done.err)
    assert one(recording, "SELECT count(*) FROM thread") == 301
    assert one(recording, "SELECT used, why_not, remedy FROM evidence WHERE collector = 'faults'") == (
        (0, "the limit of open files is reached", "ulimit -n 65536")
    )


@pytest.mark.requires("perf_event", "root")
def test_for_root_page_faults_then_come_from_all_cpus(recording: Path) -> None:
    """So many threads that one event for each of them on each CPU would take long to open."""
    cpus = len(os.sched_getaffinity(0))
    threads = 16384 // (2 * cpus)
    if threads > 5000:
        pytest.skip("one CPU")
    with attachee() as program:
        for _ in range(threads // 100 + 1):
            program.do("hundred")
        with attached(program.pid, recording):
            program.do("touch")
    detail = one(recording, "SELECT detail FROM evidence WHERE collector = 'faults'")
    assert detail == "page faults, of all processes by CPU"
    # How many are seen depends on what else the machine does; of other processes there is none.
    assert one(recording, "SELECT count(*) FROM process") == 1
    assert one(recording, "SELECT count(*) FROM thread") > threads
    assert rows(recording, "SELECT text FROM note WHERE kind IN ('unmatched', 'refused')") == []


# --- control groups


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group of version 2."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    root = next((Path(words[1]) for words in mounts if words[2] == "cgroup2"), None)
    if root is None:
        pytest.skip("version 2 of control groups is not mounted")
    made = root / f"numaprof-test-{os.getpid()}"
    try:
        (made / "within").mkdir(parents=True)
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    yield made
    until(lambda: not (made / "within" / "cgroup.procs").read_text() and not (made / "cgroup.procs").read_text())
    (made / "within").rmdir()
    made.rmdir()


@pytest.mark.requires("perf_event", "root")
def test_processes_of_a_control_group_and_those_that_come_later(recording: Path, group: Path) -> None:
    with attachee() as first, attachee() as second, attachee() as later, attachee() as other:
        (group / "cgroup.procs").write_text(str(first.pid))
        (group / "within" / "cgroup.procs").write_text(str(second.pid))
        with attached(None, recording, "--cgroup", group):
            second.do("touch")
            first.do("fork")
            (group / "cgroup.procs").write_text(str(later.pid))
            until(lambda: is_recorded(recording, later.pid))
            later.do("touch")
            other.do("touch")
    assert set(rows(recording, "SELECT pid FROM process WHERE followed = 'attached'")) == {
        first.pid,
        second.pid,
        later.pid,
    }
    assert one(recording, "SELECT count(*) FROM process WHERE followed = 'inherited'") == 1
    for program in (second, later):
        assert_touched(recording, f"tid = {program.pid}", LATE_PAGES)


def test_a_group_that_is_not_there(recording: Path) -> None:
    refused(run("attach", "--cgroup", "no/such/group", "-o", recording), 127, "is not a control group")


def test_a_group_without_processes(recording: Path, group: Path) -> None:
    refused(run("attach", "--cgroup", group, "-o", recording), 127, "no process is in it")


# --- what bad input gets


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ((), "no process given"),
        (("-p", "1", "--cgroup", "x"), "choose one of them"),
        (("-p", "x"), "not a list of process ids"),
        (("-p", "1,"), "not a list of process ids"),
        (("-p", "0"), "not a list of process ids"),
        (("-p", "99999999999999999999"), "not a list of process ids"),
        (("-p", "1", "--duration", "nan"), "seconds"),
        (("-p", "1", "--duration", "-1"), "seconds"),
        (("-p", "1", "--without", "x"), "unknown"),
        (("-p", "1", "--pin", "compact"), "unknown option"),
        (("-p", "1", "true"), "unexpected argument"),
    ],
)
def test_bad_options(words: tuple[str, ...], cause: str) -> None:
    refused(run("attach", *words), 125, cause)


def test_no_such_process(recording: Path) -> None:
    refused(run("attach", "-p", gone(), "-o", recording), 127, "does not exist")
    assert not recording.exists()


def test_a_process_that_ends_at_once(recording: Path) -> None:
    """At whatever moment it ends: a recording, or a refusal that leaves no file behind."""
    for pause in range(10):
        with subprocess.Popen(["sleep", f"0.0{pause}"]) as process:
            done = run("attach", "-q", "-p", process.pid, "--duration", "0.2", "-o", recording)
        assert done.status in (0, 126, 127), done
        assert recording.exists() == (done.status == 0)
        if done.status != 0:
            assert re.fullmatch(r"numaprof: process \d+ [^\n]*; [^\n]+\n", done.err), done.err
        recording.unlink(missing_ok=True)


@pytest.mark.requires("perf_event")
def test_a_process_that_runs_one_program_after_the_other(recording: Path) -> None:
    """At whatever moment of an exec numaprof looks: a recording, or a refusal of one line."""
    words = [PROGRAM, "attach", "-q", "--duration", "0.1", "-o", recording]
    for _ in range(5):
        with attachee() as program:
            command = [*map(str, words), "-p", str(program.pid)]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as recorder:
                while recorder.poll() is None:
                    program.do("exec")
                said = recorder.stderr.read()
        assert recorder.returncode in (0, 126, 127), said
        assert recording.exists() == (recorder.returncode == 0)
        assert said == "" if recorder.returncode == 0 else re.fullmatch(r"numaprof: process \d+ .*; .+\n", said), said
        recording.unlink(missing_ok=True)


def test_a_zombie() -> None:
    with subprocess.Popen(["true"]) as process:
        until(lambda: Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z")
        refused(run("attach", "-p", process.pid), 126, "has ended")


def test_a_thread_of_the_kernel() -> None:
    if not Path("/proc/2/comm").exists() or Path("/proc/2/comm").read_text() != "kthreadd\n":
        pytest.skip("threads of the kernel cannot be seen from this pid namespace")
    refused(run("attach", "-p", 2), 126, "thread of the kernel")


@pytest.mark.requires("perf_event")
def test_a_thread() -> None:
    with attachee() as program:
        program.do("thread")
        thread = max(
            int(task.name) for task in Path(f"/proc/{program.pid}/task").iterdir() if int(task.name) != program.pid
        )
        refused(run("attach", "-p", thread), 126, "is a thread")


@pytest.mark.requires("root")
def test_somebody_elses(public_place: Path) -> None:
    command = (
        *NOBODY,
        public_place / "numaprof",
        "attach",
    )
    done = subprocess.run(
        [*map(str, command), "-p", str(os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    )
    refused((done.returncode, done.stdout, done.stderr), 126, "belongs to another user")


@pytest.mark.requires("perf_event", "gcc", "x86_64")
def test_a_program_of_32_bits_is_recorded_as_others(recording: Path) -> None:
    source = TREE / "tests" / "targets" / "attachee_32.s"
    made = build_once(BUILD / "tests" / "targets" / "attachee_32", "-m32", "-nostdlib", "-static", str(source))
    try:
        program = Attachee([made])
    except OSError as error:
        pytest.skip(f"the kernel runs no program of 32 bits: {error}")
    with attached(program.pid, recording) as recorder:
        program.do("touch")
    program.process.kill()
    program.process.communicate()
    assert recorder.status == 0
    assert recorder.said == f"numaprof: recorded to {recording}; read it with: numaprof report {recording}\n"
    assert_touched(recording, "1", LATE_PAGES)
    of_variable = "FROM sample JOIN block ON block.id = block JOIN object ON object.id = object WHERE name = 'late'"
    assert one(recording, f"SELECT sum(weight) >= {LATE_PAGES // 2} {of_variable}")
    assert set(rows(recording, "SELECT function FROM place WHERE module LIKE '%attachee_32'")) == {"fill", "_start"}
    assert rows(recording, "SELECT text FROM note WHERE kind = 'refused'") == []


@pytest.mark.requires("perf_event", "root")
def test_a_process_that_runs_with_other_rights(public_place: Path) -> None:
    """Its user may not look at it, root may."""
    other, recording = public_place / "other", public_place / "r.numaprof"
    shutil.copy(str(shutil.which("sleep")), other)
    other.chmod(0o4755)
    with subprocess.Popen(list(map(str, [*NOBODY, other, 1000]))) as program:
        status = Path(f"/proc/{program.pid}/status")
        until(lambda: f"Uid:\t{NOBODY_ID}\t0\t" in status.read_text())
        words = ("attach", "-q", "-p", program.pid, "--duration", "0.1", "-o", recording)
        by_its_user = run_command(*NOBODY, public_place / "numaprof", *words)
        assert not recording.exists()
        by_root = run(*words)
        program.kill()
    refused(by_its_user, 126, "runs with other rights")
    assert by_root == (0, "", "")
    assert rows(recording, "SELECT pid FROM process") == [program.pid]


def test_without_any_event_the_pages_are_recorded_with_one_warning(recording: Path) -> None:
    forbid = build_once(BUILD / "tests" / "forbid", str(TREE / "tests" / "launchers" / "forbid.c"))
    with attachee() as program:
        early = _early(program)
        words = ("attach", "-p", program.pid, "--duration", "0.1", "-o", recording)
        done = run_command(forbid, "perf_event_open", "EPERM", PROGRAM, *words)
    assert (done.status, done.out) == (0, "")
    warning, recorded = done.err.splitlines()
    assert re.fullmatch(r"numaprof: warning: .*forbids perf_event_open; .+", warning)
    assert recorded.startswith(f"numaprof: recorded to {recording}; ")
    assert one(recording, "SELECT complete FROM run") == 1
    assert span_with_nodes(recording, *early) == pytest.approx(LATE_PAGES * 4, abs=64)
    assert rows(recording, "SELECT collector FROM evidence WHERE used") == ["pages"]


UNDUMPABLE = "import ctypes; ctypes.CDLL(None).prctl(4, 0); print('ready', flush=True); input()"


@pytest.mark.requires("root")
def test_root_without_the_right_to_look() -> None:
    """As in a container without CAP_SYS_PTRACE, at a process that protects its memory (PR_SET_DUMPABLE)."""
    words = ("setpriv", "--bounding-set", "-sys_ptrace,-sys_admin,-perfmon", PROGRAM, "attach", "--duration", "0.1")
    program = Attachee([sys.executable, "-c", UNDUMPABLE])
    done = run_command(*words, "-p", program.pid)
    program.do("end")
    program.process.communicate()
    refused(done, 126, "cannot be looked into, even by root: CAP_SYS_PTRACE is missing")
    assert done.err.endswith("; run numaprof as root outside its container\n")


def test_a_file_that_is_there(recording: Path) -> None:
    recording.write_text("mine")
    with attachee() as program:
        refused(run("attach", "-p", program.pid, "-o", recording), 125, "cannot create")
    assert recording.read_text() == "mine"


def test_numaprof_itself() -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {PROGRAM} attach -p $$"],
        capture_output=True,
        text=True,
        check=False,
    )
    refused((done.returncode, done.stdout, done.stderr), 126, "is numaprof itself")


@pytest.mark.requires("gcc")
def test_a_process_whose_leading_thread_has_ended_may_end_at_any_moment(recording: Path) -> None:
    """It ends while its threads are looked for, or later. A use of the freed process ends the sanitized recorder."""
    command = [target("leader_ended", "-pthread")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        attach = [PROGRAM, "attach", "-q", "-p", str(process.pid), "-o", recording]
        with subprocess.Popen(attach) as recorder:
            until(lambda: is_recorded(recording, process.pid) or recorder.poll() is not None)
            process.kill()
    assert recorder.returncode == 0
    assert one(recording, "SELECT complete FROM run") == 1
