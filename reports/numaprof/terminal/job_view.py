# SPDX-License-Identifier: Apache-2.0
"""The report of a job: verdict over all ranks, what they have in common, and which stand apart."""

from __future__ import annotations

from numaprof.model import job_model as model
from numaprof.terminal.layout import ALARM, BOLD, Layout
from numaprof.text.format import clean, duration, percent, plural, size

MOST_HOSTS, MOST_OUTLIERS, MOST_CODE = 16, 16, 8
BAR = 32
LIST = 40  # characters of a list of ranks


def print_job(job: model.Job, layout: Layout) -> None:
    of = f" of {job.size}" if job.size is not None else ""
    where = f"{job.found}{of} ranks on {plural(len(job.hosts), 'host')}"
    started = " ".join(filter(None, (job.launcher, job.job)))
    layout.paragraph(f"{clean(job.command_line, 48)}    {where}" + (f" ({started})" if started else ""), style=BOLD)
    for text in job.remarks:
        layout.paragraph(text, first="  note: ")
    layout.line()
    alarm = ALARM if job.verdict.judgement in ("binding", "heavy") else BOLD
    layout.paragraph(job.verdict.headline, first="VERDICT   ", style=alarm)
    for text in job.verdict.details:
        layout.paragraph(text, first=" " * 10)
    _spread(job, layout)
    _outliers(job, layout)
    _hosts(job, layout)
    _objects(job, layout)
    _advice(job, layout)
    layout.line()
    layout.line(
        "one rank: numaprof report RECORDING; a page with all of them: numaprof report DIRECTORY --html job.html"
    )


def _spread(job: model.Job, layout: Layout) -> None:
    found = job.spread
    if found is None or found.ranks < 2:
        return
    layout.line()
    layout.line(f"RANKS BY REMOTE SHARE ({plural(found.ranks, 'rank')} with traffic that matters)", BOLD)
    layout.paragraph(
        f"least {percent(found.least)}, quarter below {percent(found.quarter)}, median {percent(found.median)}, "
        f"quarter above {percent(found.three_quarters)}, most {percent(found.most)}",
        first="  ",
    )
    most = max(bin.ranks for bin in found.bins)
    for each in found.bins:
        if each.ranks:
            bar = "#" * max(1, round(BAR * each.ranks / most))
            layout.line(f"  {100 * each.low:3.0f}-{100 * each.high:.0f} %".ljust(14) + f"{each.ranks:6}  {bar}")


def _outliers(job: model.Job, layout: Layout) -> None:
    rows = [rank for rank in job.ranks if rank.outlier]
    if not rows:
        return
    layout.line()
    layout.line("RANKS THAT STAND APART" + (f": {job.pattern}" if job.pattern else ""), BOLD)
    _rank_table(rows[:MOST_OUTLIERS], layout)
    if len(rows) > MOST_OUTLIERS:
        layout.line(f"  and {len(rows) - MOST_OUTLIERS} more (--json lists all)")


def _rank_table(rows: list[model.JobRank], layout: Layout) -> None:
    layout.table(
        ("  rank", "host", "binding", "remote", "from", "to", "time", "recording"),
        [
            (
                f"  {row.number}",
                row.host,
                row.binding,
                percent(row.remote_share),
                percent(row.lowest),
                percent(row.highest),
                "n/a" if row.wall_ns is None else duration(row.wall_ns),
                row.recording,
            )
            for row in rows
        ],
        (False, False, False, True, True, True, True, False),
    )


def _hosts(job: model.Job, layout: Layout) -> None:
    layout.line()
    layout.line("HOSTS", BOLD)
    # Those that differ first: they are what the table is read for.
    rows = sorted(job.hosts, key=lambda host: (not host.differs, host.name))
    layout.table_with_remarks(
        ("  host", "ranks", "topology", "binding", "remote"),
        [
            (f"  {row.name}", clean(row.ranks, LIST), row.topology, row.bindings, percent(row.remote_share))
            for row in rows[:MOST_HOSTS]
        ],
        (False, False, False, False, True),
        [tuple(f"differs: {text}" for text in row.differs) for row in rows[:MOST_HOSTS]],
    )
    if len(rows) > MOST_HOSTS:
        alike = all(not row.differs for row in rows[MOST_HOSTS:])
        layout.line(f"  and {len(rows) - MOST_HOSTS} more" + (", all alike" if alike else " (--json lists all)"))


def _objects(job: model.Job, layout: Layout) -> None:
    if not job.objects:
        return
    layout.line()
    layout.line("OBJECTS OVER RANKS", BOLD)
    layout.table(
        ("  object", "ranks", "size", "remote: least", "median", "most", "of all remote"),
        [
            (
                f"  {clean(row.name, LIST)}",
                f"{row.count}",
                size(row.bytes),
                percent(row.remote_least),
                percent(row.remote_median),
                percent(row.remote_most),
                percent(row.of_all_remote),
            )
            for row in job.objects
        ],
        (False, True, True, True, True, True, True),
    )


def _advice(job: model.Job, layout: Layout) -> None:
    if not job.advice:
        return
    layout.line()
    layout.line("WHAT TO DO" + (": NOTHING" if job.advice[0].kind == "leave" else ""), BOLD)
    example = ", such as " if job.verdict.remote_share is None else "; most remote on "
    for number, advice in enumerate(job.advice, 1):
        where = f" at {advice.place}" if advice.place is not None else ""
        several = f"{plural(advice.count, 'rank')} ({clean(advice.ranks, LIST)}){where}{example}"
        on = f"On {several if advice.count > 1 else ''}rank {advice.representative}"
        layout.paragraph(f"{on}: {advice.finding}", first=f" {number}  ")
        layout.paragraph(advice.change, first="    ")
        for code in advice.code[:MOST_CODE]:
            layout.line("        " + code)
        if advice.removes_least is not None and advice.removes_most is not None:
            low, high = percent(advice.removes_least), percent(advice.removes_most)
            span = high if low == high else f"{low} to {high}"
            layout.paragraph(f"Up to {span} of the remote accesses of these ranks would be gone.", first="    ")
        layout.paragraph(f"Open: {advice.recording}", first="    ")
