# SPDX-License-Identifier: Apache-2.0
"""A recording with its evidence at hand: what the parts of the document are made from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from numaprof.evidence.evidence import Evidence, evidence_of
from numaprof.recording.reader import Recording


@dataclass(frozen=True)
class Reading:
    evidence: Evidence
    recording: Recording


@contextmanager
def reading(path: str) -> Iterator[Reading]:
    with Recording(path) as recording:
        yield Reading(evidence_of(recording), recording)
