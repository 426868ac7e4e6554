# SPDX-License-Identifier: Apache-2.0
"""Exports, read back by the tools they are for or by their format's own library."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jobs import job_directory, job_of
from numaprof.commands.export import exported
from numaprof.document.build_report import document
from numaprof.document.open_recording import reading
from numaprof.export.openmetrics import openmetrics
from numaprof.export.pprof_format import profile_message
from numaprof.model.report_model import Report
from numaprof.text.messages import EXIT_FAILED
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from recording_builder import HINT, LOAD, PAGE, RAN, RecordingBuilder
from scenarios import ARRAY, PAGES, SCENARIOS, faults_only, levels, parallel_init
from test_report_recording import reports
from trace_events import mistakes

WITH_SAMPLES = [name for name in SCENARIOS if name not in ("no_threads", "little_traffic", "many_threads")]


def made(builder: RecordingBuilder, folder: Path, format_: str, value: str | None = None) -> bytes:
    path = folder / "x.numaprof"
    path.unlink(missing_ok=True)
    with reading(str(builder.write(path))) as source:
        return exported(source, format_, value)


def parsed(data: bytes) -> Any:
    message = profile_message()()
    message.ParseFromString(gzip.decompress(data))
    return message


def by_label(message: Any, label: str, value: str) -> dict[str, int]:
    """Sums of one value by one label."""
    texts = message.string_table
    at = [texts[kind.type] for kind in message.sample_type].index(value)
    sums: dict[str, int] = defaultdict(int)
    for sample in message.sample:
        labels = {texts[each.key]: texts[each.str] for each in sample.label}
        sums[labels.get(label, "")] += sample.value[at]
    return {name: total for name, total in sums.items() if total}


def inlined_scenario() -> RecordingBuilder:
    """A loop inlined into work(), called by main()."""
    builder = levels(RecordingBuilder()).threads(8)
    work = builder.place(("/home/u/src/sum.c", 40, "work"))
    body = builder.place(("/home/u/src/sum.c", 22, "body"), inline_of=work)
    stack = builder.stack(body, builder.place(("/home/u/src/sum.c", 60, "main")))
    for thread in range(1, 9):
        builder.sample(LOAD, thread, stack, 100, address=ARRAY, page_node=0, source=1 if thread < 5 else 2)
    return builder


# pprof


def test_values_by_label(tmp_path: Path) -> None:
    message = parsed(made(SCENARIOS["serial_init"](), tmp_path, "pprof"))
    assert by_label(message, "node", "remote_requests") == {"1": 4 * 40 * 3271}
    assert len(by_label(message, "thread", "remote_requests")) == 4
    assert by_label(message, "placement", "remote_requests") == {"remote_dram": 4 * 40 * 3271}
    assert by_label(message, "thread", "first_touches") == {"sum 4711": PAGES * PAGE}
    assert message.string_table[message.default_sample_type] == "remote_requests"
    assert (message.duration_nanos, message.time_nanos) == (60_000_000, 1795204800 * 10**9)


def test_loads_and_hints_by_placement(tmp_path: Path) -> None:
    message = parsed(made(inlined_scenario(), tmp_path, "pprof"))
    assert by_label(message, "placement", "accesses") == {"local_dram": 400, "remote_dram": 400}
    assert by_label(message, "placement", "remote_accesses") == {"remote_dram": 400}
    message = parsed(made(SCENARIOS["hinted"](), tmp_path, "pprof"))
    assert by_label(message, "placement", "accesses") == {"local_dram": 128, "remote_dram": 128}


def test_inlined_frames_share_a_location(tmp_path: Path) -> None:
    message = parsed(made(inlined_scenario(), tmp_path, "pprof"))
    locations = {location.id: location for location in message.location}
    functions = {function.id: message.string_table[function.name] for function in message.function}
    path = [
        [(functions[line.function_id], line.line) for line in locations[number].line]
        for number in message.sample[0].location_id
    ]
    assert path == [[("body", 22), ("work", 40)], [("main", 60)]]


@pytest.mark.parametrize("scenario", WITH_SAMPLES)
def test_profile_is_sound(scenario: str, tmp_path: Path) -> None:
    """Every reference leads somewhere, ids are unique, the table of strings begins with the empty one."""
    message = parsed(made(SCENARIOS[scenario](), tmp_path, "pprof"))
    texts = message.string_table
    assert texts[0] == ""
    assert len(set(texts)) == len(texts)
    for table in (message.location, message.function, message.mapping):
        assert [row.id for row in table] == list(range(1, len(table) + 1))
    for sample in message.sample:
        assert len(sample.value) == len(message.sample_type) == 4
        assert all(1 <= number <= len(message.location) for number in sample.location_id)
        assert all(0 < label.key < len(texts) and 0 < label.str < len(texts) for label in sample.label)
    for location in message.location:
        assert 0 <= location.mapping_id <= len(message.mapping)
        assert location.line
    assert texts[message.mapping[0].filename].startswith("/home/u/")


@pytest.mark.requires("go")
def test_the_tool_itself_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "x.pb.gz"
    path.write_bytes(made(SCENARIOS["serial_init"](), tmp_path, "pprof"))
    done = subprocess.run(["go", "tool", "pprof", "-top", str(path)], capture_output=True, text=True, check=True)
    assert "File: sum" in done.stdout
    assert "Type: remote_requests" in done.stdout
    assert "main._omp_fn.0" in done.stdout.splitlines()[-1]
    done = subprocess.run(["go", "tool", "pprof", "-tags", str(path)], capture_output=True, text=True, check=True)
    assert "remote_dram" in done.stdout


def test_the_same_twice(tmp_path: Path) -> None:
    assert made(SCENARIOS["hinted"](), tmp_path, "pprof") == made(SCENARIOS["hinted"](), tmp_path, "pprof")


# Folded stacks


def folded(builder: RecordingBuilder, folder: Path, value: str | None = None) -> dict[tuple[str, ...], int]:
    text = made(builder, folder, "folded", value).decode("utf-8")
    assert text.endswith("\n")
    rows = (line.rpartition(" ")[::2] for line in text.splitlines())
    return {tuple(path.split(";")): int(amount) for path, amount in rows}


def test_folded_paths_run_from_the_outermost(tmp_path: Path) -> None:
    assert folded(inlined_scenario(), tmp_path) == {
        (f"sum {tid}", "main", "work", "body"): 100 for tid in range(4715, 4719)
    }


def test_folded_value_that_is_asked_for(tmp_path: Path) -> None:
    found = folded(SCENARIOS["serial_init"](), tmp_path, "first_touches")
    assert found == {("sum 4711", "main", "__memset_avx2"): PAGES * PAGE}


def test_folded_samples_without_a_path_are_there(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder()).threads(8).sample(HINT, 5, None, address=ARRAY, page_node=0)
    assert folded(builder, tmp_path) == {("sum 4715", "[no call stack]"): 1}


# Perfetto


def test_trace_events(tmp_path: Path) -> None:
    found = json.loads(made(SCENARIOS["serial_init"](), tmp_path, "perfetto"))
    events = found["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X", "C", "b", "e"}
    slices = [event for event in events if event.get("cat") == "thread"]
    assert [event["args"]["remote share"] for event in slices] == [0.0] * 4 + [1.0] * 4
    names = {event["name"] for event in events if event["ph"] == "C"}
    assert {"requests per second", "pages first touched", "requests per second of sum 4715"} <= names
    assert found["otherData"]["emulated"] == "no"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_trace_is_as_its_format_asks(scenario: str, tmp_path: Path) -> None:
    assert mistakes(made(SCENARIOS[scenario](), tmp_path, "perfetto")) == []


def test_trace_of_marks(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]().change("window", end_ns=RAN // 4, cause="mark")
    for start in (RAN // 4, RAN // 2):
        builder.row("window", start_ns=start, end_ns=None if start > RAN // 4 else start + 1, cause="mark")
    trace = made(builder, tmp_path, "perfetto")
    assert mistakes(trace) == []
    assert [event["ph"] for event in json.loads(trace)["traceEvents"] if event.get("cat") == "recorded"] == [
        "b",
        "e",
    ] * 3


@pytest.mark.parametrize(
    "spoil, word",
    [
        (lambda event: event.update(tid=0), "no ids"),
        (lambda event: event.update(ts=float("nan")), "time"),
        (lambda event: event.update(ts=1.0, dur=1e9, tid=4711), "overlap"),
        (lambda event: event.update(tid=99), "missing"),
        (lambda event: event.update(args={"remote": "much"}, ph="C"), "values"),
    ],
)
def test_mistakes_in_traces_are_found(spoil: Callable[[dict[str, Any]], None], word: str, tmp_path: Path) -> None:
    found = json.loads(made(SCENARIOS["serial_init"](), tmp_path, "perfetto"))
    last = [event for event in found["traceEvents"] if event["ph"] == "X"][-1]
    spoil(last)
    assert any(word in mistake for mistake in mistakes(json.dumps(found)))


def test_trace_holds_all_requests(tmp_path: Path) -> None:
    with reading(str(SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof"))) as source:
        found = json.loads(exported(source, "perfetto", None))
    rates = [event for event in found["traceEvents"] if event["name"] == "requests per second"]
    steps = 60_000_000 / 200 / 1e9
    assert sum(event["args"]["remote"] for event in rates) * steps == pytest.approx(4 * 131_083, rel=1e-6)


# All of them

NASTY = "a;b\n\x1b[31m</script>\"'\\\u202e\x00 9"


@pytest.mark.parametrize("format_", ["pprof", "folded", "perfetto"])
def test_hostile_names_stay_text(format_: str, tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"](program="/" + NASTY[:20], command=NASTY[:20])
    builder.change("thread", name=b"\xff\xfe;\x9b31m").change("place", function=NASTY[:20], module="/" + NASTY[:20])
    data = made(builder, tmp_path, format_)
    if format_ == "pprof":
        texts = list(parsed(data).string_table)
    elif format_ == "perfetto":
        texts = [
            str(value)
            for event in json.loads(data)["traceEvents"]
            for value in (event["name"], *event["args"].values())
        ]
    else:
        texts = data.decode("utf-8").splitlines()
        assert all(line.count(";") == 1 for line in texts)
    assert all(text.isprintable() for text in texts)
    assert any("\\xff\\xfe" in text for text in texts)


@pytest.mark.parametrize(
    "format_, ending", [("pprof", ".pb.gz"), ("folded", ".folded"), ("perfetto", ".perfetto.json")]
)
def test_default_names(format_: str, ending: str, tmp_path: Path) -> None:
    SCENARIOS["serial_init"]().write(tmp_path / "sum.1.numaprof")
    done = reports("export", "--format", format_, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith(f"numaprof: wrote sum.1{ending} (")
    assert (tmp_path / f"sum.1{ending}").exists()


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    path = SCENARIOS["little_traffic"]().write(tmp_path / "x.numaprof")
    hinted = SCENARIOS["hinted"]().write(tmp_path / "y.numaprof")
    for arguments, words in (
        ((path, "--format", "pprof"), "has no samples to make a profile of; "),
        (
            (hinted, "--format", "folded", "--value", "remote_requests"),
            "has no remote_requests; it has remote_accesses",
        ),
        ((hinted, "--format", "pprof", "--value", "accesses"), "--value is for folded stacks"),
        ((hinted,), "--format"),
    ):
        done = reports("export", *arguments, cwd=tmp_path)
        assert done.returncode == EXIT_FAILED
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


def gauges(data: bytes) -> dict[tuple[str, ...], float]:
    """Name and values of labels -> value, as the format's own library reads them."""
    families = text_string_to_metric_families(data.decode())
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_openmetrics_says_what_the_report_says(scenario: str, tmp_path: Path) -> None:
    builder = SCENARIOS[scenario]()
    found = gauges(made(builder, tmp_path, "openmetrics"))
    told = document(str(tmp_path / "x.numaprof"))
    for name, value in (
        ("numaprof_remote_ratio", told.verdict.remote_share),
        ("numaprof_remote_ratio_lowest", told.verdict.lowest),
        ("numaprof_coverage_ratio", told.verdict.coverage),
        ("numaprof_threads", len(told.threads)),
    ):
        assert found.get((name,)) == (pytest.approx(value) if value is not None else None), name
    assert requests_of(found) == pytest.approx(known_requests(told))


