# SPDX-License-Identifier: Apache-2.0
"""Faults that come in masses are downsampled: the weights of the samples stand for all of them, whoever they are of."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import faults_without_sample, one, run, target

THREADS, PAGES, OWN = 2000, 40, 1000


@pytest.mark.requires("perf_event")
@pytest.mark.parametrize("pin", ["compact", "none"])
def test_short_threads_have_their_share_of_the_first_touches(pin: str, tmp_path: Path) -> None:
    """Each thread has 40 faults, and may inherit a longer sampling period.

    24 runs on a busy machine showed 0.99 to 1.01, and up to 1.38 when faults that samples stood for twice were kept. A
    recorder that does not run meanwhile has what the buffers held, and says how many faults no sample stands for: those
    are part of the account.
    """
    recording = tmp_path / "r.numaprof"
    short = target("short_threads", "-pthread")
    assert run("record", "-q", "--pin", pin, "-o", recording, short, THREADS, PAGES, OWN).status == 0
    touched = "SELECT sum(weight) FROM sample JOIN thread t ON t.id = thread WHERE kind IN (10, 12, 13, 19)"
    threads = one(recording, f"{touched} AND t.tid <> (SELECT pid FROM run)")
    main = one(recording, f"{touched} AND t.tid = (SELECT pid FROM run)")
    missing = faults_without_sample(recording)
    assert threads + missing > 0.7 * THREADS * PAGES
    assert threads < 1.2 * THREADS * PAGES
    assert main + missing >= OWN
    assert main < 1.5 * OWN
