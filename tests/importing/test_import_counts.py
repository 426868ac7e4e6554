# SPDX-License-Identifier: Apache-2.0
"""`numaprof import` of files of perf stat record that are made by hand: counts by process, thread and CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from numaprof.text.messages import EXIT_LIMIT_EXCEEDED
from perf_data import IDENTIFIER, SOFTWARE, STAT, Event, PerfData
from running import one, reports, rows
from test_import import FAILED, document, imported, report, run_import

MS = 1_000_000
LOCAL, REMOTE = 0x1D3, 0x2D3  # loads that local, remote DRAM answered: Skylake
COUNTS = "SELECT e.placement, thread, cpu, t_ns, value, enabled_ns, running_ns FROM count JOIN event e ON e.id = event"


def event(config: int, *ids: int, name: str = "", inherit: bool = True, kind: int = 4, config1: int = 0) -> Event:
    return Event(IDENTIFIER, kind, config, 0, ids, name=name, inherit=inherit, config1=config1)


def stat(*events: Event, order: str = "<") -> PerfData:
    file = PerfData(events, order).host(
        host="there", kernel="6.8.0", perf="6.8.12", arch="x86_64", cpu="Xeon", cpuid="GenuineIntel,6,85,4"
    )
    return file.machine("0-3", "4-7").command("/usr/bin/perf", "stat", "record", "--", "./solve", "test.in")


def both(*ids: int, inherit: bool = True, order: str = "<") -> PerfData:
    """Half of the ids are of the local event."""
    half = len(ids) // 2
    return stat(
        event(LOCAL, *ids[:half], name="near", inherit=inherit),
        event(REMOTE, *ids[half:], name="far", inherit=inherit),
        order=order,
    )


def of_process(order: str = "<", rounds: int = 40, interval: int = 100, running: int = 100) -> PerfData:
    """In each round, 1 000 local and 3 000 remote loads, a little more in every other one."""
    file = both(11, 12, order=order).threads({100: ""}).cpu_list(-1).interval(interval)
    for i in range(1, rounds + 1):
        file.count(11, -1, 0, 1_000_000 * i + 9000 * (i % 2), 100 * MS * i, running * MS * i)
        file.count(12, -1, 0, 3_000_000 * i + 9000 * (i % 2), 100 * MS * i, running * MS * i)
        file.end_of_round(100 * MS * i + 5)
    return file


def test_counts_of_a_process_by_rounds(tmp_path: Path) -> None:
    """Rows are what a recorder's own counters write: changes since the last round, and the clock."""
    recording = imported(of_process(rounds=2), tmp_path)
    first, second = 100 * MS + 5, 200 * MS + 5
    assert sorted(rows(recording, COUNTS)) == sorted(
        [
            ("", None, None, first, 100 * MS, 100 * MS, 100 * MS),
            ("local_dram", None, None, first, 1_009_000, 100 * MS, 100 * MS),
            ("remote_dram", None, None, first, 3_009_000, 100 * MS, 100 * MS),
            ("", None, None, second, 100 * MS, 100 * MS, 100 * MS),
            ("local_dram", None, None, second, 991_000, 100 * MS, 100 * MS),
            ("remote_dram", None, None, second, 2_991_000, 100 * MS, 100 * MS),
        ]
    )
    assert rows(recording, "SELECT collector, name, class, placement, type, config FROM event ORDER BY id") == [
        ("counters", "MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM", "retired_load", "local_dram", 4, LOCAL),
        ("counters", "MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM", "retired_load", "remote_dram", 4, REMOTE),
        ("counters", "task-clock", "time", "", 1, 1),
    ]
    assert one(recording, "SELECT command, host, uarch, wall_ns, interval_ns FROM run") == (
        '["./solve", "test.in"]',
        "there",
        "skylake-sp",
        second,
        100 * MS,
    )


def test_the_report_of_counts(tmp_path: Path) -> None:
    """All of the time was counted: the share is exact, with a verdict; the head says what the file lacks."""
    recording = imported(of_process(), tmp_path)
    found = document(recording)
    assert (found["verdict"]["judgement"], found["verdict"]["basis"]) == ("heavy", "counters")
    assert found["verdict"]["remote_share"] == pytest.approx(0.75)
    assert found["verdict"]["coverage"] == 1
    assert found["verdict"]["lowest"] == found["verdict"]["highest"] == pytest.approx(0.75)
    text = report(recording)
    assert "IMPORTED: recorded by perf 6.8.12 on there, with no counts by thread (which thread reads" in text
    assert "the file has counters, time slices of the counts, counts of one program and nodes of the machine" in text
    assert "it lacks counts by thread, counts by CPU, samples and pinning" in text


