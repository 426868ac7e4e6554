# SPDX-License-Identifier: Apache-2.0
"""The summary of a rank as one line of JSON, in merged files and in the file that keeps those of a directory."""

from __future__ import annotations

import json

from numaprof.document.open_recording import Reading
from numaprof.evidence.evidence import evidence_of
from numaprof.export.json_document import plain
from numaprof.job.summarize import summarize
from numaprof.model.from_json import from_json
from numaprof.model.rank_model import FORMAT, VERSION, RankSummary
from numaprof.recording.reader import Recording

MOST_TEXT = 1 << 18  # characters; a summary has a few thousand
MOST_AMOUNT = 1e24  # requests or bytes: a million times what 64 bits count
ROUNDING = 1e-6


def to_line(summary: RankSummary) -> str:
    """One line of JSON, ASCII only."""
    return json.dumps(plain(summary), separators=(",", ":"), allow_nan=False)


def from_line(text: str) -> RankSummary:
    """ValueError if it is none, or of another version."""
    if len(text) > MOST_TEXT:
        raise ValueError("too long for a summary")
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError("no summary of a rank")
    if found.get("version") != VERSION:
        raise ValueError(f"a summary of version {str(found.get('version'))[:8]}, this numaprof reads {VERSION}")
    summary = from_json(RankSummary, found)
    if not _is_possible(summary):
        raise ValueError("a remote share that cannot be")
    return summary


def _is_possible(summary: RankSummary) -> bool:
    """One damaged number would be in the sums over all ranks."""
    share = summary.share
    parts = (share.lowest, share.highest, share.share)
    amounts = (share.remote, share.total, *(each.bytes for each in summary.objects))
    return all(part is None or -ROUNDING <= part <= 1 + ROUNDING for part in parts) and all(
        amount is None or 0 <= amount <= MOST_AMOUNT for amount in amounts
    )


def summary_of(path: str) -> RankSummary:
    with Recording(path) as recording:
        return summarize(Reading(evidence_of(recording), recording))