def requests_of(found: dict[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
    return {label[1:]: value for label, value in found.items() if label[0] == "numaprof_requests"}


def known_requests(told: Report) -> dict[tuple[str, ...], float]:
    """By class, node and placement, in the order of the labels' names; without those of which one thread's is n/a."""
    sums: dict[tuple[str, ...], list[float | None]] = defaultdict(list)
    for thread in told.threads:
        node = {0: "unknown", 1: "".join(map(str, thread.nodes))}.get(len(thread.nodes), "several")
        for each in thread.classes:
            sums[each.request, node, "local"].append(each.local)
            sums[each.request, node, "remote"].append(each.remote)
    return {label: sum(filter(None, values)) for label, values in sums.items() if None not in values}


def test_what_is_not_known_is_absent_from_openmetrics(tmp_path: Path) -> None:
    """Of one thread only the remote demand reads are known: the local ones of its node have no sum, all others do."""
    told = document(str(parallel_init().write(tmp_path / "x.numaprof")))
    whole = requests_of(gauges(openmetrics(told)))
    first = told.threads[0]
    classes = tuple(replace(each, local=None) if each.request == "demand" else each for each in first.classes)
    partial = replace(told, threads=(replace(first, classes=classes), *told.threads[1:]))
    found = requests_of(gauges(openmetrics(partial)))
    assert whole.keys() - found.keys() == {("demand", "0", "local")}
    assert found == {label: value for label, value in whole.items() if label in found}


def test_openmetrics_of_a_job(tmp_path: Path) -> None:
    """A rank is missing, one recording is damaged; without counters there is no share."""
    folder = job_directory(tmp_path / "job", [0, 4], size=8)
    files = sorted(folder.iterdir())
    files[3].unlink()
    files[7].write_text("junk")

    def found(*words: str) -> dict[tuple[str, ...], float]:
        done = reports("export", *words, "--format", "openmetrics", "-o", "-", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return gauges(done.stdout.encode())

    data = found("job")
    verdict = job_of(folder).verdict
    assert data["numaprof_job_remote_ratio",] == pytest.approx(verdict.remote_share)
    assert data["numaprof_job_remote_ratio_highest",] == pytest.approx(verdict.highest)
    for name, value in (("ranks", 6), ("ranks_expected", 8), ("ranks_missing", 2), ("left_out", 1), ("ranks_apart", 2)):
        assert data[f"numaprof_job_{name}",] == value, name
    assert data["numaprof_job_judged_ranks", "heavy"] == 2 and data["numaprof_job_judged_ranks", "light"] == 4
    assert (data["numaprof_job_host_ranks", "host0"], data["numaprof_job_host_ranks", "host1"]) == (3, 3)
    assert ("numaprof_job", "./sum", "4711.0", "heavy", "Slurm") in data  # labels in alphabetical order
    assert reports("merge", "job", "-o", "j.ranks", cwd=tmp_path).returncode == 0
    assert found("j.ranks") == data
    job_directory(tmp_path / "uncounted", [], size=4, build=faults_only)
    assert not any("ratio" in key[0] for key in found("uncounted"))
    assert reports("export", "job/", "--format", "openmetrics", cwd=tmp_path).returncode == 0
    assert (tmp_path / "job.prom").exists()


def test_one_recording_of_a_job_is_named(tmp_path: Path) -> None:
    job_directory(tmp_path / "job", [], size=2)
    said = reports("export", "job", "--format", "pprof", cwd=tmp_path).stderr
    assert "job is a directory; name a recording in it, e.g. rank-00.host0.4711.numaprof" in said


@pytest.mark.requires("promtool")
def test_prometheus_reads_openmetrics_of_a_job(tmp_path: Path) -> None:
    job_directory(tmp_path / "job", [0, 4], size=8)
    assert reports("export", "job", "--format", "openmetrics", cwd=tmp_path).returncode == 0
    data = (tmp_path / "job.prom").read_bytes()
    done = subprocess.run(["promtool", "check", "metrics"], input=data, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done


@pytest.mark.requires("promtool")
@pytest.mark.parametrize("scenario", ["serial_init", "hostile", "no_threads"])
def test_prometheus_reads_openmetrics(scenario: str, tmp_path: Path) -> None:
    data = made(SCENARIOS[scenario](), tmp_path, "openmetrics")
    done = subprocess.run(["promtool", "check", "metrics"], input=data, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done
