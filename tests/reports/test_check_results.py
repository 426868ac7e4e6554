# SPDX-License-Identifier: Apache-2.0
"""check --sarif and --junit: valid files, findings at the line to change, hostile text stays text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from conftest import BUILD
from hypothesis import given
from hypothesis import strategies as st
from jobs import job_directory
from numaprof.export.checks import Checked, junit, sarif
from numaprof.model.memory_model import Place
from numaprof.text.messages import EXIT_CANNOT_SAY, EXIT_LIMIT_EXCEEDED
from scenarios import SCENARIOS
from test_report_recording import reports

SCHEMA = BUILD / "cache/sarif-schema-2.1.0.json"


def checked(folder: Path, *names: str) -> tuple[int, Any, ElementTree.Element]:
    """Exit status, SARIF and JUnit of these scenarios."""
    files = [SCENARIOS[name]().write(folder / f"{name}.numaprof") for name in names]
    out = ("--sarif", "x.sarif", "--junit", "x.xml")
    done = reports("check", *files, "--max-remote", "10%", *out, cwd=folder)
    assert done.stdout.count("\n") == len(names)
    return (
        done.returncode,
        json.loads((folder / "x.sarif").read_text()),
        ElementTree.fromstring((folder / "x.xml").read_text()),
    )


def test_a_finding_stands_at_the_line_to_change(tmp_path: Path) -> None:
    status, found, _ = checked(tmp_path, "serial_init")
    assert status == EXIT_LIMIT_EXCEEDED
    (result,) = found["runs"][0]["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["region"] == {"startLine": 17}
    assert location["physicalLocation"]["artifactLocation"]["uri"].endswith("/sum.c")
    assert "exceeded: 50.0 %" in result["message"]["text"]


def test_each_recording_is_a_run_and_a_test_case(tmp_path: Path) -> None:
    status, found, suites = checked(tmp_path, "parallel_init", "serial_init", "one_node_machine")
    assert status == EXIT_LIMIT_EXCEEDED
    assert [len(run["results"]) for run in found["runs"]] == [0, 1, 0]
    (said,) = found["runs"][2]["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith("cannot say: this machine has one node")
    assert suites.attrib == {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    assert [case[0].tag for case in suites[0]] == ["system-out", "failure", "skipped"]


def test_a_finding_of_a_job_stands_at_the_line_of_the_rank_that_has_most(tmp_path: Path) -> None:
    folder = job_directory(tmp_path / "job", [1, 5], size=8)

    def found(*files: str) -> Any:
        done = reports("check", *files, "--max-remote", "10%", "--sarif", "j.sarif", "--junit", "j.xml", cwd=tmp_path)
        assert done.returncode == EXIT_LIMIT_EXCEEDED, done.stderr
        assert len(ElementTree.parse(tmp_path / "j.xml").findall(".//failure")) == 1
        (run,) = json.loads((tmp_path / "j.sarif").read_text())["runs"]
        (result,) = run["results"]
        return result

    result = found("job")
    (location,) = result["locations"]
    assert location["physicalLocation"]["region"] == {"startLine": 17}
    assert "exceeded: by 2 ranks (1,5) of 8" in result["message"]["text"]
    assert "On 2 ranks (1,5): " in result["message"]["text"]
    assert reports("merge", str(folder), "-o", "all.ranks", cwd=tmp_path).returncode == 0
    assert found("all.ranks")["locations"] == []  # summaries do not have the folders of files


@pytest.mark.requires("sarif_schema")
def test_sarif_is_valid_by_its_schema(tmp_path: Path) -> None:
    _, found, _ = checked(tmp_path, "parallel_init", "serial_init", "one_node_machine")
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_text())).validate(found)


@given(st.text(), st.text(min_size=1), st.sampled_from([0, EXIT_LIMIT_EXCEEDED, EXIT_CANNOT_SAY]))
def test_any_text_stays_text(path: str, line: str, status: int) -> None:
    results = [Checked(path, status, line, ())]
    assert len(json.loads(sarif(results))["runs"]) == 1
    assert len(ElementTree.fromstring(junit(results).encode("utf-8", "surrogatepass"))[0]) == 1


def test_files_below_the_current_folder_are_named_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numaprof.export.checks import _location  # noqa: PLC0415

    monkeypatch.chdir(tmp_path)
    below = Place("a b.c:3", "main", str(tmp_path / "src/a b.c"), 3, None, False)
    elsewhere = Place("x.c:4", "main", "/elsewhere/x.c", 4, None, False)
    found = [_location(place) for place in (below, elsewhere)]
    assert found == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "src/a%20b.c", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3},
            }
        },
        {"physicalLocation": {"artifactLocation": {"uri": "file:///elsewhere/x.c"}, "region": {"startLine": 4}}},
    ]
