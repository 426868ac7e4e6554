# SPDX-License-Identifier: Apache-2.0
"""Memory of a node without CPUs, in the emulated machine: neither local nor remote, and with advice of its own."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, PROGRAM
from numaprof.evidence.evidence import load
from numaprof.rules import advise

SLOW_NODE = 2
LOCAL_DRAM, REMOTE_DRAM, SLOW_TIER = 1, 2, 8  # core/recording/schema.sql, table source


def vmstat(name: str) -> int:
    return next(
        int(line.split()[1]) for line in Path("/proc/vmstat").read_text().splitlines() if line.split()[0] == name
    )


@pytest.mark.lab("tiered")
def test_data_on_a_node_without_cpus_is_slow_not_remote(tmp_path: Path) -> None:
    recording, migrated = tmp_path / "x.numaprof", vmstat("pgmigrate_success")
    command = ["numactl", f"--membind={SLOW_NODE}", BUILD / "examples" / "sum_serial", "4", "32"]
    environment = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    done = subprocess.run(
        [PROGRAM, "record", "-q", "-o", recording, *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    rows = sqlite3.connect(recording)
    answered = dict(
        rows.execute("SELECT source, count(*) FROM sample WHERE page_node = 2 AND kind = 2 GROUP BY source")
    )
    assert answered.get(SLOW_TIER, 0) > 10, answered
    assert not {LOCAL_DRAM, REMOTE_DRAM} & set(answered)
    evidence = load(str(recording))
    assert evidence.machine.slow_nodes == (SLOW_NODE,)
    said = [f"{advice.finding} {advice.change} {' '.join(advice.code)}" for advice in advise(evidence)]
    assert any("Node 2 (memory" in text and "slow for every CPU and local to none" in text for text in said), said
    assert not any("#pragma omp" in text or "in parallel, divided" in text for text in said), said
    ((before, after),) = rows.execute(
        "SELECT before, after FROM mover WHERE scope = 'machine' AND counter = 'pgmigrate_success'"
    )
    assert migrated <= before <= after <= vmstat("pgmigrate_success")
