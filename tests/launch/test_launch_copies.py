# SPDX-License-Identifier: Apache-2.0
"""Private copies of shared memory are the process's own pages, told apart from first touches of what is shared."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import lost_faults, one, run, target

PAGES = 200

WEIGHT = """
SELECT ifnull(sum(weight), 0)
  FROM sample s JOIN sample_kind k ON k.id = s.kind JOIN block b ON b.id = s.block JOIN object o ON o.id = b.object
 WHERE o.name LIKE '/memfd:copies%' AND o.kind = '{}' AND k.name = '{}'
"""


@pytest.mark.requires("perf_event")
def test_private_copies_of_a_memfd(tmp_path: Path) -> None:
    recording = tmp_path / "r.numaprof"
    assert run("record", "-q", "-o", recording, target("copies"), PAGES).status == 0
    lost = lost_faults(recording)
    for kinds in (("shared", "first_touch"), ("static", "copy_on_write")):
        assert PAGES - lost <= one(recording, WEIGHT.format(*kinds)) <= 1.5 * PAGES  # an estimate, once there are many
    for kinds in (("static", "first_touch"), ("shared", "copy_on_write")):
        assert one(recording, WEIGHT.format(*kinds)) == 0
