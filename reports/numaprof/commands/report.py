# SPDX-License-Identifier: Apache-2.0
"""numaprof report [FILE...]: on the terminal, or as a page, as JSON, as tables."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence

from numaprof.commands.arguments import (
    Parser,
    add_documents,
    folder,
    natural,
    part_of_name,
    positive,
)
from numaprof.commands.schema import write_schema
from numaprof.commands.writing.outputs import PATCH
from numaprof.commands.writing.progress import Progress
from numaprof.compare.sides import Side
from numaprof.document.build_report import answer
from numaprof.document.open_recording import reading
from numaprof.evidence.evidence import Evidence
from numaprof.job.paths import is_job
from numaprof.model.report_model import Answer
from numaprof.terminal.first_screen import print_first_screen
from numaprof.terminal.layout import BOLD, Layout
from numaprof.terminal.pager import paged
from numaprof.terminal.report_view import print_repeats_end, print_repeats_head, print_report
from numaprof.terminal.tables import is_named
from numaprof.terminal.wanted import SORT_KEYS, Wanted
from numaprof.text.format import clean, nodes_in_text
from numaprof.text.messages import Failure
from numaprof.text.source_lines import allow

SUFFIX = ".numaprof"
REPEATS_HEAD = 3  # rows that it takes
USAGE = """%(prog)s [FILE...]
       %(prog)s --full [--top N] [--sort KEY] [--thread NAME|TID] [--object NAME] [--node N] [FILE...]
       %(prog)s [FILE] [--html OUT [--open]] [--json OUT] [--csv DIR]
       %(prog)s [FILE] --patch OUT"""


def main(arguments: Sequence[str]) -> int:
    parser = Parser("report", "Says which threads suffer from remote memory, why, and what to change.", USAGE, "files")
    parser.add_argument("files", nargs="*", metavar="FILE", help="recordings; without one, the newest in this folder")
    parser.add_argument("--full", action="store_true", help="print all tables, not only the first screen")
    parser.add_argument("--top", type=positive, metavar="N", help="at most N rows of each table (implies --full)")
    parser.add_argument("--sort", choices=SORT_KEYS, help="order of threads (implies --full)")
    parser.add_argument(
        "--thread", type=part_of_name, metavar="NAME|TID", help="only threads with this in their name (implies --full)"
    )
    parser.add_argument(
        "--object", type=part_of_name, metavar="NAME", help="only objects with this in their name (implies --full)"
    )
    parser.add_argument("--node", type=natural, metavar="N", help="only threads and CPUs of this node (implies --full)")
    parser.add_argument(
        "--source", type=folder, metavar="DIR", action="append", default=[], help="also show source text of this folder"
    )
    parser.add_output(
        "--patch",
        PATCH,
        help="write the edits of the source as a patch for git apply or patch -p1; - is stdout",
    )
    add_documents(parser)
    options = parser.parse_args(arguments)
    if options.schema:
        return write_schema(options.schema, "job" if any(map(is_job, options.files)) else "report")
    for name in options.source:
        allow(name)
    files = options.files or [newest()]
    if options.open and not options.html:
        raise Failure("--open opens a page, and none is written", "add --html OUT")
    if any(map(is_job, files)):
        return _job(files, options)
    wanted = Wanted(options.top, options.sort, options.thread, options.object, options.node)
    if options.patch:
        return _patched(files, options)
    if options.html or options.json or options.csv:
        if wanted != Wanted():
            raise Failure(
                "--top, --sort, --thread, --object and --node choose rows of the terminal's tables",
                "leave them out: files have all rows, and the page has a filter",
            )
        return _written(files, options)
    if options.full or wanted != Wanted():
        with paged() as layout:
            return _full(files, wanted, layout)
    return _short(files)


def _job(files: list[str], options: argparse.Namespace) -> int:
    """Of all ranks together."""
    wanted = Wanted(options.top, options.sort, options.thread, options.object, options.node)
    if options.csv or options.full or wanted != Wanted():
        raise Failure(
            "--csv, --full and the choices of rows are for one recording", "report one of the job's recordings"
        )
    if options.html or options.json:
        from numaprof.commands.writing.write_documents import Outputs, write_job  # noqa: PLC0415 (as below)

        write_job(files, Outputs(options.html, options.json, None, options.open))
        return 0
    from numaprof.job.read_job import read_job  # noqa: PLC0415
    from numaprof.terminal.job_view import print_job  # noqa: PLC0415

    with Progress() as say:
        say("reading summaries")
        job = read_job(files)
    print_job(job, Layout())
    return 0


def _written(files: list[str], options: argparse.Namespace) -> int:
    from numaprof.commands.writing.write_documents import Outputs, write_report  # noqa: PLC0415 (only then: start-up is part of every report)

    if len(files) > 1:
        raise Failure(
            f"--html, --json and --csv take one recording, got {len(files)}", "compare several: numaprof diff --html"
        )
    write_report(files[0], Outputs(options.html, options.json, options.csv, options.open))
    return 0


def _patched(files: list[str], options: argparse.Namespace) -> int:
    from numaprof.commands.writing.write_documents import write_patch  # noqa: PLC0415 (as below)

    if len(files) > 1 or options.html or options.json or options.csv:
        raise Failure("--patch takes one recording, and no other output", "write each by a command of its own")
    write_patch(files[0], options.patch)
    return 0


def _short(files: list[str]) -> int:
    """The answer on one screen; of the run of median time where they are repeats of one."""
    layout = Layout()
    recordings, answers = zip(*map(_read, files))
    if len(files) > 1 and are_repeats(recordings):
        _print_spread(recordings, layout)
        print_first_screen(_median(recordings, answers), layout, above=REPEATS_HEAD)
        return 0
    for found in _headed(files, answers, layout):
        print_first_screen(found, layout)
    return 0


def _read(file: str) -> tuple[Evidence, Answer]:
    with reading(file) as source:
        return source.evidence, answer(source)


def _full(files: list[str], wanted: Wanted, layout: Layout) -> int:
    recordings, answers = zip(*map(_read, files))
    if len(files) > 1 and are_repeats(recordings):
        chosen = _median(recordings, answers)
        _check_filters((chosen,), wanted)
        _print_spread(recordings, layout)
        print_report(chosen, layout, wanted)
        print_repeats_end(files, layout)
        return 0
    _check_filters(answers, wanted)
    for found in _headed(files, answers, layout):
        print_report(found, layout, wanted)
    return 0


def _headed(files: list[str], answers: Sequence[Answer], layout: Layout) -> Iterator[Answer]:
    """One after the other, each below the name of its file where there are several."""
    for number, (file, found) in enumerate(zip(files, answers)):
        if len(files) > 1:
            layout.line("\n" * (number > 0) + f"== {clean(file)} ==", BOLD)
        yield found


def _median(repeats: tuple[Evidence, ...], answers: tuple[Answer, ...]) -> Answer:
    return answers[repeats.index(Side(repeats).median_run)]


def _print_spread(repeats: tuple[Evidence, ...], layout: Layout) -> None:
    runs = Side(repeats)
    print_repeats_head(len(repeats), runs.time, runs.share, runs.median_run.path, layout)


def _check_filters(answers: Sequence[Answer], wanted: Wanted) -> None:
    """A filter that nothing passes would print empty tables, as if there were nothing to see."""
    threads = [thread for found in answers for thread in found.threads]
    names = [each.name for found in answers for each in found.objects.rows]
    nodes = sorted({node.id for found in answers for node in found.machine.nodes})
    if wanted.thread is not None and not any(is_named(thread, wanted.thread) for thread in threads):
        raise Failure(f"--thread {wanted.thread}: no thread has this name or tid", "report --full lists the threads")
    if wanted.object is not None and not any(wanted.object in name for name in names):
        raise Failure(f"--object {wanted.object}: no object has this in its name", "report --full lists the objects")
    if wanted.node is not None and wanted.node not in nodes:
        raise Failure(f"--node {wanted.node}: there is no such node", f"the machine has {nodes_in_text(nodes)}")


def are_repeats(recordings: Sequence[Evidence]) -> bool:
    """Runs of one numaprof -n: the same command on the same machine, numbered."""
    alike = {(found.run.command, found.run.host, found.run.pin_policy) for found in recordings}
    return len(alike) == 1 and len({found.run.repeat for found in recordings}) == len(recordings)


def newest() -> str:
    """The recording, or the directory of a job, that was written last in this folder."""
    with os.scandir(".") as entries:
        times = [(entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.name.endswith(SUFFIX)]
    if not times:
        raise Failure(f"no *{SUFFIX} in this folder", "name a recording: numaprof report FILE")
    return max(times)[1]
