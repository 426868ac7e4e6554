# SPDX-License-Identifier: Apache-2.0
"""What a report says of the requests of some threads, or of a CPU, together."""

from __future__ import annotations

from typing import NamedTuple

from numaprof.analysis.remote_share import RemoteShare
from numaprof.analysis.verdict import is_remote_heavy
from numaprof.evidence.evidence import Evidence


class RemoteSums(NamedTuple):
    """In the order in which the model's rows end with them."""

    local: float | None = None
    remote: float | None = None
    remote_share: float | None = None
    lowest: float | None = None
    highest: float | None = None
    remote_heavy: bool = False


def remote_sums(evidence: Evidence, found: RemoteShare | None, parts: int) -> RemoteSums:
    """parts: how many threads, CPUs or groups of them there are. Nothing made no share."""
    if found is None:
        return RemoteSums()
    local = found.total - found.remote
    if not found.total:
        return RemoteSums(local, found.remote)
    lowest, highest = found.interval or (None, None)
    heavy = is_remote_heavy(evidence, found.share, found.remote, parts)
    return RemoteSums(local, found.remote, found.share, lowest, highest, heavy)
