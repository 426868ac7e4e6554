# SPDX-License-Identifier: Apache-2.0
"""What the remote share is a share of, and whether it is one of the whole program: notes that change how the verdict
is to be read. All other notes say how exact the numbers are."""

from __future__ import annotations

from collections.abc import Iterator

from numaprof.analysis.remote_share import COUNTERS, basis
from numaprof.evidence.evidence import Evidence
from numaprof.text.format import clean, either, number_list, plural, remote_word

# How the recorder's words for it begin (profiler/verify/verify_judge.c).
_OWN_PACKAGE = "the memory of the own package"
NEAR_IS_LOCAL = "Between nodes of one package: not known, these requests count as local."


def between_packages(evidence: Evidence) -> bool:
    """True if numaprof verify found that the counters call all nodes of the own package local."""
    equally_near = evidence.machine.controllers.packages and not evidence.machine.controllers.split
    return basis(evidence) == COUNTERS and not equally_near and (evidence.local or "").startswith(_OWN_PACKAGE)


def remote_requests(evidence: Evidence, count: float) -> str:
    if between_packages(evidence):
        return f"{plural(count, 'request')} {remote_word(True)}"
    return plural(count, "remote request")


def counted_words(evidence: Evidence) -> str:
    """Of counters: which classes the remote share is a share of. Shares of another meaning have other words."""
    words = evidence.population.words if evidence.population else ""
    return f"{words}; remote is another package" if between_packages(evidence) else words


def decisive_notes(evidence: Evidence) -> Iterator[str]:
    """Short: the notes themselves are printed whole in the full report."""
    clusters = next((note.text for note in evidence.notes if note.kind == "clusters"), None)
    found = evidence.machine.controllers
    for package in found.packages.values():
        for group in package.shared:
            yield (
                f"Nodes {number_list(list(group))} share their memory controllers, by {package.told_by}: they count as "
                f"one, node {group[0]}. Moving memory among them gains nothing."
            )
    for package in found.untold:
        yield (
            f"Nothing tells whether nodes {number_list(list(package.nodes))} have memory controllers of their own: "
            "sampled shares hold both readings. numaprof topology --measure tells."
        )
    if between_packages(evidence):
        yield NEAR_IS_LOCAL
    elif evidence.counts_dropped:
        yield f"Counters do not give the share: they {evidence.counts_dropped}."
    elif basis(evidence) == COUNTERS and clusters and (found.split or not found.packages):
        yield f"What remote means is in doubt: {clean(clusters)}."
    if evidence.not_recorded:
        them = either(evidence.not_recorded, "it", "them")
        yield f"{plural(evidence.not_recorded, 'process', 'es')} could not be recorded: no number includes {them}."
