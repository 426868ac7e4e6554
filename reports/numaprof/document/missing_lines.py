# SPDX-License-Identifier: Apache-2.0
"""Files of the user's without line numbers (built without -g, or stripped) or without a text that can be read here."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence

from numaprof.analysis.runtimes import Runtime, runtimes
from numaprof.document.object_remarks import remote_by_module
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.source_location import GENERATED, MADE_AT_RUN_TIME, is_library, is_runtime
from numaprof.placement.advice import Advice, Kind
from numaprof.text import source_lines
from numaprof.text.format import clean, words

PART = 0.1  # of the first touches, or of the remote requests sampled: less than that hides no answer
MOST_FILES = 3
_OF_THE_COMPILER = ("_start",)  # in every program, and without lines in each
_SYSTEM = ("/lib", "/usr/")  # comes without debug information, and nobody changes its lines


def without_lines(evidence: Evidence) -> list[str]:
    """Their names, those that matter."""
    touched = [(site.site, site.pages) for site in evidence.init_sites]
    caused = [(row.site, row.events) for row in evidence.samples.caused]
    found: list[str] = []
    for sites in (touched, caused):
        total = sum(amount for _, amount in sites)
        sums: dict[str, float] = defaultdict(float)
        for site, amount in sites:
            file = _file_of(site.module or "")
            users = file.startswith("/") and not file.startswith(_SYSTEM)
            if (
                site.line is None
                and site.function not in _OF_THE_COMPILER
                and users
                and not is_library(file)
                and not is_runtime(file)
            ):
                sums[file] += amount
        found += [file for file, amount in sums.items() if amount >= PART * total]
    return [_name(file) for file in dict.fromkeys(found)][:MOST_FILES]


# What has the runtime write /tmp/perf-PID.map, which the recorder reads.
_NAMED_BY = {
    Runtime.JVM: ("Java methods", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"),
    Runtime.NODE: ("JavaScript functions", "node --perf-basic-prof"),
}


def without_names(evidence: Evidence) -> str | None:
    """Of code that a just-in-time compiler made, where much of what is remote is read by it."""
    shares, _ = remote_by_module(evidence)
    sites = {row.site for row in evidence.samples.caused} | {row.site for row in evidence.samples.used}
    named = any(site.module == MADE_AT_RUN_TIME and site.function for site in sites if site is not None)
    if named or shares.get(GENERATED, 0.0) < PART:
        return None
    option = next((_NAMED_BY[found.runtime] for found in runtimes(evidence) if found.runtime in _NAMED_BY), None)
    return f"No names of {option[0]}: record it with {option[1]}." if option else None


def _file_of(module: str) -> str:
    """Of FILE+0x40, as a place without a name is called."""
    file, plus, offset = module.rpartition("+")
    return file if plus and offset.startswith("0x") else module


def without_text(evidence: Evidence, advices: Sequence[Advice]) -> Iterator[str]:
    """Files whose text the code of a fix needs: not in a folder that the reader allows, or not as it was recorded."""
    fixes = [advice for advice in advices if advice.kind is Kind.FIX]
    sites = [site for advice in fixes for site in (*(each.allocated for each in advice.objects), *advice.touched_at)]
    own = [
        site.file for site in sites if site is not None and site.file is not None and not is_runtime(site.module or "")
    ]
    real = {file: source_lines.found(file, evidence.run.cwd) for file in own}
    started = evidence.run.started_at
    absent = _names([file for file, name in real.items() if name is None])
    kept = {file: evidence.source.get(file, {}) for file in real}
    changed = _names(
        [file for file, name in real.items() if name and source_lines.has_changed(name, started, kept[file])]
    )
    if absent:
        yield f"No source of {absent} in folders the report may read: --source DIR adds one."
    if changed:
        yield f"Changed since the run: {changed}; so no code is in the program's names."


def _names(files: Sequence[str]) -> str:
    return words(list(dict.fromkeys(map(_name, files)))[:MOST_FILES])


def _name(file: str) -> str:
    return clean(os.path.basename(file), 40)
