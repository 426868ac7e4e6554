# SPDX-License-Identifier: Apache-2.0
"""Nodes and CPUs with the threads on them, and who reads where."""

from __future__ import annotations

from collections import defaultdict

from numaprof.analysis.naming import thread_name
from numaprof.analysis.node_matrix import Matrix, left_out, matrix, sampled
from numaprof.analysis.remote_meaning import between_packages
from numaprof.analysis.remote_share import COUNTERS, LOADS, RemoteShare, basis, counted_share, sampled_together
from numaprof.analysis.slow_tier import slow_population, slow_share
from numaprof.document.open_recording import Reading
from numaprof.document.remote_sums import remote_sums
from numaprof.document.sections.overview_section import maybe, population
from numaprof.document.sections.threads_section import classes
from numaprof.evidence.counts import Traffic
from numaprof.evidence.evidence import Evidence, Thread
from numaprof.evidence.thresholds import MOST_FREED
from numaprof.evidence.traffic import verdict_traffic
from numaprof.model import report_model as model
from numaprof.recording.sql import sql_machine
from numaprof.recording.sql.sql_samples import LOAD, STORE
from numaprof.text.format import clean


def machine(source: Reading) -> model.Machine:
    evidence = source.evidence
    homed = evidence.samples.homed_pages
    if sum(homed.values()) < MOST_FREED * evidence.touched_pages:
        homed = {}  # most was freed before: what is left does not say where the program's memory was
    _, counted = who_reads_where(evidence)
    return model.Machine(
        nodes=tuple(
            model.Node(
                row.id,
                row.mem_bytes,
                bool(row.allowed),
                homed.get(row.id, 0) if homed else None,
                maybe(evidence.machine.memory_of(row.id)),
            )
            for row in evidence.machine.nodes
        ),
        cpus=tuple(_cpus(source)),
        pairs=tuple(_pairs(source)),
        pairs_population=counted,
        population=population(evidence),
        measured=tuple(_measured(source)),
        left_out=left_out(evidence) if counted == population(evidence) else 0.0,
        slow_tier=_slow_tier(evidence),
        movers=tuple(
            model.Mover(clean(row.scope), row.node, clean(row.counter), row.pages)
            for row in source.recording.rows_if("mover", sql_machine.Mover, sql_machine.MOVERS)
        ),
    )


def _slow_tier(evidence: Evidence) -> model.SlowTier | None:
    found = slow_share(evidence)
    if found is None:
        return None
    low, high = found.interval or (None, None)
    of = slow_population(evidence, found)
    return model.SlowTier(found.share, low, high, found.samples, of, evidence.machine.speed_unknown)


def _cpus(source: Reading) -> list[model.Cpu]:
    evidence = source.evidence
    on_cpu: dict[int, list[Thread]] = defaultdict(list)
    for thread in evidence.threads:
        if thread.cpu is not None:
            on_cpu[thread.cpu].append(thread)
    return [
        _cpu(evidence, row, on_cpu[row.id])
        for row in source.recording.rows(sql_machine.CpuPlace, sql_machine.CPU_PLACES)
    ]


def _cpu(evidence: Evidence, row: sql_machine.CpuPlace, threads: list[Thread]) -> model.Cpu:
    by_cpu = evidence.ledger.by_cpu if basis(evidence) == COUNTERS else {}
    columns = evidence.ledger.cpu(row.id) if row.id in by_cpu else None
    sums = remote_sums(evidence, _requests(evidence, columns, threads), len(by_cpu))
    return model.Cpu(
        id=row.id,
        node=row.node,
        package=row.package,
        core=row.core,
        smt=row.thread,
        online=bool(row.online),
        allowed=bool(row.allowed),
        threads=len(threads),
        first_thread=thread_name(threads[0]) if threads else None,
        **sums._asdict(),
        classes=classes(evidence, columns) if columns is not None else (),
    )


def _requests(evidence: Evidence, counted: dict[str, Traffic] | None, threads: list[Thread]) -> RemoteShare | None:
    if basis(evidence) != COUNTERS:
        return sampled_together(evidence, threads)
    return None if counted is None else counted_share(verdict_traffic(evidence.ledger.events, counted))


def _measured(source: Reading) -> list[model.Measured]:
    return [
        model.Measured(clean(row.metric), clean(row.unit), *row[2:7], bool(row.noisy))
        for row in source.recording.rows_if("measured", sql_machine.Measured, sql_machine.MEASURED)
    ]


def who_reads_where(evidence: Evidence) -> tuple[Matrix, str | None]:
    """And what that counts. Counters tell remote, but of several other nodes not which: there samples do, if any."""
    if basis(evidence) is None:
        return {}, None
    several = basis(evidence) == COUNTERS and (len(evidence.machine.memory_nodes) > 2 or between_packages(evidence))
    if several and any(row.kind in (LOAD, STORE) and row.remote is not None for row in evidence.samples.used):
        return sampled(evidence), f"sampled accesses: {LOADS}"
    return matrix(evidence), population(evidence)


def _pairs(source: Reading) -> list[model.Pair]:
    """Every node with CPUs to every node with memory."""
    evidence = source.evidence
    numbers, _ = who_reads_where(evidence)
    rows = source.recording.rows(sql_machine.Distance, sql_machine.DISTANCES)
    distances = {(row.from_node, row.to_node): row for row in rows}
    found = []
    for node in evidence.machine.all_cpu_nodes:
        for memory in evidence.machine.memory_nodes:
            row = distances.get((node, memory))
            found.append(
                model.Pair(
                    from_node=node,
                    to_node=memory,
                    requests=numbers.get((node, memory)),
                    distance=row.firmware if row else None,
                    latency_ns=row.latency_ns if row else None,
                    read_bytes_per_s=row.read_bytes_per_s if row else None,
                )
            )
    return found
