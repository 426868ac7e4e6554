# SPDX-License-Identifier: Apache-2.0
"""The picture at the top of the page: widths are requests, and what is not known is hatched, never nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numaprof.document.build_report import document
from numaprof.model import report_model as model
from numaprof.page.overview_picture import MIN_LEFT_OUT, Picture, overview_picture
from numaprof.page.render import HERE
from numaprof.page.report_page import report_page
from recording_builder import RecordingBuilder
from scenarios import SCENARIOS


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> model.Report:
    return report(SCENARIOS["serial_init"](), tmp_path_factory.mktemp("picture"))


def report(builder: RecordingBuilder, folder: Path) -> model.Report:
    return document(str(builder.write(folder / "x.numaprof")))


def picture(found: model.Report) -> Picture:
    drawn = overview_picture(found)
    assert drawn is not None
    return drawn


REQUESTS = st.one_of(st.none(), st.just(0.0), st.floats(1.0, 1e12))


@given(st.integers(2, 5).flatmap(lambda n: st.tuples(st.just(n), st.lists(REQUESTS, min_size=n * n, max_size=n * n))))
def test_widths_sum_to_the_requests(counted: model.Report, drawn: tuple[int, list[float | None]]) -> None:
    nodes, requests = drawn
    found = picture(between(counted, nodes, requests))
    known = sum(amount for amount in requests if amount is not None)
    widths = [flow.width for flow in found.flows if flow.to_node is not None]
    assert sum(widths) == pytest.approx(found.scale * known)
    assert sum(flow.requests or 0.0 for flow in found.flows if flow.to_node is not None) == pytest.approx(known)
    for node in range(nodes):
        mine = requests[node * nodes : (node + 1) * nodes]
        kinds = [flow.kind for flow in found.flows if flow.from_node == node]
        assert ("hatched" in kinds) == (None in mine)
        assert all(flow.width > 0 for flow in found.flows)


def between(counted: model.Report, nodes: int, requests: list[float | None]) -> model.Report:
    """The report with these requests from node to node, row by row; no CPU was counted."""
    pairs = tuple(model.Pair(at // nodes, at % nodes, amount, None, None, None) for at, amount in enumerate(requests))
    machine = replace(
        counted.machine,
        nodes=tuple(model.Node(node, 1 << 30, True, None, None) for node in range(nodes)),
        cpus=(),
        pairs=pairs,
    )
    return replace(counted, machine=machine, summary=replace(counted.summary, nodes=()))


def test_flows_stay_within_their_nodes(counted: model.Report) -> None:
    found = picture(counted)
    for flow in found.flows:
        for boxes, node, edge in ((found.nodes, flow.from_node, flow.start), (found.memories, flow.to_node, flow.end)):
            box = next(box for box in boxes if box.node == node)
            assert box.y <= edge
            assert edge + flow.width <= box.y + found.row


def test_bars_are_the_counts_of_the_cpus(counted: model.Report) -> None:
    bars = [bar for box in picture(counted).nodes for bar in box.bars]
    assert [bar.cpu.id for bar in bars if bar.local and not bar.remote] == [0, 1, 2, 3]
    assert [bar.cpu.id for bar in bars if bar.remote and not bar.local] == [4, 5, 6, 7]
    drawn, flows = picture(counted), picture(counted).flows
    per_request = max(bar.local + bar.remote for bar in bars) / max(
        (c.local or 0) + (c.remote or 0) for c in counted.machine.cpus
    )
    assert sum(bar.local + bar.remote for bar in bars) / per_request == pytest.approx(
        sum(flow.width for flow in flows) / drawn.scale
    )


def test_what_was_not_measured_is_hatched(tmp_path: Path) -> None:
    found = picture(report(SCENARIOS["faults_only"](), tmp_path))
    assert [(flow.kind, flow.requests) for flow in found.flows] == [("hatched", None)] * 2
    assert not any(bar.known for box in found.nodes for bar in box.bars)
    assert found.words == "node 0: not known; node 1: not known"


def test_a_node_without_threads_is_not_called_unknown(tmp_path: Path) -> None:
    found = picture(report(SCENARIOS["one_node_plan"](), tmp_path))
    assert [box.texts for box in found.nodes] == [("0.0 % of 1.05 M remote",), ("no thread seen",)]
    assert {flow.from_node for flow in found.flows} == {0}


def test_remote_requests_to_one_of_several_nodes_are_hatched(counted: model.Report) -> None:
    """Counters tell how much is remote, not from which of two other nodes."""
    pairs = tuple(
        model.Pair(at, to, 1000.0 if at == to else None, None, None, None) for at in range(2) for to in range(3)
    )
    nodes = tuple(model.Node(node, 1 << 30, True, None, None) for node in range(3))
    found = picture(replace(counted, machine=replace(counted.machine, nodes=nodes, pairs=pairs)))
    remote = sum(cpu.remote or 0.0 for cpu in counted.machine.cpus if cpu.node == 1)
    stubs = [flow for flow in found.flows if flow.to_node is None]
    assert [(flow.from_node, flow.kind, flow.requests) for flow in stubs] == [(1, "hatched", remote)]


def test_requests_of_threads_on_several_nodes_have_a_flow(counted: model.Report) -> None:
    found = picture(replace(counted, machine=replace(counted.machine, left_out=2 * MIN_LEFT_OUT)))
    last = found.flows[-1]
    assert (last.from_node, last.to_node, last.kind) == (None, None, "hatched")
    assert last.width == pytest.approx(found.scale * 2 * MIN_LEFT_OUT * (counted.verdict.requests or 0.0))
    assert last.start + last.width < found.height


def test_one_node_has_no_picture(tmp_path: Path) -> None:
    assert overview_picture(report(SCENARIOS["one_node_machine"](), tmp_path)) is None


def test_picture_of_the_readme(counted: model.Report, golden: Callable[[str, str], None]) -> None:
    """The picture of the page, as a file of its own: its style, its hatching, a ground for either colour scheme."""
    page = report_page(counted)
    drawing = re.search(r'<svg class="overview" viewBox="0 0 960 ([\d.]+)"(.*?)</svg>', page, re.DOTALL)
    hatching = re.search(r'<pattern id="hatch".*?</pattern>', page)
    assert drawing is not None
    assert hatching is not None
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="overview" viewBox="-12 -8 984 {float(drawing[1]) + 8}"'
        f"{drawing[2].replace('>', f'><style>{picture_style()}</style>{hatching[0]}{GROUND}', 1)}</svg>\n"
    )
    ElementTree.fromstring(text)  # browsers refuse an image that is not well-formed
    golden("../../docs/pictures/overview.svg", text)


GROUND = '<rect x="-12" y="-8" width="100%" height="100%" fill="var(--paper)"/>'


def picture_style() -> str:
    """The rules of the page's style that draw the picture."""
    style = (HERE / "style.css").read_text()
    colours, dark = re.findall(r":root \{[^}]*--paper[^}]*\}", style)[:2]
    rules = [line for line in style.splitlines() if line.startswith((".overview .", ".overview {"))]
    ink = ".overview { color: var(--ink); font-family: system-ui, sans-serif; }"
    return "\n".join([colours, f"@media (prefers-color-scheme: dark) {{ {dark} }}", ink, *rules])
