# SPDX-License-Identifier: Apache-2.0
"""Sums over CPUs, nodes and threads are the verdict's; costs and rates are of what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from numaprof.analysis.node_matrix import left_out, node_traffic
from numaprof.document.build_report import document
from numaprof.evidence.evidence import Evidence, load
from numaprof.evidence.traffic import verdict_traffic
from reading import read
from recording_builder import RAN, SECOND, RecordingBuilder
from scenarios import SCENARIOS


def wandering() -> RecordingBuilder:
    """Four threads that change between the nodes. On node 1 an event has half of the time, but a fifth of the work."""
    builder = RecordingBuilder()
    clock = builder.event("time", "", name="task-clock")
    events = [builder.event("demand_rd", side) for side in ("local_dram", "remote_dram")]
    builder.threads(4, pin="none", planned_cpu=None, cpu_ns=SECOND)
    ran = SECOND // 20
    for thread in range(1, 5):
        for step in range(20):
            far = (step + thread) % 2
            where = {"thread": thread, "cpu": 4 * far + thread - 1, "t_ns": (step + 1) * ran, "enabled_ns": ran}
            builder.row("count", event=clock, value=ran, running_ns=ran, work=100_000, **where)
            for event, value in zip(events, (10, 1000) if far else (1000, 10)):
                work = 20_000 if far else 50_000
                builder.row("count", event=event, value=value, running_ns=ran // 2, work=work, **where)
    return builder


def sums(evidence: Evidence) -> dict[str, float | None]:
    """Of all requests, by CPU, by node and by thread; None: some row is not known."""
    ledger = evidence.ledger
    rows = {
        "CPUs": [verdict_traffic(ledger.events, ledger.cpu(cpu)).total for cpu in ledger.by_cpu],
        "nodes": [node_traffic(evidence, node).total for node in evidence.machine.all_cpu_nodes],
        "threads": [thread.traffic.total for thread in evidence.threads if thread.row.id in ledger.by_thread],
    }
    return {name: None if None in of else sum(value or 0.0 for value in of) for name, of in rows.items()}


def test_threads_that_change_cpus_are_divided_among_them(tmp_path: Path) -> None:
    evidence = read(wandering(), tmp_path)
    assert evidence.traffic.total is not None
    assert sums(evidence) == {name: pytest.approx(evidence.traffic.total) for name in ("CPUs", "nodes", "threads")}
    assert left_out(evidence) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", SCENARIOS)
def test_rows_of_every_scenario_add_up(name: str, tmp_path: Path) -> None:
    """Rows that lack threads (without a CPU) are less, and the report says so."""
    evidence = read(SCENARIOS[name](), tmp_path)
    total = evidence.traffic.total
    if not evidence.counted or total is None:
        return
    known = {key: value for key, value in sums(evidence).items() if value is not None}
    if evidence.ledger.by_thread and not evidence.ledger.unattributed:
        assert known.get("threads", total) == pytest.approx(total)
    for key in ("CPUs", "nodes"):
        assert known.get(key, total) <= total * (1 + 1e-9)
    if "nodes" in known:
        assert known["nodes"] == pytest.approx(total * (1 - left_out(evidence)))


def test_the_cost_of_a_remote_read_is_no_matter_of_the_slow_tier(tmp_path: Path) -> None:
    """50 ns, be a third node's memory as slow as it likes; of several nodes it is the mean over the pairs."""
    builder = RecordingBuilder().threads(8)
    builder.row("node", id=2, mem_bytes=64 << 30, free_bytes=1 << 30, allowed=1)
    for node, memory in ((0, "DRAM"), (1, "DRAM"), (2, "CXL")):
        builder.row("node_memory", node=node, memory=memory)
    for one in (0, 1):
        for other, ns in ((one, 90), (1 - one, 140), (2, 400)):
            builder.row("distance", from_node=one, to_node=other, firmware=10, latency_ns=ns, read_bytes_per_s=1e10)
    assert load(str(builder.write(tmp_path / "r.numaprof"))).machine.remote_extra_ns == pytest.approx(50)


def test_the_bandwidth_of_a_window_is_that_while_it_was_open(tmp_path: Path) -> None:
    builder = RecordingBuilder(wall_ns=100 * RAN).threads(8).counters("demand_rd", [10_000] * 8, [10_000] * 8)
    builder.change("window", start_ns=10 * RAN, end_ns=11 * RAN, cause="delay")
    found = document(str(builder.write(tmp_path / "r.numaprof"))).summary.bytes_per_s
    assert found == pytest.approx(8 * 20_000 * 64 / (RAN / SECOND))
