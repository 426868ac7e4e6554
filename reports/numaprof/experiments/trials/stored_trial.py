# SPDX-License-Identifier: Apache-2.0
"""The last trial of a recording, in a file beside it: RECORDING.trial.json, the document of `numaprof try --json`.

The recording itself is never changed. The file may come from anybody: what does not fit is as if it were not there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.spread import median
from numaprof.model import report_model as model
from numaprof.placement.advice import Advice
from numaprof.text.format import clean
from numaprof.text.regular_file import open_regular

VERSION = 1  # of the document
WORTH, LEAVE, UNKNOWN = "worth the edit", "leave it", "cannot tell"
MOST_BYTES = 4 << 20
Value = TypeVar("Value")


def path_of(recording: str) -> str:
    return f"{recording}.trial.json"


def _identity(evidence: Evidence) -> dict[str, object]:
    """Tells a recording from another one of the same name."""
    return {"host": evidence.run.host, "started_at": evidence.run.started_at}


def store(document: Mapping[str, Any], evidence: Evidence) -> str | None:
    """Replaces an earlier trial. Returns why that cannot be done."""
    path = path_of(evidence.path)
    beside = f"{path}.{os.getpid()}"
    try:
        with open(beside, "x", encoding="utf-8", errors="backslashreplace") as file:
            json.dump({**document, "recording": _identity(evidence)}, file, indent=2)
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(beside)
        return error.strerror
    return None


def stored(evidence: Evidence, advices: Sequence[Advice]) -> list[model.Trial | None]:
    """One for each advice. An advice that the trial does not know with the same finding has none."""
    try:
        document = _read(path_of(evidence.path))
        if document.get("version") != VERSION or document.get("recording") != _identity(evidence):
            return [None] * len(advices)
        plain = document["sides"][0]
        sides = {side.get("finding"): side for side in document["sides"][1:] if isinstance(side.get("finding"), str)}
        return [_trial(plain, sides[found.finding]) if found.finding in sides else None for found in advices]
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return [None] * len(advices)


def _read(path: str) -> dict[str, Any]:
    with open_regular(path) as file:
        text = file.read(MOST_BYTES + 1)
    document = json.loads(text) if len(text) <= MOST_BYTES else None
    if not isinstance(document, dict):
        raise ValueError(path)
    return document


def _trial(plain: Mapping[str, Any], side: Mapping[str, Any]) -> model.Trial:
    verdict = side["verdict"]
    if verdict["words"] not in (WORTH, LEAVE, UNKNOWN):
        raise ValueError(verdict["words"])
    return model.Trial(
        verdict=verdict["words"],
        why=clean(_of(str, verdict["why"])),
        plain_runs=len(plain["remote_shares"] or plain["wall_ns"] or ()),
        placed_runs=len(side["remote_shares"] or side["wall_ns"] or ()),
        times_as_fast=_number(side["times_as_fast"]),
        p=_number(side["p"]),
        remote_before=_middle(plain["remote_shares"]),
        remote_before_range=_range(plain),
        remote_after=_middle(side["remote_shares"]),
        remote_after_range=_range(side),
        verified=_number(side["verified_share"]),
        checked_bytes=_of(int, side["allocations"]["checked_bytes"]),
        placements=tuple(
            f"{clean(_of(str, subject['label']))}: {clean(_of(str, place['placement']))}"
            for subject in side["subjects"]
            for place in subject["places"][:1]
        ),
    )


def _of(kind: type[Value], value: object) -> Value:
    if not isinstance(value, kind):
        raise TypeError(value)
    return value


def _number(value: object) -> float | None:
    return None if value is None else float(_of(float, float(value) if isinstance(value, int) else value))


def _range(side: Mapping[str, Any]) -> tuple[float, ...]:
    """Of the shares of the runs and their intervals. Empty: not known."""
    shares, intervals = side["remote_shares"], side["remote_intervals"]
    if not shares or not intervals or None in intervals:
        return ()
    bounds = [_number(bound) or 0.0 for each in (shares, *intervals) for bound in each]
    return min(bounds), max(bounds)


def _middle(values: Sequence[object] | None) -> float | None:
    known = [_number(value) for value in values or ()]
    return median([value for value in known if value is not None]) if known and None not in known else None
