# SPDX-License-Identifier: Apache-2.0
"""--json and --csv: the document follows its schema, says what the recording says, and keeps names text."""

from __future__ import annotations

import csv
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from numaprof.compare.sides import Side
from numaprof.document.build_comparison import comparison
from numaprof.document.build_report import document
from numaprof.evidence.evidence import load
from numaprof.export.csv_tables import tables
from numaprof.export.json_document import plain, to_json
from numaprof.model import comparison_model as diff_model
from numaprof.model import report_model as model
from numaprof.model.fields import parts
from numaprof.model.json_schema import below, explained, json_schema
from numaprof.text.messages import EXIT_FAILED
from recording_builder import FIRST_TOUCH, PAGE, RAN, RecordingBuilder
from scenarios import (
    ARRAY,
    INIT,
    LOOP,
    PAGES,
    SCENARIOS,
    init_stack,
    levels,
    named_objects,
    serial_init,
    touched_serially,
)
from test_report_recording import reports

SCHEMA = json_schema(model.Report, "report --json")
DIFF_SCHEMA = json_schema(diff_model.Comparison, "diff --json")
# jsonschema.validate would check the schema each time, for longer than it checks a document.
REPORT, DIFF = map(Draft202012Validator, (SCHEMA, DIFF_SCHEMA))


def told(builder: RecordingBuilder, folder: Path) -> Any:
    """The document as somebody reads it back from JSON."""
    path = builder.write(folder / f"{len(list(folder.iterdir()))}.numaprof")
    return json.loads(to_json(document(str(path))))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_follows_its_schema(scenario: str, tmp_path: Path) -> None:
    REPORT.validate(told(SCENARIOS[scenario](), tmp_path))


