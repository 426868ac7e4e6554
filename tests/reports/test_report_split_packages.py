# SPDX-License-Identifier: Apache-2.0
"""Packages of several nodes: there the CPU's "local" may be the package, and the page's node decides what is remote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from numaprof.analysis.remote_share import COUNTERS, LOADS, basis, remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.document.build_profile import profile
from numaprof.document.build_report import document
from numaprof.document.open_recording import reading
from numaprof.evidence.evidence import Evidence, load
from numaprof.evidence.nodes.controllers import (
    Told,
    controllers,
    machine_facts,
    share_controllers,
)
from numaprof.model.report_model import Report
from numaprof.recording.sql.sql_machine import CacheOfCpu, Cpu, Distance, LatencyRange
from recording_builder import LOCAL, PAGE, RAN, REMOTE, STORE, RecordingBuilder
from scenarios import levels

INTEL, AMD = "GenuineIntel", "AuthenticAMD"
DATA = 0x7F0000000000
SUM = ("sum.c", 20, "sum")
INIT = ("sum.c", 10, "init")
IN_DOUBT = "sockets have several nodes here: The event knows sockets only."


def package(
    nodes: int = 3,
    packages: int = 1,
    vendor: str = INTEL,
    near: int | None = 15,
    caches: bool = False,
) -> RecordingBuilder:
    """Two CPUs a node. near: firmware's distance within a package; caches: a last-level cache for each node."""
    builder = levels(RecordingBuilder(nodes=nodes, cpus_per_node=2, cpu_vendor=vendor))
    of = nodes // packages
    for node in range(nodes):
        builder.change("cpu", where=f"node = {node}", package=node // of)
        for other in range(nodes):
            distance = 10 if node == other else near if node // of == other // of else 32
            if distance is not None:
                builder.row("distance", from_node=node, to_node=other, firmware=distance)
    for cpu in range(2 * nodes if caches else 0):
        builder.row("last_cache", cpu=cpu, cache=cpu // 2 * 2)
    return builder.threads(2 * nodes)


def serial(builder: RecordingBuilder, nodes: int, sources: Sequence[int | None]) -> RecordingBuilder:
    """Thread 1 touches an array first, on node 0; all threads read it. sources: of the loads of each node's threads."""
    array = builder.object("heap", builder.stack(builder.place(INIT)))
    block = builder.block(array, DATA, 512)
    builder.touch(builder.stack(builder.place(INIT)), 1, DATA, 512, page_node=0, block=block)
    for thread in range(1, 2 * nodes + 1):
        addresses = [DATA + PAGE * page for page in range(60)]
        answer = {"source": sources[(thread - 1) // 2], "block": block}
        builder.loads(builder.stack(builder.place(SUM)), thread, addresses, 0, **answer)
    return builder.homes((DATA, 512, 0))


def evidence(builder: RecordingBuilder, folder: Path) -> Evidence:
    return load(str(builder.write(folder / "x.numaprof")))


def report(builder: RecordingBuilder, folder: Path) -> Report:
    return document(str(builder.write(folder / "x.numaprof")))


def counted(builder: RecordingBuilder, nodes: int) -> RecordingBuilder:
    """All local, for the package is."""
    return builder.counters("demand_rd", [1_000_000] * 2 * nodes, [0] * 2 * nodes).note("clusters", IN_DOUBT)


def test_within_a_package_the_node_of_the_page_decides(tmp_path: Path) -> None:
    found = report(serial(counted(package(), 3), 3, [LOCAL] * 3), tmp_path)
    assert found.verdict.basis == LOADS
    assert found.verdict.remote_share == pytest.approx(2 / 3)
    assert found.verdict.judgement == "heavy"
    assert any("nodes of their pages decide" in text for text in found.overview.decisive)
    assert any("nodes of their pages decide" in (level.why_not or "") for level in found.levels if not level.used)


def test_counters_give_the_share_where_there_are_no_samples_to_decide(
    tmp_path: Path,
) -> None:
    found = report(counted(package(), 3), tmp_path)
    assert found.verdict.basis == COUNTERS
    assert any(text.startswith("What remote means is in doubt") for text in found.overview.decisive)


def test_counters_that_verify_found_to_tell_nodes_give_the_share(
    tmp_path: Path,
) -> None:
    builder = package().verified("the memory of the own node").counters("demand_rd", [900_000] * 6, [100_000] * 6)
    assert basis(evidence(serial(builder, 3, [LOCAL] * 3), tmp_path)) == COUNTERS


def test_every_part_of_a_report_has_the_same_remote_accesses(tmp_path: Path) -> None:
    path = serial(package(), 3, [LOCAL] * 3).write(tmp_path / "x.numaprof")
    found = document(str(path))
    assert found.objects.rows[0].remote_share == pytest.approx(2 / 3)
    moments = found.timeline.moments
    local, remote = (sum(getattr(moment, side) or 0.0 for moment in moments) for side in ("local", "remote"))
    assert remote / (local + remote) == pytest.approx(2 / 3)
    assert sum(row.weight for row in found.remote_stacks.rows) == pytest.approx(remote)
    with reading(str(path)) as source:
        assert sum(row.events for row in source.evidence.samples.modules) == pytest.approx(remote)
        rows = [row for row in profile(source.recording, source.evidence).rows if row.kind == "load"]
    sums = {
        name: sum(max(row.values) for row in rows if row.placement == name) for name in ("local_dram", "remote_dram")
    }
    assert sums["remote_dram"] == 2 * sums["local_dram"] == pytest.approx(remote)


def test_between_packages_the_cpu_decides(tmp_path: Path) -> None:
    """The page may have moved since: node 0 reads what its CPUs call remote, though the page is there by now."""
    builder = serial(package(2, packages=2), 2, [REMOTE, LOCAL])
    share = remote_share(evidence(builder, tmp_path))
    assert share is not None and share.share == pytest.approx(1 / 2)
    assert {row.remote for row in evidence(builder, tmp_path).samples.used if row.node == 0} == {True}


def test_local_of_a_split_package_says_nothing_of_a_page_that_nobody_found(
    tmp_path: Path,
) -> None:
    builder = package()
    for address in (DATA, DATA + PAGE):
        builder.sample(2, 1, builder.stack(builder.place(SUM)), 1009, address=address, source=LOCAL)
    assert {row.remote for row in evidence(builder, tmp_path).samples.used} == {None}


def test_nodes_of_l3_caches_count_as_one(tmp_path: Path) -> None:
    """Two EPYCs of four such nodes each, which are 11 apart: only what goes to the other package is remote."""
    builder = serial(
        package(8, packages=2, vendor=AMD, near=11, caches=True),
        8,
        [LOCAL] * 4 + [REMOTE] * 4,
    )
    found = report(builder, tmp_path)
    assert found.verdict.remote_share == pytest.approx(1 / 2)
    assert [node.id for node in found.machine.nodes] == [0, 4]
    assert {(pair.from_node, pair.to_node): pair.distance for pair in found.machine.pairs} == {
        (0, 0): 10, (0, 4): 32, (4, 0): 32, (4, 4): 10
    }  # fmt: skip
    assert found.overview.decisive == (
        "Nodes 0-3 share their memory controllers, by the firmware's distances: they count as one, node 0. Moving "
        "memory among them gains nothing.",
        "Nodes 4-7 share their memory controllers, by the firmware's distances: they count as one, node 4. Moving "
        "memory among them gains nothing.",
    )


def test_of_one_package_whose_nodes_are_l3_caches_nothing_can_be_remote(
    tmp_path: Path,
) -> None:
    builder = counted(serial(package(4, vendor=AMD, near=11, caches=True), 4, [LOCAL] * 4), 4)
    assert judge(evidence(builder, tmp_path)) is Judgement.SINGLE_NODE


def test_local_of_counters_is_sound_where_the_nodes_of_a_package_count_as_one(
    tmp_path: Path,
) -> None:
    builder = package(8, packages=2, vendor=AMD, near=11, caches=True).verified("the memory of the own package, all")
    builder.counters("demand", [900_000] * 16, [100_000] * 16).note("clusters", IN_DOUBT)
    found = report(serial(builder, 8, [LOCAL] * 4 + [REMOTE] * 4), tmp_path)
    assert (found.verdict.basis, found.verdict.between_packages) == (COUNTERS, False)
    assert not any("doubt" in text for text in found.overview.decisive)


def test_where_nothing_tells_the_share_is_a_range_of_both_readings(
    tmp_path: Path,
) -> None:
    """One L3 cache in each node, and no distances of the firmware: clusters, or nodes of caches."""
    found = report(serial(package(4, vendor=AMD, near=20, caches=True), 4, [LOCAL] * 4), tmp_path)
    assert found.verdict.headline.startswith("0.0 % to 75.0 % of 480 sampled accesses to DRAM are remote")
    assert found.verdict.headline.endswith("It may be worth fixing.")
    assert found.verdict.lowest == pytest.approx(0.0, abs=0.01) and (found.verdict.highest or 0.0) > 0.75
    assert any(
        "nodes 0-3 have memory controllers of their own: sampled shares" in text for text in found.overview.decisive
    )


@pytest.mark.parametrize(("other", "share"), [(100.5, 0.0), (112.0, 0.75)])
def test_measured_latencies_tell_before_anything_else(other: float, share: float, tmp_path: Path) -> None:
    builder = serial(package(4, vendor=AMD, near=20, caches=True), 4, [LOCAL] * 4)
    for reader in range(4):
        for memory in range(4):
            median = 100.0 if reader == memory else other
            spread = {
                "median": median,
                "low": median - 1,
                "high": median + 1,
                "repeats": 5,
                "noisy": 0,
            }
            builder.row(
                "measured",
                metric="latency_random",
                unit="ns",
                from_node=reader,
                to_node=memory,
                **spread,
            )
    found = evidence(builder, tmp_path)
    if share:
        measured = remote_share(found)
        assert measured is not None and measured.share == measured.least == pytest.approx(share)
    else:
        assert judge(found) is Judgement.SINGLE_NODE


def test_high_bandwidth_memory_is_near_the_node_that_it_is_nearest_to(
    tmp_path: Path,
) -> None:
    """Xeon Max in flat mode, two clusters: the page lies in the memory without CPUs of the first one."""
    builder = serial(package(2), 2, [LOCAL] * 2).change("sample", where="page_node = 0 AND kind = 2", page_node=2)
    builder.row("node", id=2, mem_bytes=1 << 34, allowed=1)
    for node, memory in enumerate(("DRAM", "DRAM", "HBM")):
        builder.row("node_memory", node=node, memory=memory)
    for node, distance in ((0, 13), (1, 23)):
        builder.row("distance", from_node=node, to_node=2, firmware=distance)
    remote = {row.node: row.remote for row in evidence(builder, tmp_path).samples.used}
    assert remote == {0: False, 1: True}


def test_hint_faults_between_nodes_of_one_l3_package_are_local(tmp_path: Path) -> None:
    builder = package(8, packages=2, vendor=AMD, near=11, caches=True)
    for thread in (1, 3, 9):
        builder.hints(builder.stack(builder.place(SUM)), thread, [DATA], 0)
    assert {row.thread: row.remote for row in evidence(builder, tmp_path).samples.used} == {1: False, 3: False, 9: True}


# Two nodes of one package with two CPUs each: vendor, distance, last-level caches of the four CPUs, and how long a node
# waits for the other's memory, relative to its own.
CASES = {
    "sub-NUMA clusters share the L3": (
        (INTEL, 11, (0, 0, 0, 0), None),
        (False, Told.CACHES),
    ),
    "NPS: several caches in a node": (
        (AMD, 12, (0, 1, 2, 3), None),
        (False, Told.CACHES),
    ),
    "cluster on die has a cache for each node": (
        (INTEL, 21, (0, 0, 2, 2), None),
        (False, Told.VENDOR),
    ),
    "Arm chiplets with controllers of their own": (
        ("0x48", 12, (0, 0, 2, 2), None),
        (False, Told.VENDOR),
    ),
    "L3 as NUMA domain": ((AMD, 11, (0, 0, 2, 2), None), (True, Told.DISTANCES)),
    "NPS with one cache in a node": (
        (AMD, 12, (0, 0, 2, 2), None),
        (False, Told.DISTANCES),
    ),
    "no table of distances": ((AMD, 20, (0, 0, 2, 2), None), (None, None)),
    "no distances at all": ((AMD, None, (0, 0, 2, 2), None), (None, None)),
    "all are 10": ((INTEL, 10, (0, 0, 0, 0), None), (None, None)),
    "measured equal": ((AMD, 20, (0, 0, 2, 2), 1.0), (True, Told.MEASURED)),
    "measured slower": ((AMD, 11, (0, 0, 2, 2), 1.1), (False, Told.MEASURED)),
    "an old recording": ((INTEL, 12, (), None), (False, Told.VENDOR)),
}


@pytest.mark.parametrize("name", CASES)
def test_what_tells_who_shares_controllers(name: str) -> None:
    (vendor, distance, caches, slower), expected = CASES[name]
    cpus = [Cpu(cpu, cpu // 2, 0, 1, 1) for cpu in range(4)]
    pairs = [(0, 0, 10), (1, 1, 10), (0, 1, distance), (1, 0, distance)]
    distances = [Distance(one, other, far, None, None) for one, other, far in pairs if far is not None]
    times = [(0, 0, 1.0), (1, 1, 1.0), (0, 1, slower), (1, 0, slower)] if slower else []
    latencies = [LatencyRange(one, other, 100 * by, 99 * by, 101 * by) for one, other, by in times]
    served = [CacheOfCpu(cpu, cache) for cpu, cache in enumerate(caches)]
    facts = machine_facts(vendor, cpus, distances, latencies, served)
    assert share_controllers(facts, 0, 1) == expected


def test_too_many_nodes_for_pairs_are_left_as_they_are() -> None:
    cpus = [Cpu(node, node, 0, 1, 1) for node in range(1000)]
    found = controllers(machine_facts(AMD, cpus, [], [], []))
    assert found.untold and not found.merged


def test_stores_of_unknown_source_are_no_part_of_the_share_of_loads(tmp_path: Path) -> None:
    """IBS tells what answered a load only: a store may have been answered by a cache."""
    builder = serial(package(2, packages=2), 2, [LOCAL, LOCAL])
    for page in range(200):
        builder.sample(STORE, 3, builder.stack(builder.place(SUM)), 1009, address=DATA + PAGE * page, page_node=0)
    found = evidence(builder, tmp_path)
    share = remote_share(found)
    assert share is not None and (share.share, share.samples) == (0.0, 240)
    stores = [row for row in found.samples.used if row.kind == STORE]
    assert sum(row.samples for row in stores) == 200  # they still tell who uses the memory
    assert {row.remote for row in stores} == {None}


def test_a_small_sampled_share_needs_no_counters(tmp_path: Path) -> None:
    """It was called "240 samples are too few to say (100 needed)"."""
    found = report(serial(package(2, packages=2), 2, [LOCAL, LOCAL]), tmp_path)
    assert (found.verdict.judgement, found.verdict.samples) == ("light", 240)


def test_where_counters_do_not_decide_their_gaps_do_not_matter(tmp_path: Path) -> None:
    builder = counted(package(), 3).change("thread", uncounted_ns=RAN * 10)
    for thread in range(1, 7):
        at = [DATA + PAGE * (100 * thread + page) for page in range(60)]
        builder.loads(builder.stack(builder.place(SUM)), thread, at, (thread - 1) // 2, source=LOCAL)
    verdict = report(builder, tmp_path).verdict
    assert (verdict.basis, verdict.judgement, verdict.remote_share) == (LOADS, "light", 0.0)
