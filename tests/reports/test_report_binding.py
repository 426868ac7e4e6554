# SPDX-License-Identifier: Apache-2.0
"""The binding of a rank is its verdict where it is at fault, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest
from jobs import rank
from numaprof.analysis.binding import binding
from numaprof.analysis.verdict import Judgement, judge
from numaprof.document.headline import verdict
from numaprof.placement.explain import advise
from numaprof.placement.settings import launcher_binding
from reading import printed, read
from recording_builder import RecordingBuilder
from scenarios import ARRAY, PAGES, init_stack, levels, parallel_init, serial_init

LAUNCHERS = ("Open MPI", "MPICH", "MVAPICH", "PALS", "Flux", "Slurm", "PMIx", "torchrun")


def on_one_node(home: int = 0, **run: object) -> RecordingBuilder:
    """Four threads on node 0, whose pages lie on one node."""
    builder = levels(RecordingBuilder(**run)).threads(4)
    builder.counters("demand_rd", [11] * 4, [0] * 4)
    builder.counters("pf_any", [131_072] * 4, [0] * 4)
    return builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=home).homes((ARRAY, PAGES, home))


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_more_threads_than_cpus(tmp_path: Path, launcher: str) -> None:
    evidence = read(rank(serial_init(), 0, cpus="3", launcher=launcher), tmp_path)
    assert judge(evidence) is Judgement.BINDING
    assert verdict(evidence).headline == (
        "The binding is at fault, not the program's memory: this rank may use 1 CPU (3) and runs 8 threads."
    )
    advice = advise(evidence)[0]
    assert advice.decision == "setting"
    assert launcher in advice.evidence and advice.code
    assert launcher == "torchrun" or "8" in " ".join(advice.code)


def test_options_are_those_of_the_launcher(tmp_path: Path) -> None:
    options = {
        launcher: binding(read(rank(serial_init(), 0, cpus="3", launcher=launcher), tmp_path)).fixes
        for launcher in LAUNCHERS
    }
    told = {launcher: " ".join(texts) for launcher, texts in options.items()}
    assert "--map-by" in told["Open MPI"] and "--bind-to" in told["Open MPI"]
    assert "I_MPI_PIN_DOMAIN=8" in told["MPICH"] and "--cpu-bind" in told["Slurm"]


def test_the_report_says_it_first(tmp_path: Path) -> None:
    assert "VERDICT   The binding is at fault" in printed(rank(serial_init(), 0, cpus="3"), tmp_path)


@pytest.mark.parametrize(
    "cpus,shares,reason",
    [
        ("0-7", 0, "not bound"),
        ("0-7", 1, "numaprof shares the CPUs out"),
        ("0-6", 0, "one thread too many"),
        ("", 0, "the mask is not known"),
    ],
)
def test_silent_on_other_bindings(tmp_path: Path, cpus: str, shares: int, reason: str) -> None:
    evidence = read(rank(serial_init(), 0, cpus=cpus, shares=shares), tmp_path)
    assert judge(evidence) is Judgement.HEAVY, reason
    assert launcher_binding.rule(evidence) is None


def test_silent_without_a_launcher(tmp_path: Path) -> None:
    evidence = read(serial_init(allowed_cpus="3"), tmp_path)
    assert judge(evidence) is Judgement.HEAVY and launcher_binding.rule(evidence) is None


def test_threads_one_after_the_other_are_one_thread(tmp_path: Path) -> None:
    builder = rank(parallel_init(), 0, cpus="3")
    for thread in range(8):
        builder.change("thread", where=f"id = {thread + 1}", start_ns=1000 * thread, end_ns=1000 * thread + 1000)
    evidence = read(builder, tmp_path)
    assert binding(evidence).threads == 1 and launcher_binding.rule(evidence) is None


def test_cpus_and_memory_of_different_nodes_by_a_cpuset(tmp_path: Path) -> None:
    builder = rank(on_one_node(1), 0, cpus="0-3").change("run", allowed_nodes="1")
    evidence = read(builder, tmp_path)
    assert verdict(evidence).headline == (
        "The binding is at fault, not the program's memory: its CPUs are on node 0, its memory is on node 1, by a "
        "binding and not by first touch."
    )
    (advice,) = [found for found in advise(evidence) if found.code]
    assert "--mem-bind=local" in " ".join(advice.code)


def test_cpus_and_memory_of_different_nodes_by_a_policy(tmp_path: Path) -> None:
    """Slurm's --mem-bind and numactl leave no trace but the nodes of the pages."""
    evidence = read(rank(on_one_node(1), 0, cpus="0-3"), tmp_path)
    assert judge(evidence) is Judgement.BINDING


@pytest.mark.parametrize("change", ["balancing moved them", "the node was full", "little memory"])
def test_pages_elsewhere_for_other_reasons(tmp_path: Path, change: str) -> None:
    builder = rank(on_one_node(1), 0, cpus="0-3")
    if change == "balancing moved them":
        builder.change("run", balancing_moved_pages=PAGES)
    elif change == "the node was full":
        builder.change("node", where="id = 0", free_bytes=1 << 20)
    else:
        builder.change("page_home", pages=8, span=8).change("sample", where="kind = 10", weight=1)
    assert judge(read(builder, tmp_path)) is not Judgement.BINDING


def test_memory_without_cpus_is_a_choice(tmp_path: Path) -> None:
    builder = rank(on_one_node(2), 0, cpus="0-3")
    builder.row("node", id=2, mem_bytes=16 << 30, free_bytes=12 << 30, allowed=1)
    builder.change("run", allowed_nodes="2")
    assert judge(read(builder, tmp_path)) is not Judgement.BINDING


def test_a_rank_bound_to_one_node_proves_something(tmp_path: Path) -> None:
    """It runs there whether or not it is recorded; without a launcher's binding the same run proves nothing."""
    assert judge(read(rank(on_one_node(), 0, cpus="0-3"), tmp_path)) is Judgement.LIGHT
    assert judge(read(on_one_node(), tmp_path)) is Judgement.ONE_NODE_USED
