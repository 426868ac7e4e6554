# SPDX-License-Identifier: Apache-2.0
"""The page of one recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from numaprof.model import report_model as model
from numaprof.page import flame_graph
from numaprof.page.charts import MOST_BARS, charts
from numaprof.page.overview_picture import overview_picture
from numaprof.page.page_map_chart import in_words, page_map
from numaprof.page.render import page
from numaprof.text.format import cpu_order, duration, number, size

FIFTHS = 5
MOST_MAPS = 8  # objects that are drawn; the table has all, --json the maps of more
FIRST_OBJECTS, FIRST_LINES, FIRST_SOURCES = 1, 5, 1  # shown unfolded: they answer, the rest is for reference
MOST_PHASES = 20  # named in words; the chart has all


def report_page(report: model.Report) -> str:
    worth, lines = worth_a_map(report), line_numbers(report)
    first = first_lines(report)
    mapped = [number for number in worth if report.objects.rows[number].map][:MOST_MAPS]
    drawn = {**charts(report), **{f"map-{number}": page_map(report, number) for number in mapped}}
    flame = flame_graph.flame_chart(report.remote_stacks)
    if flame is not None:
        drawn["flame"] = flame
    data: dict[str, object] = {
        "charts": {name: chart.spec for name, chart in drawn.items()},
        "threads-over-time": _threads_over_time(report.timeline),
        "remote": flame_graph.data(report),
        "cpus": {thread.id: thread.cpus for thread in report.threads},
    }
    return page(
        "report.html",
        data,
        report=report,
        picture=overview_picture(report),
        charts=drawn,
        anchors=anchors(report),
        mapped=mapped,
        maps_left_out=len(worth) - len(mapped),
        few=report.objects.enough_samples,
        first_objects=FIRST_OBJECTS,
        first_lines=first,
        more_lines=[line for line in report.lines if line not in first],
        with_source=[line for line in dict.fromkeys([*first, *report.lines]) if line.source],
        first_sources=FIRST_SOURCES,
        remarks=source_remarks(report),
        lines_of={number: dict(lines_of(report.objects.rows[number], lines)) for number in mapped},
        most_phases=MOST_PHASES,
        phases=[phase for phase in report.timeline.phases if phase.cause != "run"],
        map_words={number: in_words(report, report.objects.rows[number]) for number in mapped},
        packages=packages(report.machine),
        measured=any(pair.latency_ns is not None for pair in report.machine.pairs),
        counted=report.verdict.basis == "counters",
        threads_by_cpu=sorted(report.threads, key=lambda row: cpu_order(row.cpus, row.position)),
        most_bars=MOST_BARS,
        line_numbers=lines,
        names={thread.id: thread.name for thread in report.threads},
        fifths=list(fifths(report)),
        run_facts=run_facts(report.run),
        filtered=filter_choices(report),
    )


def anchors(report: model.Report) -> dict[str, str]:
    """Parts of the page that advice may point at, and what the links say."""
    lines = {f"line-{at}": line.place.label for at, line in enumerate(report.lines)}
    objects = {f"object-{at}": f"{found.name} (object)" for at, found in enumerate(report.objects.rows)}
    return {**objects, **lines, "threads": "threads", "who-reads-where": "who reads where"}


def worth_a_map(report: model.Report) -> list[int]:
    """What advice speaks of; then part of the remote accesses, or large data."""
    shown = {part for advice in report.advice for part in advice.shown_in}
    advised = [number for number in range(len(report.objects.rows)) if f"object-{number}" in shown]
    return list(dict.fromkeys([*advised, *(n for n, found in enumerate(report.objects.rows) if found.matters)]))


def line_numbers(report: model.Report) -> dict[str, int]:
    return {line.place.label: number for number, line in enumerate(report.lines)}


def first_lines(report: model.Report) -> list[model.Line]:
    return [line for line in report.lines if line.place.line is not None and line.matters][:FIRST_LINES]


@dataclass(frozen=True)
class Choices:
    """What the page can be filtered by: (value, name) of threads and objects, and the length of the run in seconds."""

    threads: list[tuple[int, str]]
    objects: list[tuple[int, str]]
    seconds: float


def filter_choices(report: model.Report) -> Choices:
    """Threads in the order of the report; objects with remote accesses of which a stack is known."""
    with_time = {line.thread for line in report.timeline.threads} | {row.thread for row in report.remote_stacks.rows}
    objects = sorted({row.object for row in report.remote_stacks.rows if row.object is not None})
    return Choices(
        threads=[(thread.id, thread.name) for thread in report.threads if thread.id in with_time],
        objects=[(number, report.objects.rows[number].name) for number in objects],
        seconds=len(report.timeline.moments) * report.timeline.step_ns / 1e9,
    )


def source_remarks(report: model.Report) -> dict[tuple[str | None, int | None], str]:
    """What stands beside a line of source text: what happens there, in numbers."""
    return {
        (line.place.file, line.place.line): ", ".join(
            filter(
                None,
                (
                    f"{number(line.remote_events)} remote" if line.remote_events else "",
                    f"touches {size(line.touched_bytes)}" if line.touched_bytes else "",
                    f"allocates {size(line.allocated_bytes)}" if line.allocated_bytes else "",
                ),
            )
        )
        for line in report.lines
        if line.place.line is not None
    }


def lines_of(found: model.Object, numbers: dict[str, int]) -> Iterator[tuple[str, model.Place]]:
    """Where it is allocated, first touched and used, as far as the page shows these lines."""
    places = (("allocated", found.allocated_at), ("first touched", found.first_touched_at), ("used", found.used_at))
    return ((what, place) for what, place in places if place is not None and place.label in numbers)


def _threads_over_time(line: model.Timeline) -> dict[str, object] | None:
    """Whole numbers: thousands of threads make this the largest part of a page."""
    if not line.threads:
        return None
    rows = {thread.thread: (_whole(thread.local), _whole(thread.remote)) for thread in line.threads}
    return {"seconds": line.thread_step_ns / 1e9, "lines": rows}


def _whole(values: model.Series) -> list[int | None]:
    return [None if value is None else round(value) for value in values]


@dataclass(frozen=True)
class NodeBox:
    id: int | None
    row: model.Node | None
    cpus: list[model.Cpu]


@dataclass(frozen=True)
class PackageBox:
    id: int | None
    nodes: list[NodeBox]


def packages(machine: model.Machine) -> list[PackageBox]:
    """Nodes stand in the package of their CPUs; those without CPUs in a box of their own."""
    cpus: dict[int | None, list[model.Cpu]] = {node.id: [] for node in machine.nodes}
    for cpu in sorted(machine.cpus, key=lambda cpu: cpu.id):
        cpus.setdefault(cpu.node, []).append(cpu)
    boxes: dict[int | None, list[NodeBox]] = {}
    rows = {node.id: node for node in machine.nodes}
    for node, found in cpus.items():
        package = found[0].package if found else None
        boxes.setdefault(package, []).append(NodeBox(node, rows.get(node) if node is not None else None, found))
    return [PackageBox(package, nodes) for package, nodes in boxes.items()]


@dataclass(frozen=True)
class Part:
    start_ns: int
    end_ns: int
    local: float | None
    remote: float | None
    touched: float

    @property
    def share(self) -> float | None:
        if self.local is None or self.remote is None or not self.local + self.remote:
            return None
        return self.remote / (self.local + self.remote)


def fifths(report: model.Report) -> Iterator[Part]:
    """The time line in words, for those who do not see the chart."""
    moments, step = report.timeline.moments, report.timeline.step_ns
    size = max(1, -(-len(moments) // FIFTHS))
    for first in range(0, len(moments), size):
        part = moments[first : first + size]
        local = [moment.local for moment in part if moment.local is not None]
        remote = [moment.remote for moment in part if moment.remote is not None]
        yield Part(
            start_ns=part[0].start_ns,
            end_ns=part[-1].start_ns + step,
            local=sum(local) if local else None,
            remote=sum(remote) if remote else None,
            touched=sum(moment.touched_pages for moment in part) * report.run.page_bytes,
        )


def run_facts(run: model.Run) -> list[tuple[str, object]]:
    ended = f"signal {run.term_signal}" if run.term_signal is not None else run.exit_status
    facts = [
        ("command", run.command_line),
        ("folder", run.cwd),
        ("started", run.started_at),
        ("run time", None if run.wall_ns is None else duration(run.wall_ns)),
        ("exit status", ended),
        ("host", run.host),
        ("CPU", " · ".join(filter(None, (run.cpu_name, run.uarch)))),
        ("kernel", run.kernel),
        ("emulated machine", run.emulated),
        ("pinning", " · ".join(filter(None, (run.pin_policy, run.pin_plan)))),
        ("page size", f"{run.page_bytes} bytes"),
    ]
    return [(name, value) for name, value in facts if value not in (None, "")]
