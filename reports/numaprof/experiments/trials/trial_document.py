# SPDX-License-Identifier: Apache-2.0
"""A whole trial as data: what `numaprof try --json` prints, and what is stored beside the recording."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from numaprof.compare.pairing import served_share
from numaprof.evidence.spread import Spread
from numaprof.experiments.trials.stored_trial import VERSION
from numaprof.experiments.trials.trial import Tried, change, judge
from numaprof.text.format import clean, plural, words

CANNOT_IMITATE = (
    "zeroing and page tables stay with the thread that touches first",
    "borders of pieces are rounded to whole pages",
    "automatic balancing leaves placed memory alone",
)


@dataclass(frozen=True)
class Trial:
    command: str
    tried: tuple[Tried, ...]  # the plain side first
    not_tried: tuple[str, ...]
    remarks: tuple[str, ...]
    file: str | None = None  # placement file of all that was tried

    def with_file(self, file: str) -> Trial:
        return replace(self, file=file)

    @property
    def plain(self) -> Tried:
        return self.tried[0]

    @property
    def placed(self) -> tuple[Tried, ...]:
        return tuple(tried for tried in self.tried if tried.arm.subjects)

    @property
    def policies(self) -> tuple[Tried, ...]:
        return tuple(tried for tried in self.tried if tried.arm.policy)


def differences(trial: Trial) -> list[str]:
    """Runs that failed, and outputs that differ."""
    found = []
    for tried in trial.tried:
        if tried.failures:
            how = words([f"{times} x {clean(ending)}" for ending, times in Counter(tried.failures).items()])
            found.append(f"{tried.arm.label}: {len(tried.failures)} of {plural(len(tried.runs), 'run')} failed ({how})")
    return found + _outputs(trial)


def _outputs(trial: Trial) -> list[str]:
    def outputs(tried: Tried, column: str) -> set[str]:
        return {getattr(run, column) for run in tried.runs if run.failure is None}

    found: list[str] = []
    checks = (("output_without_numbers", "output", 1), ("output", "numbers in the output", 2))
    for column, what, least_runs in checks:
        plain = outputs(trial.plain, column)
        # What one run wrote may differ from run to run, and numbers mostly do: the time it took.
        if len(plain) != 1 or len(trial.plain.measured) < least_runs:
            continue
        others = [tried.arm.label for tried in trial.tried[1:] if outputs(tried, column) - plain]
        if others:
            return [f"{what} differ{'s' if what == 'output' else ''} from the plain runs': {words(others)}"]
    return found


def busiest(tried: Tried) -> tuple[int, Spread] | None:
    """The node whose memory answers most requests, and its share of them in each run."""
    side = tried.side
    if side is None:
        return None
    shares = {node: served_share(side, node) for node in side.first.machine.memory_nodes}
    known = {node: share for node, share in shares.items() if share is not None}
    return max(known.items(), key=lambda pair: pair[1].middle) if known else None


def as_document(trial: Trial) -> dict[str, Any]:
    return {
        "format": "numaprof.try",
        "version": VERSION,
        "command": trial.command,
        "placement_file": trial.file,
        "sides": [_side(trial, tried) for tried in trial.tried],
        "not_tried": list(trial.not_tried),
        "cannot_imitate": list(CANNOT_IMITATE),
        "remarks": [*trial.remarks, *differences(trial)],
    }


def _side(trial: Trial, tried: Tried) -> dict[str, Any]:
    side, node = tried.side, busiest(tried)
    found: dict[str, Any] = {
        "label": tried.arm.label,
        "policy": tried.arm.policy,
        "finding": tried.arm.finding,
        "runs": len(tried.runs),
        "failures": list(tried.failures),
        "wall_ns": _values(tried.time),
        "initialisation_ns": _values(tried.initialisation),
        "compute_ns": _values(tried.compute),
        "remote_requests": _values(tried.requests),
        "remote_request_errors": [amount.error.half_width if amount.error else None for amount in tried.remote_amounts],
        "remote_shares_of": side.population if side else None,
        "remote_shares": _values(side.share if side else None),
        "remote_intervals": [share.interval if share else None for share in side.shares] if side else None,
        "busiest_node": None if node is None else _busiest(*node),
    }
    if tried.arm.policy and trial.placed:
        found["beside_placement"] = _compared(trial.placed[-1], tried)
    if tried.arm.subjects:
        verdict = judge(trial.plain, tried)
        found["verdict"] = {"words": verdict.words, "why": verdict.why}
        found |= _compared(trial.plain, tried)
        found["found_share"], found["placed_share"], found["verified_share"] = tried.found, tried.placed, tried.right
        found["allocations"] = {name: tried.total(name) for name in _COLUMNS}
        found["subjects"] = [
            {
                "label": subject.label,
                "kind": subject.kind,
                "basis": subject.basis,
                "recorded": subject.recorded,
                "recorded_bytes": subject.recorded_bytes,
                "places": [{"ordinal": place.ordinal, "placement": place.text} for place in subject.places],
            }
            for subject in tried.arm.subjects
        ]
    return found


def _compared(before: Tried, after: Tried) -> dict[str, Any]:
    found = change(before.time, after.time)
    return {"times_as_fast": found.ratio if found else None, "p": found.p if found else None}


def _busiest(node: int, shares: Spread) -> dict[str, Any]:
    return {"node": node, "share": shares.middle, "shares": _values(shares)}


_COLUMNS = (
    "asked", "asked_bytes", "placed", "placed_bytes", "refused", "moved_bytes", "extra_bytes", "checked_bytes",
    "right_bytes",
)  # fmt: skip


def _values(found: Spread | None) -> list[float] | None:
    return None if found is None else list(found.values)
