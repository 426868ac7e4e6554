# SPDX-License-Identifier: Apache-2.0
"""A recording with its evidence at hand: what the parts of the document are made from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from numaprof.evidence.evidence import Evidence, evidence_of
from numaprof.recording.reader import Recording
from numaprof.recording.sql import sql_timeline


@dataclass(frozen=True)
class Reading:
    evidence: Evidence
    recording: Recording

    @cached_property
    def last_moment_ns(self) -> int:
        """Looks at all samples."""
        return self.recording.one(sql_timeline.LastMoment, sql_timeline.LAST_MOMENT).t_ns or 0


@contextmanager
def reading(path: str) -> Iterator[Reading]:
    with Recording(path) as recording:
        yield Reading(evidence_of(recording), recording)
