# SPDX-License-Identifier: Apache-2.0
"""Results of numaprof check for services that run tests: SARIF 2.1.0 (OASIS) and JUnit XML."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from numaprof.model.memory_model import Place
from numaprof.model.report_model import Advice, Change
from numaprof.text.messages import EXIT_LIMIT_EXCEEDED

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULE = "remote-memory"
ROOT = "%SRCROOT%"  # what SARIF readers call the root of the sources
# Characters that XML 1.0 cannot hold.
NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Checked:
    """One recording.

    Fields:
        status: Exit status of check.
        line: What check prints of it.
        advice: Of the report, where the limit is exceeded.
    """

    path: str
    status: int
    line: str
    advice: tuple[Advice, ...]


def sarif(results: Sequence[Checked]) -> str:
    """A run per recording. A finding stands at the line that first touches the memory, where the advice names one."""
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(result) for result in results]}, indent=1)


def _run(result: Checked) -> dict[str, Any]:
    text = {"text": "Threads wait for memory of other NUMA nodes"}
    tool = {"driver": {"name": "numaprof", "rules": [{"id": RULE, "shortDescription": text}]}}
    invocation: dict[str, Any] = {"executionSuccessful": True, "exitCode": result.status}
    if result.status not in (0, EXIT_LIMIT_EXCEEDED):
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": result.line}}]
    return {
        "tool": tool,
        "invocations": [invocation],
        "originalUriBaseIds": {ROOT: {"uri": Path.cwd().as_uri() + "/"}},
        "results": _findings(result),
    }


def _findings(result: Checked) -> list[dict[str, Any]]:
    if result.status != EXIT_LIMIT_EXCEEDED:
        return []
    places = [(advice, _location(place)) for advice in result.advice for place in advice.touched_at]
    found = [
        {**_finding(f"{result.line}. {advice.finding} {advice.change}", [location]), **_fixes(advice)}
        for advice, location in places
        if location is not None
    ]
    return found or [_finding(result.line, [])]


def _finding(text: str, locations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ruleId": RULE, "ruleIndex": 0, "level": "error", "message": {"text": text}, "locations": locations}


def _fixes(advice: Advice) -> dict[str, Any]:
    """One fix of all edits, which editors and services offer to carry out (SARIF 3.55)."""
    if not advice.changes:
        return {}
    flags = f" Build with {' '.join(advice.flags)}." if advice.flags else ""
    files = dict.fromkeys(change.file for change in advice.changes)
    artifacts = [
        {
            "artifactLocation": _artifact(file),
            "replacements": [_replacement(change) for change in advice.changes if change.file == file],
        }
        for file in files
    ]
    return {"fixes": [{"description": {"text": f"{advice.change}{flags}"}, "artifactChanges": artifacts}]}


def _replacement(change: Change) -> dict[str, Any]:
    """From the begin of the first line to that of the one behind the last: an empty region is an insertion."""
    region = {"startLine": change.first, "startColumn": 1, "endLine": change.last + 1, "endColumn": 1}
    text = "".join(f"{line}\n" for line in change.lines)
    return {"deletedRegion": region, "insertedContent": {"text": text}}


def _location(place: Place) -> dict[str, Any] | None:
    """Relative to the current folder where the file lies below it: there the service finds the file."""
    if place.file is None or place.line is None:
        return None
    return {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": {"startLine": place.line}}}


def _artifact(file: str) -> dict[str, Any]:
    path = os.path.abspath(file)
    below = os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else None
    return {"uri": Path(path).as_uri()} if below is None else {"uri": _quoted(below), "uriBaseId": ROOT}


def _quoted(path: str) -> str:
    return Path("/" + path).as_uri().removeprefix("file:///")


def junit(results: Sequence[Checked]) -> str:
    """A test case per recording: failed over the limit, skipped where nothing can be said."""
    failures = sum(result.status == EXIT_LIMIT_EXCEEDED for result in results)
    skipped = sum(result.status not in (0, EXIT_LIMIT_EXCEEDED) for result in results)
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": "0", "skipped": str(skipped)}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "numaprof check", **counts})
    for result in results:
        name = _xml(os.path.basename(result.path))
        case = ElementTree.SubElement(suite, "testcase", {"classname": "numaprof.check", "name": name})
        line = _xml(result.line)
        if result.status == EXIT_LIMIT_EXCEEDED:
            failure = ElementTree.SubElement(case, "failure", {"message": line})
            failure.text = _xml("\n".join(f"{advice.finding} {advice.change}" for advice in result.advice))
        elif result.status:
            ElementTree.SubElement(case, "skipped", {"message": line})
        else:
            ElementTree.SubElement(case, "system-out").text = line
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    return NOT_IN_XML.sub("\ufffd", text)