def test_what_moved_is_told_by_object_and_by_the_kernels_counters(tmp_path: Path) -> None:
    builder = serial_init().homes((ARRAY, PAGES // 4, 1), (ARRAY + PAGES // 4 * PAGE, PAGES - PAGES // 4, 0))
    for scope, node, after in (("machine", None, 2100), ("node", 1, 2050), ("cgroup", None, 100), ("setting", None, 1)):
        builder.row("mover", scope=scope, node=node, counter="numa_pages_migrated", before=100, after=after)
    found = told(builder, tmp_path)
    (moved,) = (each for each in found["objects"]["rows"] if each["moved"])
    assert moved["moved"] == [{"from_node": 0, "to_node": 1, "bytes": PAGES // 4 * PAGE}]
    assert any("moved after the first touch: 8 MiB from node 0 to node 1" in text for text in moved["remarks"])
    assert [(row["scope"], row["node"], row["pages"]) for row in found["machine"]["movers"]] == [
        ("machine", None, 2000),
        ("node", 1, 1950),
    ]


def test_the_slow_tiers_share_has_samples_and_interval(tmp_path: Path) -> None:
    found = told(SCENARIOS["slow_tier"](), tmp_path)["machine"]["slow_tier"]
    assert (found["share"], found["highest"], found["samples"]) == (1.0, 1.0, 256)
    assert 0.98 < found["lowest"] < 1
    assert found["population"] == "sampled loads and stores that memory answered"
    assert not found["speed_unknown"]
    assert told(serial_init(), tmp_path)["machine"]["slow_tier"] is None


def test_memory_of_which_nothing_tells_the_kind_is_not_called_slow(tmp_path: Path) -> None:
    untold = SCENARIOS["slow_tier"]().change("node_memory", where="node = 2", memory="untold")
    machine = told(untold, tmp_path)["machine"]
    assert machine["slow_tier"]["speed_unknown"]
    assert [node["memory"] for node in machine["nodes"]] == ["DRAM", "DRAM", "untold"]


@pytest.mark.parametrize("schema", [SCHEMA, DIFF_SCHEMA], ids=["report", "diff"])
def test_schema_is_one(schema: Any) -> None:
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("root", [model.Report, diff_model.Comparison])
def test_docstrings_explain_fields_that_exist(root: Any) -> None:
    for kind in {root, *below(root)}:
        summary, fields = explained(kind)
        assert summary.endswith("."), kind
        assert fields.keys() <= {part.name for part in parts(kind)}, kind


def test_a_missing_or_foreign_field_does_not_follow_the_schema(tmp_path: Path) -> None:
    """That the schema is not so wide that everything fits."""
    found = told(SCENARIOS["serial_init"](), tmp_path)
    for broken in (
        {key: value for key, value in found.items() if key != "threads"},
        {**found, "version": 0},
        {**found, "lines_not_listed": "none"},
        {**found, "advice": [{**found["advice"][0], "kind": "fixes"}]},
        {**found, "advice": [{**found["advice"][0], "used_at": {"label": "sum.c:17"}}]},
    ):
        with pytest.raises(ValidationError):
            REPORT.validate(broken)


@pytest.mark.parametrize("command", ["report", "diff"])
def test_schema_to_stdout(command: str) -> None:
    done = reports(command, "--schema", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == (SCHEMA if command == "report" else DIFF_SCHEMA)


def test_tells_what_is_in_the_recording(tmp_path: Path) -> None:
    found = told(SCENARIOS["serial_init"](), tmp_path)
    assert (found["format"], found["version"]) == ("numaprof.report", model.VERSION)
    assert found["verdict"]["judgement"] == "heavy"
    assert found["verdict"]["remote_share"] == 0.5
    assert found["verdict"]["requests"] == 8 * (131_072 + 11)
    assert [thread["remote_share"] for thread in found["threads"]] == [0.0] * 4 + [1.0] * 4
    assert found["threads"][7]["classes"][1] == {
        "request": "prefetch",
        "local": 0.0,
        "remote": 131_072.0,
        "local_error": 0.0,
        "remote_error": 0.0,
        "coverage": 1.0,
    }
    requests = {(pair["from_node"], pair["to_node"]): pair["requests"] for pair in found["machine"]["pairs"]}
    assert requests == {(0, 0): 4 * 131_083.0, (0, 1): 0.0, (1, 0): 4 * 131_083.0, (1, 1): 0.0}
    assert [cpu["remote_share"] for cpu in found["machine"]["cpus"]] == [0.0] * 4 + [1.0] * 4
    line = next(line for line in found["lines"] if line["place"]["label"] == "sum.c:17 main")
    assert (line["touched_bytes"], line["homes"], line["library_call"]) == (32 << 20, [0], "__memset_avx2")


def test_time_line_adds_up(tmp_path: Path) -> None:
    found = told(SCENARIOS["serial_init"](), tmp_path)["timeline"]
    moments = found["moments"]
    assert sum(moment["local"] or 0 for moment in moments) == 4 * 131_083
    assert sum(moment["remote"] or 0 for moment in moments) == 4 * 131_083
    assert sum(moment["touched_pages"] for moment in moments) == 8192
    last = [sum(value or 0 for value in line["remote"]) for line in found["threads"]]
    assert last == [0.0] * 4 + [131_083.0] * 4


def test_time_line_is_scaled_where_counters_took_turns(tmp_path: Path) -> None:
    found = told(SCENARIOS["multiplexed"](), tmp_path)["timeline"]
    step = next(moment for moment in found["moments"] if moment["local"] is not None)
    assert step["coverage"] == pytest.approx(1 / 3, rel=1e-3)
    assert step["local"] == pytest.approx(3 * 4 * 55_000, rel=1e-3)
    assert found["threads"][0]["local"][-1] == pytest.approx(3 * 55_000, rel=1e-3)


def test_time_line_of_samples_where_nothing_counted(tmp_path: Path) -> None:
    found = told(SCENARIOS["hinted"](), tmp_path)["timeline"]
    assert found["population"] == "sampled accesses: hint faults"
    assert sum(moment["remote"] for moment in found["moments"]) == 4 * 32


def test_what_was_not_counted_is_not_zero(tmp_path: Path) -> None:
    found = told(SCENARIOS["faults_only"](), tmp_path)
    assert found["verdict"]["remote_share"] is None
    assert {pair["requests"] for pair in found["machine"]["pairs"]} == {None}
    assert {thread["requests"] for thread in found["threads"]} == {None}


def test_map_of_an_object_that_lies_on_one_node_and_is_used_in_blocks(tmp_path: Path) -> None:
    (found,) = told(SCENARIOS["hinted"](), tmp_path)["objects"]["rows"]
    assert (found["home"], found["touched_by"], found["used_by"]) == ("node 0", 1, 8)
    assert found["use_shape"] == "each thread a block of its own"
    by_what: dict[str, list[Any]] = {}
    for stretch in found["map"]:
        by_what.setdefault(stretch["what"], []).append(stretch)
    (home,) = by_what["home"]
    assert (home["start"], home["end"], home["node"], home["thread"], home["share"]) == (0, 1, 0, None, 1)
    assert {(stretch["node"], stretch["thread"]) for stretch in by_what["first touched"]} == {(0, 1)}
    blocks = {s["thread"]: (s["start"], s["end"], s["node"]) for s in by_what["used"]}
    assert blocks == {thread + 1: (thread / 8, (thread + 1) / 8, thread // 4) for thread in range(8)}


def test_map_of_interleaved_memory_shows_no_single_home(tmp_path: Path) -> None:
    builder = SCENARIOS["hinted"]()
    builder.statements = [text for text in builder.statements if "page_home" not in text]
    for page in range(PAGES):
        builder.row("page_home", snapshot=1, address=ARRAY + page * PAGE, pages=1, span=1, node=page % 2)
    (found,) = told(builder, tmp_path)["objects"]["rows"]
    homes = [stretch for stretch in found["map"] if stretch["what"] == "home"]
    assert {stretch["node"] for stretch in homes} == {0, 1}
    assert min(stretch["share"] for stretch in homes) <= 0.75


def test_map_of_many_threads_is_by_node(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(cpus_per_node=20, balancing=1), counters=False).threads(40)
    touched_serially(builder)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(40):
        start = ARRAY + thread * (PAGES // 40) * PAGE
        builder.hints(stack, thread + 1, range(start, start + PAGES // 40 * PAGE, 16 * PAGE), page_node=0)
    (found,) = told(builder, tmp_path)["objects"]["rows"]
    used = [stretch for stretch in found["map"] if stretch["what"] == "used"]
    assert {(stretch["node"], stretch["thread"]) for stretch in used} == {(0, None), (1, None)}


def test_freed_memory_has_the_home_it_had_while_it_lived(tmp_path: Path) -> None:
    """Its addresses may belong to something else when the last snapshot is taken."""
    builder = levels(RecordingBuilder(balancing=1), counters=False).threads(8)
    block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES, end_ns=RAN // 2)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=1, block=block)
    for number, (time, node) in enumerate(((RAN // 4, 1), (RAN, 0)), 1):
        builder.row(
            "snapshot", id=number, process=1, t_ns=time, cause="interval", method="move_pages", asked=PAGES, known=PAGES
        )
        builder.row("page_home", snapshot=number, address=ARRAY, pages=PAGES, span=PAGES, node=node)
    (found,) = told(builder, tmp_path)["objects"]["rows"]
    assert {stretch["node"] for stretch in found["map"] if stretch["what"] == "home"} == {1}


def test_touches_that_stand_for_others_tell_the_homes_of_those(tmp_path: Path) -> None:
    builder = levels(RecordingBuilder(), counters=False).threads(8)
    block = builder.block(builder.object("heap", builder.stack(builder.place(INIT))), ARRAY, PAGES)
    for start in range(0, PAGES, 512):
        builder.sample(FIRST_TOUCH, 1, init_stack(builder), 512, address=ARRAY + start * PAGE, page_node=0, block=block)
    (found,) = told(builder, tmp_path)["objects"]["rows"]
    spans = {stretch["what"]: (stretch["start"], stretch["end"], stretch["node"]) for stretch in found["map"]}
    assert spans == {"home": (0, 1, 0), "first touched": (0, 1, 0)}


def test_lines_where_objects_are_allocated_are_listed(tmp_path: Path) -> None:
    found = told(SCENARIOS["named_objects"](), tmp_path)
    (line,) = [line for line in found["lines"] if line["allocated_bytes"]]
    assert line["place"]["label"] == "sum.c:14 main"
    assert (line["allocated_bytes"], line["touched_bytes"], line["accesses"]) == (PAGES * PAGE, 0, 0)


def test_what_lists_leave_out_is_counted(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    for number in range(100):
        builder.touch(
            builder.stack(builder.place(("/home/u/src/many.c", number + 1, "many"))), 1, ARRAY + number * PAGE, 1
        )
    found = told(builder, tmp_path)
    assert len(found["lines"]) == 60
    assert found["lines_not_listed"] == 100 + 2 - 60
    found = compared([builder], [SCENARIOS["parallel_init"]()], tmp_path)
    touches = [row for row in found["places"] if row["what"] == "first touches"]
    assert (len(touches), found["places_not_listed"]) == (20, 100 + 2 - 20)


def test_measured_latencies_are_there(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    builder.row("distance", from_node=1, to_node=0, firmware=21, latency_ns=140.5, read_bytes_per_s=2e10)
    builder.row(
        "measured",
        **{
            "metric": "latency_random",
            "unit": "ns",
            "from_node": 1,
            "to_node": 0,
            "median": 140.5,
            "low": 139,
            "high": 150,
        },
        **{"repeats": 5, "noisy": 0},
    )
    found = told(builder, tmp_path)["machine"]
    pair = next(pair for pair in found["pairs"] if (pair["from_node"], pair["to_node"]) == (1, 0))
    assert (pair["distance"], pair["latency_ns"], pair["read_bytes_per_s"]) == (21, 140.5, 2e10)
    assert [row["median"] for row in found["measured"]] == [140.5]


def test_recordings_without_the_table_of_measurements(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]()
    builder.statements.append("DROP TABLE measured;")
    assert told(builder, tmp_path)["machine"]["measured"] == []


def test_advice_refers_to_its_subjects(tmp_path: Path) -> None:
    report = document(str(named_objects().write(tmp_path / "x.numaprof")))
    serial, shared = report.advice
    assert [report.objects.rows[at].name for at in serial.objects] == ["sum.c:14 main"]
    assert [report.objects.rows[at].name for at in shared.objects] == ["table"]
    assert [place.label for place in serial.touched_at] == ["sum.c:17 main"]
    assert serial.used_at is not None
    assert (serial.used_at.file, serial.used_at.line) == (LOOP[0], LOOP[1])
    assert serial.touched_by == 1
    assert serial.threads == tuple(range(1, 9))


def test_advice_is_not_shown_in_lines_whose_names_only_look_alike(tmp_path: Path) -> None:
    """sum.c:1 is part of sum.c:17, and sum.c:17 of my_sum.c:17."""
    builder = serial_init()
    for number, line in enumerate([("/home/u/src/sum.c", 1, "main"), ("/home/u/src/my_sum.c", 17, "main")], 1):
        stack = builder.stack(builder.place(line))
        for thread in range(2):
            builder.touch(stack, 1 + 4 * thread, ARRAY + (2 * number + thread) * (1 << 32), 64, page_node=thread)
    report = document(str(builder.write(tmp_path / "x.numaprof")))
    shown = [report.lines[int(part[5:])].place.label for part in report.advice[0].shown_in if part.startswith("line-")]
    assert len(report.lines) == 4
    assert shown == ["sum.c:17 main", "sum.c:22 main._omp_fn.0"]


def test_remote_reads_by_module(tmp_path: Path) -> None:
    assert told(SCENARIOS["serial_init"](), tmp_path)["modules"]["rows"] == [{"name": "sum", "share": 1.0}]


def test_the_same_twice(tmp_path: Path) -> None:
    path = str(SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof"))
    assert to_json(document(path)) == to_json(document(path))


def test_source_text_of_files_that_are_there(tmp_path: Path) -> None:
    source = tmp_path / "init.c"
    source.write_text("".join(f"int line_{number};\n" for number in range(1, 30)))
    builder = SCENARIOS["serial_init"]().change("place", "line = 17", file=str(source))
    line = next(line for line in told(builder, tmp_path)["lines"] if line["place"]["line"] == 17)
    assert {row["number"]: row["text"] for row in line["source"]}[17] == "int line_17;"
    assert line["source_changed"] is True  # the scenarios play in the past


@pytest.mark.parametrize("name", ["secret", "passwd", "key.pem"])
def test_no_text_of_files_that_are_no_source(name: str, tmp_path: Path) -> None:
    """A recording may come from anybody: it must not make a report show files of its reader."""
    (tmp_path / name).write_text("hidden\n" * 40)
    builder = SCENARIOS["serial_init"]().change("place", "line = 17", file=str(tmp_path / name))
    assert "hidden" not in json.dumps(told(builder, tmp_path))


def test_relative_names_are_looked_for_where_the_program_was_started(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("x\n" * 30)
    builder = SCENARIOS["serial_init"](cwd=str(tmp_path)).change("place", "line = 17", file="src/a.c")
    line = next(line for line in told(builder, tmp_path)["lines"] if line["place"]["line"] == 17)
    assert len(line["source"]) == 8


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    path = SCENARIOS["hostile"]().write(tmp_path / "x.numaprof")
    text = to_json(document(str(path)))
    assert text.isascii()
    assert all(character == "\n" or character >= " " for character in text)
    assert "\\u001b" not in text
    REPORT.validate(json.loads(text))


def test_tables_hold_what_json_holds(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    assert reports("report", path, "--csv", tmp_path / "out").returncode == 0
    found = plain(document(str(path)))
    rows = list(csv.DictReader((tmp_path / "out" / "threads.csv").open()))
    assert [row["name"] for row in rows] == [thread["name"] for thread in found["threads"]]
    assert [float(row["remote_share"]) for row in rows] == [thread["remote_share"] for thread in found["threads"]]
    classes = list(csv.DictReader((tmp_path / "out" / "threads.classes.csv").open()))
    assert len(classes) == 16
    assert classes[-1]["of_thread"] == "8"
    single = {row["name"]: row["value"] for row in csv.DictReader((tmp_path / "out" / "report.csv").open())}
    assert single["verdict.remote_share"] == "0.5"


@pytest.mark.parametrize("scenario", ["hinted", "multiplexed", "hostile", "no_threads"])
def test_tables_are_read_by_pandas(scenario: str, tmp_path: Path) -> None:
    pandas = import_module("pandas")  # half a second of each worker's start
    path = SCENARIOS[scenario]().write(tmp_path / "x.numaprof")
    assert reports("report", path, "--csv", tmp_path / "out").returncode == 0
    for name, table in tables(document(str(path))).items():
        found = pandas.read_csv(tmp_path / "out" / f"{name}.csv")
        assert list(found.columns) == list(table.columns)
        assert len(found) == len(table.rows)


def test_tables_without_rows_have_their_heads(tmp_path: Path) -> None:
    found = tables(document(str(SCENARIOS["no_threads"]().write(tmp_path / "x.numaprof"))))
    assert found["threads"].rows == []
    assert "remote_share" in found["threads"].columns
    assert found["threads.classes"].columns[0] == "of_thread"


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    builder = SCENARIOS["serial_init"]().change("thread", name="=cmd|' /C calc'!A0")
    for table in tables(document(str(builder.write(tmp_path / "x.numaprof")))).values():
        for row in table.rows:
            assert not any(isinstance(cell, str) and cell[:1] in "=+@" and cell for cell in row)


# Comparisons


def compared(before: list[RecordingBuilder], after: list[RecordingBuilder], folder: Path) -> Any:
    sides = []
    for name, books in (("before", before), ("after", after)):
        runs = [load(str(builder.write(folder / f"{name}{at}.numaprof"))) for at, builder in enumerate(books)]
        sides.append(Side(tuple(runs)))
    return json.loads(to_json(comparison(*sides)))


def test_comparison_of_single_runs(tmp_path: Path) -> None:
    found = compared([SCENARIOS["serial_init"]()], [SCENARIOS["parallel_init"]()], tmp_path)
    DIFF.validate(found)
    assert (found["format"], found["change"], found["time_is_known"]) == ("numaprof.diff", "better", False)
    measures = {row["name"]: row for row in found["measures"]}
    assert measures["remote share"]["before"]["middle"] == 0.5
    assert measures["run time"]["change"] == "not known"
    assert [row["change"] for row in found["threads"]] == ["no difference seen"] * 4 + ["better"] * 4
    pairs = {(row["from_node"], row["to_node"]): (row["before"], row["after"]) for row in found["pairs"]}
    assert pairs[1, 0] == (4 * 131_083, 0)


def test_shares_of_different_things_are_not_compared(tmp_path: Path) -> None:
    found = compared([SCENARIOS["named_objects"]()], [SCENARIOS["hinted"]()], tmp_path)
    assert found["population"] is None
    assert {row["change"] for row in found["threads"]} == {"not known"}


@pytest.mark.parametrize(
    "seconds, change", [((1.0, 1.1, 1.2, 1.3), "better"), ((2.0, 2.1, 1.9, 2.05), "no difference seen")]
)
def test_comparison_of_repeats_says_where_noise_hides_the_answer(
    seconds: tuple[float, ...], change: str, tmp_path: Path
) -> None:
    before = [SCENARIOS["serial_init"](wall_ns=round(time * 1e9)) for time in (2.0, 2.1, 2.2, 1.9)]
    after = [SCENARIOS["serial_init"](wall_ns=round(time * 1e9)) for time in seconds]
    found = compared(before, after, tmp_path)
    assert found["time_is_known"] is True
    assert next(row for row in found["measures"] if row["name"] == "run time")["change"] == change
    assert any("noise" in text for text in found["noise"]) == (change != "better")
    assert found["change"] == "no difference seen"


def test_diff_command_writes_them(tmp_path: Path) -> None:
    paths = [SCENARIOS[scenario]().write(tmp_path / scenario) for scenario in ("serial_init", "parallel_init")]
    done = reports("diff", paths[0], "--json", "-", paths[1])
    assert json.loads(done.stdout)["change"] == "better"
    assert reports("diff", "--csv", tmp_path / "out", paths[0], paths[0], "--", paths[1]).returncode == 0
    rows = list(csv.DictReader((tmp_path / "out" / "threads.csv").open()))
    assert [row["change"] for row in rows][-1] == "better"


# The command


def test_json_to_stdout_and_nothing_else(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    done = reports("report", path, "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["recording"] == str(path)
    assert done.stderr == ""


def test_newest_recording_if_none_is_named(tmp_path: Path) -> None:
    SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    done = reports("report", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("numaprof: wrote out.json (")
    assert json.loads((tmp_path / "out.json").read_text())["recording"] == "x.numaprof"


@pytest.mark.parametrize(("option", "message"), [("--json", "there is no folder"), ("--csv", "cannot write ")])
def test_where_nothing_can_be_written(option: str, message: str, tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    (tmp_path / "file").write_text("")
    done = reports("report", path, option, tmp_path / "file" / "out")
    assert done.returncode == EXIT_FAILED
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "x.numaprof"]


def test_one_recording_at_a_time(tmp_path: Path) -> None:
    path = SCENARIOS["serial_init"]().write(tmp_path / "x.numaprof")
    assert "take one recording, got 2" in reports("report", path, path, "--json", "-").stderr