def test_the_error_of_multiplexed_counts_comes_from_the_rounds(tmp_path: Path) -> None:
    found = document(imported(of_process(running=40), tmp_path))["verdict"]
    assert found["coverage"] == pytest.approx(0.4)
    assert found["remote_share"] == pytest.approx(0.75, abs=0.001)
    assert 0 < found["lowest"] < found["remote_share"] < found["highest"] < 1  # type: ignore[operator]


@pytest.mark.parametrize("threads", [{100: ""}, {100 + i: "solve" for i in range(12)}, {-1: ""}])
def test_without_rounds_the_error_of_multiplexed_counts_is_not_known(threads: dict[int, str], tmp_path: Path) -> None:
    """Neither of a process nor of threads or CPUs, whose first slices are the same: they do not vary by chance."""
    cpus = [-1] if -1 not in threads else list(range(8))
    count = len(cpus) * len(threads)
    for running, known in ((40, False), (100, True)):
        file = both(*range(1, 2 * count + 1)).threads(threads)
        file = (file.cpu_list(-1) if cpus == [-1] else file.cpu_range(0, 7)).interval(0)
        for place in range(count):
            cpu, thread = cpus[place // len(threads)], place % len(threads)
            file.count(1 + place, cpu, thread, 1_000_000 + place, 1000 * MS, 10 * running * MS)
            file.count(1 + count + place, cpu, thread, 3_000_000 + 7 * place, 1000 * MS, 10 * running * MS)
        recording = imported(file.end_of_round(1001 * MS, last=True), tmp_path, f"{running}.data")
        found = document(recording)["verdict"]
        assert found["remote_share"] == pytest.approx(0.75, abs=0.001)
        assert (found["lowest"] is not None, found["highest"] is not None) == (known, known)
        text = report(recording)
        assert "time slices of the counts (scaled counts have no known error)" in text
        assert ("the error is not known" in text) == (not known)


def test_counts_by_thread(tmp_path: Path) -> None:
    """One thread reads its own memory, the other one's is remote; each has its CPU time."""
    file = both(11, 12, 21, 22).threads({100: "solve", 105: "worker"}).cpu_list(-1).interval(100)
    for i in range(1, 41):
        for which, thread, value in ((11, 0, 2_000_000), (12, 1, 100), (21, 0, 300), (22, 1, 3_000_000)):
            file.count(which, -1, thread, value * i, (thread + 1) * 40 * MS * i, (thread + 1) * 40 * MS * i)
        file.end_of_round(100 * MS * i)
    recording = imported(file, tmp_path)
    assert rows(
        recording, "SELECT tid, name, cpu_ns, pid, from_start FROM thread t JOIN process p ON p.id = process"
    ) == [
        (100, "solve", 1600 * MS, 100, 0),
        (105, "worker", 3200 * MS, 100, 0),
    ]
    found = document(recording)
    assert [(row["tid"], round(row["remote_share"], 3)) for row in found["threads"]] == [(100, 0), (105, 1)]  # type: ignore[index, call-overload]
    text = report(recording)
    assert "perf stat does not tell the processes of threads: all count as one, and a thread's counts include" in text


def test_check_and_diff_and_page_of_counts(tmp_path: Path) -> None:
    before, after = imported(of_process(running=40), tmp_path, "a"), imported(of_process(), tmp_path, "b")
    page = tmp_path / "page.html"
    status, line, _ = reports("check", "--max-remote", "10%", before)
    assert status == EXIT_LIMIT_EXCEEDED
    assert line.startswith("exceeded: 75.0 % of DRAM requests are remote") and "40 % of CPU time counted" in line
    assert reports("check", "--max-remote", "80%", before).status == 0
    assert reports("diff", before, after).status == 0
    assert reports("report", "--html", page, before).status == 0
    assert "recorded by perf 6.8.12 on there" in page.read_text()


FORMS: list[Callable[[PerfData], PerfData]] = [
    lambda file: file.cpu_list(2, 5),
    lambda file: file.cpu_mask("I", 2, 5),
    lambda file: file.cpu_mask("Q", 2, 5),
]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("form", range(len(FORMS)))
@pytest.mark.parametrize("by_number", [True, False])
def test_counts_by_cpu(form: int, order: str, by_number: bool, tmp_path: Path) -> None:
    """Of all programs (-a, -C). Before Linux 5.17 a count has the position of its CPU, not the number."""
    file = FORMS[form](both(11, 12, 21, 22, order=order).threads({-1: ""})).interval(100)
    for i in range(1, 41):
        for which, at, value in ((11, 0, 1_000_000), (12, 1, 2_000_000), (21, 0, 3_000_000), (22, 1, 6_000_000)):
            file.count(which, (2, 5)[at] if by_number else at, 0, value * i, 100 * MS * i, 100 * MS * i)
        file.end_of_round(100 * MS * i)
    recording = imported(file, tmp_path)
    assert rows(
        recording,
        "SELECT cpu, placement, sum(value) FROM count JOIN event e ON e.id = event WHERE placement <> '' GROUP BY 1, 2",
    ) == [
        (2, "local_dram", 40_000_000),
        (2, "remote_dram", 120_000_000),
        (5, "local_dram", 80_000_000),
        (5, "remote_dram", 240_000_000),
    ]
    found = document(recording)
    assert found["verdict"]["remote_share"] == pytest.approx(0.75)
    assert "with no counts of one program (all programs on these CPUs are in them) and no samples" in report(recording)


@pytest.mark.parametrize("order", ["<", ">"])
def test_every_form_of_file_tells_the_same(order: str, tmp_path: Path) -> None:
    plain = imported(of_process(), tmp_path, "plain")
    other = of_process(order=order)
    assert rows(imported(other, tmp_path, "other"), COUNTS) == rows(plain, COUNTS)
    assert rows(imported(other.pipe(), tmp_path, "pipe"), COUNTS) == rows(plain, COUNTS)
    assert rows(imported(other.compressed(), tmp_path, "compressed"), COUNTS) == rows(plain, COUNTS)


def test_a_pipe_without_features_takes_cpu_and_nodes_from_a_snapshot(tmp_path: Path) -> None:
    """As perf writes it: events, names and maps, nothing of the machine."""
    file = of_process()
    file.features.clear()
    for which, name in ((11, "near"), (12, "far")):
        file.event_name(which, name)
    path = tmp_path / "pipe"
    path.write_bytes(file.pipe())
    status, said = run_import(path, "-o", tmp_path / "r")
    assert (status, said.count("\n")) == (FAILED, 1)
    assert "does not tell on which CPU model perf stat counted; import a file, not a pipe, or give --sysroot /" in said
    root = tmp_path / "root"
    for name, text in {
        "proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n",
        "sys/devices/system/cpu/online": "0\n",
        "sys/devices/system/cpu/possible": "0\n",
        "sys/devices/system/cpu/present": "0\n",
        "sys/devices/system/node/online": "0\n",
        "sys/devices/system/node/node0/cpulist": "0\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    status, said = run_import(path, "-q", "--sysroot", root, "-o", tmp_path / "r")
    assert (status, said) == (0, "")
    assert rows(tmp_path / "r", COUNTS) == rows(imported(of_process(), tmp_path), COUNTS)


def test_what_perf_reads_after_the_last_round_comes_within_an_interval(tmp_path: Path) -> None:
    file = of_process(rounds=3)
    file.count(11, -1, 0, 4_000_000, 350 * MS, 350 * MS)
    recording = imported(file, tmp_path)
    assert one(recording, "SELECT max(t_ns) FROM count") == one(recording, "SELECT wall_ns FROM run") == 400 * MS + 5


def test_events_that_are_not_known_are_named_and_left_out(tmp_path: Path) -> None:
    """One event counts once: its second count has another mode of the CPU, or is the same."""
    names = ("cycles", "near:k", "odd \x1b[31m", "page-faults")
    others = [event(0x3C, 21, name=names[0]), event(LOCAL, 22, name=names[1]), event(0x777, 23, name=names[2])]
    file = stat(event(LOCAL, 11, name="near"), event(REMOTE, 12), *others, event(2, 24, kind=SOFTWARE, name=names[3]))
    file.threads({100: ""}).cpu_list(-1)
    for which in (11, 12, 21, 22, 23, 24):
        file.count(which, -1, 0, 1000, 1000 * MS, 1000 * MS)
    recording = imported(file.end_of_round(1000 * MS, last=True), tmp_path)
    assert one(recording, "SELECT count(*) FROM event") == 3
    assert one(recording, "SELECT value FROM note WHERE kind = 'unused_events'") == 4
    assert "are not used: cycles, near:k, odd \\x1b[31m, page-faults" in report(recording)


def test_local_without_remote_gives_no_verdict(tmp_path: Path) -> None:
    file = stat(event(LOCAL, 11, name="near")).threads({100: ""}).cpu_list(-1)
    file.count(11, -1, 0, 1000, 1000 * MS, 1000 * MS).end_of_round(1000 * MS, last=True)
    found = document(imported(file, tmp_path))["verdict"]
    assert (found["judgement"], found["remote_share"]) == ("unknown", None)


def alone(*events: Event, value: int = 1000, cpuid: str = "GenuineIntel,6,85,4") -> PerfData:
    file = stat(*events).host(cpuid=cpuid).threads({100: ""}).cpu_list(-1)
    for each in events:
        file.count(each.ids[0], -1, 0, value, value * MS, value * MS)
    return file.end_of_round(1000 * MS, last=True)


REFUSED = {
    "no known event": (
        alone(event(0x3C, 11, name="cycles"), event(0xC0, 12, name="instructions")),
        "counts no event that the event catalogue knows on this CPU: cycles, instructions; count local and remote",
    ),
    "never counted": (
        alone(event(LOCAL, 11), event(REMOTE, 12), value=0),
        "local and remote accesses were never counted;",
    ),
    "an unlisted CPU": (alone(event(LOCAL, 11), cpuid="GenuineIntel,6,1,1"), "of a CPU model whose events the event"),
    "counters of a node": (
        alone(event(LOCAL, 11), cpuid="AuthenticAMD,16,9,1"),
        "of a CPU model whose events the event",
    ),
    "no maps": (
        both(11, 12).count(11, -1, 0, 5, 5, 5).end_of_round(9),
        "events of local and remote accesses were never",
    ),
    "a short count": (
        both(11, 12).threads({100: ""}).cpu_list(-1).record(STAT, bytes(32)).end_of_round(9),
        "events of local and remote accesses were never counted",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_without_counts_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    file, words = REFUSED[name]
    path = file.write(tmp_path / "perf.data")
    status, said = run_import(path, "-o", tmp_path / "r")
    assert (status, said.count("\n")) == (FAILED, 1) and words in said, said
    assert [each.name for each in tmp_path.iterdir()] == ["perf.data"]


HUGE = (1 << 64) - 1


def damage(file: PerfData) -> PerfData:
    """Everything that contradicts what came before, or itself."""
    file.threads({7: "other"}).cpu_list(3)  # second maps
    file.record(73, file.pack("Q", HUGE) + bytes(24), 0)  # more threads than the record holds
    file.record(74, file.pack("HHH", 1, 0xFFFF, 3), 0).record(74, file.pack("HBBHH", 2, 0, 0, 0, 0xFFFF), 0)
    file.record(74, b"", 0).record(75, file.pack("Q", HUGE), 0).record(77, bytes(8), 0).record(78, bytes(8), 0)
    file.count(11, 0, 0, HUGE, HUGE, HUGE)  # of a CPU, while the map has none
    file.count(11, -1, 9, HUGE, HUGE, HUGE).count(99, -1, 0, 5, 5, 5)  # thread and event that are not there
    file.count(11, -1, 0, 0, 0, 0)  # less than before
    return file.record(STAT, bytes(16), 0)


def test_contradictions_are_counted_and_left_out(tmp_path: Path) -> None:
    recording = imported(damage(of_process(rounds=3)).end_of_round(1), tmp_path)
    assert rows(recording, COUNTS) == rows(imported(of_process(rounds=3), tmp_path, "good"), COUNTS)
    assert one(recording, "SELECT sum(value) FROM note WHERE kind = 'lost'") == 15
    assert document(recording)["verdict"]["remote_share"] == pytest.approx(0.75, abs=0.001)


def test_sums_stay_within_the_numbers_of_a_recording(tmp_path: Path) -> None:
    """The reader adds rows up: counts beyond what that takes are left out."""
    file = of_process(rounds=1)
    for i in (1, 2, 3):
        file.count(11, -1, 0, i << 62, i << 62, i << 62).count(12, -1, 0, i << 62, i << 62, i << 62).end_of_round(
            i << 61
        )
    recording = imported(file, tmp_path)
    assert one(recording, "SELECT sum(value) FROM count") < 1 << 63
    assert document(recording)["verdict"]["judgement"]


def test_cut_in_every_place(tmp_path: Path) -> None:
    """What comes before the cut, or one line why there is nothing."""
    whole = of_process(rounds=4).data()
    for length in range(120, len(whole), 97):
        (tmp_path / "cut").write_bytes(whole[:length])
        (tmp_path / "r").unlink(missing_ok=True)
        status, said = run_import(tmp_path / "cut", "-q", "-o", tmp_path / "r")
        assert status == 0 or (status == FAILED and said.count("\n") == 1), said
        assert (status == 0) == (tmp_path / "r").exists()
