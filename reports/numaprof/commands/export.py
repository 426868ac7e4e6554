# SPDX-License-Identifier: Apache-2.0
"""numaprof export FILE --format FORMAT: a recording for other people's tools."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from numaprof.commands.arguments import Parser, output_file, output_folder
from numaprof.commands.report import SUFFIX, newest
from numaprof.commands.writing.output_files import guarded, write_bytes
from numaprof.commands.writing.progress import Progress
from numaprof.document.build_profile import profile
from numaprof.document.build_report import report
from numaprof.document.open_recording import Reading, reading
from numaprof.job.paths import is_job
from numaprof.model.profile_model import VALUES, Profile, Value
from numaprof.text.format import clean, plural
from numaprof.text.messages import Failure

DESCRIPTION = """Writes a recording for other tools: pprof (also Pyroscope, Parca), folded stacks for flame graphs,
a trace of the time line for ui.perfetto.dev, gauges for Prometheus, also of a job;
or many recordings as tables (parquet).
docs/exports.md describes the contents."""
ENDINGS = {"pprof": ".pb.gz", "folded": ".folded", "perfetto": ".perfetto.json", "openmetrics": ".prom"}
PARQUET, JOB_FORMAT = "parquet", "openmetrics"
USAGE = f"""%(prog)s [FILE] --format {"|".join(ENDINGS)} [-o OUT] [--value VALUE]
       %(prog)s DIRECTORY|FILE.ranks... --format openmetrics [-o OUT]
       %(prog)s FILE|DIRECTORY... --format parquet -o DIR"""


def main(arguments: Sequence[str]) -> int:
    parser = Parser("export", DESCRIPTION, USAGE)
    parser.add_argument("files", nargs="*", metavar="FILE", help="a recording; without one, the newest in this folder")
    parser.add_argument("--format", choices=[*ENDINGS, PARQUET], required=True, help="format of the output")
    parser.add_argument(
        "-o",
        metavar="OUT",
        help="output file; - is stdout; default: a file in this folder, named after the recording; a folder of parquet",
    )
    parser.add_argument("--value", choices=[value.name for value in VALUES], help="what folded stacks add up")
    options = parser.parse_args(arguments)
    if options.value and options.format != "folded":
        raise Failure(f"--value is for folded stacks; {options.format} has them all", "leave it out")
    if options.format == PARQUET:
        return _dataset(options.files or [newest()], _output(parser, output_folder, options.o))
    if options.format == JOB_FORMAT and options.files and all(map(is_job, options.files)):
        return _job(
            options.files, _output(parser, output_file, options.o or default_name(options.files[0], JOB_FORMAT))
        )
    if len(options.files) > 1:
        raise Failure(f"{options.format} takes one recording, got {len(options.files)}", "export them one by one")
    if options.o is not None:
        _output(parser, output_file, options.o)
    file = options.files[0] if options.files else newest()
    with Progress() as say:
        say(f"reading {clean(file)}")
        with reading(file) as source:
            data = exported(source, options.format, options.value)
        write_bytes(options.o or default_name(file, options.format), data)
    return 0


def _output(parser: Parser, checked: Callable[[str], str], name: str | None) -> str:
    if name is None:
        parser.error("the following arguments are required: -o")
    try:
        return checked(name)
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument -o: {error}")


def _job(files: list[str], out: str) -> int:
    from numaprof.export.job_openmetrics import job_openmetrics  # noqa: PLC0415
    from numaprof.job.read_job import read_job  # noqa: PLC0415

    with Progress() as say:
        say("reading summaries")
        data = job_openmetrics(read_job(files))
    write_bytes(out, data)
    return 0


def _dataset(files: list[str], folder: str) -> int:
    from numaprof.export.parquet import write_dataset  # noqa: PLC0415 (pyarrow is not installed everywhere)
    from numaprof.job.collect import collect  # noqa: PLC0415

    with Progress() as say:
        say("reading summaries")
        found = collect(files)
    for each in found.refused:
        print(f"numaprof: left out: {each.name}: {each.why}", file=sys.stderr)
    if not found.summaries:
        raise Failure("no recording that can be read", "give recordings, or the directory of a job")
    written: list[str] = []
    guarded(folder, lambda: written.extend(write_dataset(found.summaries, folder)))
    rows = plural(len(found.summaries), "recording")
    print(f"numaprof: wrote {rows} to {clean(folder)}: {', '.join(written)}", file=sys.stderr)
    return 0


def default_name(file: str, format_: str) -> str:
    name = os.path.basename(file.rstrip("/"))
    return (name[: -len(SUFFIX)] if name.endswith(SUFFIX) else name) + ENDINGS[format_]


def exported(source: Reading, format_: str, value: str | None) -> bytes:
    """Only what the format needs is loaded."""
    if format_ == "perfetto":
        from numaprof.export.perfetto import perfetto  # noqa: PLC0415

        return perfetto(report(source)).encode("ascii")
    if format_ == "openmetrics":
        from numaprof.export.openmetrics import openmetrics  # noqa: PLC0415

        return openmetrics(report(source))
    found = profile(source.recording, source.evidence)
    if not any(found.totals):
        raise Failure(
            f"{source.evidence.path} has no samples to make a profile of", "numaprof doctor says what could be sampled"
        )
    if format_ == "pprof":
        from numaprof.export.pprof import pprof  # noqa: PLC0415

        return pprof(found)
    from numaprof.export.folded import folded  # noqa: PLC0415

    return folded(found, _value(found, value)).encode("utf-8")


def _value(found: Profile, name: str | None) -> Value:
    """The one asked for, if there is any of it."""
    if name is None:
        return found.main_value
    value = next(value for value in VALUES if value.name == name)
    if not found.totals[VALUES.index(value)]:
        there = ", ".join(other.name for other, total in zip(VALUES, found.totals) if total)
        raise Failure(f"the recording has no {name}", f"it has {there}")
    return value
