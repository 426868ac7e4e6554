# SPDX-License-Identifier: Apache-2.0
"""The edits of a recording's advice: as a patch, in JSON, in SARIF, on the page."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from numaprof.commands.check import main as check
from numaprof.commands.report import main as report
from numaprof.text.messages import EXIT_LIMIT_EXCEEDED, Failure
from numaprof.text.source_lines import allow
from recording_builder import RecordingBuilder
from scenarios import named_objects, serial_init

PROGRAM = """#include <stdio.h>
#include <stdlib.h>

int main(void)
{
\tdouble total = 0;
\tsize_t n = 1 << 22;
\tdouble *a = malloc(n * sizeof *a);
\tfor (size_t i = 0; i < n; i++)
\t\ta[i] = i;
\tfor (int sweep = 0; sweep < 3; sweep++)
#pragma omp parallel for schedule(static)
\t\tfor (size_t i = 0; i < n; i++)
\t\t\ta[i] = 2 * a[i];
\tfor (size_t i = 0; i < n; i++)
\t\ttotal += a[i];
\tprintf("%f\\n", total);
\treturn 0;
}
"""
# The lines of the scenario's program, and those of this one.
LINES = {"14": 8, "17": 10, "22": 14}


def recorded(builder: RecordingBuilder, source: Path, path: Path) -> Path:
    """A scenario, as if its program were the one in the file."""
    source.write_text(PROGRAM)
    for line, own in LINES.items():
        builder.change("place", f"line = {line}", file=str(source), line=own)
    for number, text in enumerate(PROGRAM.split("\n"), 1):
        builder.row("source_line", file=str(source), line=number, text=text)
    return builder.write(path)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    return recorded(named_objects(), tmp_path / "src" / "sum.c", tmp_path / "r.numaprof")


def test_the_patch_is_what_a_maintainer_would_do(
    recording: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    assert report([str(recording), "--patch", "-", "--source", str(tmp_path)]) == 0
    out, _ = capfd.readouterr()
    assert out.split("\n")[:3] == ["# build with -fopenmp", "--- a/src/sum.c", "+++ b/src/sum.c"]
    assert [line for line in out.split("\n") if line[:1] == "+"][1:] == ["+#pragma omp parallel for schedule(static)"]
    subprocess.run(["patch", "-p1", "--fuzz=0"], input=out, text=True, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "src" / "sum.c").read_text() == PROGRAM.replace(
        "\tfor (size_t i = 0; i < n; i++)\n\t\ta[i] = i;",
        "#pragma omp parallel for schedule(static)\n\tfor (size_t i = 0; i < n; i++)\n\t\ta[i] = i;",
    )


def test_a_file_that_has_changed_gets_no_patch(recording: Path, tmp_path: Path) -> None:
    source = tmp_path / "src" / "sum.c"
    source.write_text(PROGRAM.replace("1 << 22", "1 << 23"))
    with pytest.raises(Failure, match=r"no edit is safe: sum\.c has changed since the recording"):
        report([str(recording), "--patch", "-", "--source", str(tmp_path)])


def test_json_and_sarif_have_the_same_edits(recording: Path, tmp_path: Path) -> None:
    source = tmp_path / "src" / "sum.c"
    report([str(recording), "--json", str(tmp_path / "r.json"), "--source", str(tmp_path)])
    advice = json.loads((tmp_path / "r.json").read_text())["advice"][0]
    (change,) = advice["changes"]
    assert change == {
        "file": str(source),
        "first": 9,
        "last": 8,
        "lines": ["#pragma omp parallel for schedule(static)"],
    }
    assert advice["flags"] == ["-fopenmp"] and advice["patch"].startswith("# build with -fopenmp\n--- a/")


def test_sarif_offers_the_fix(tmp_path: Path) -> None:
    recording = recorded(serial_init(), tmp_path / "sum.c", tmp_path / "r.numaprof")
    out = tmp_path / "r.sarif"
    arguments = [str(recording), "--max-remote", "10%", "--sarif", str(out)]
    allow(str(tmp_path))
    assert check(arguments) == EXIT_LIMIT_EXCEEDED
    (result,) = json.loads(out.read_text())["runs"][0]["results"]
    (fix,) = result["fixes"]
    (artifact,) = fix["artifactChanges"]
    assert artifact["artifactLocation"]["uri"].endswith("/sum.c")
    assert artifact["replacements"] == [
        {
            "deletedRegion": {"startLine": 9, "startColumn": 1, "endLine": 9, "endColumn": 1},
            "insertedContent": {"text": "#pragma omp parallel for schedule(static)\n"},
        }
    ]
