# SPDX-License-Identifier: Apache-2.0
"""numaprof export FILE --format FORMAT: a recording for other people's tools."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from numaprof.commands.arguments import Parser
from numaprof.commands.report import SUFFIX, newest
from numaprof.commands.writing.outputs import (
    FOLDED,
    OPENMETRICS,
    PARQUET,
    PERFETTO,
    PPROF,
    Format,
    Output,
    write,
    write_all,
)
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
SINGLE = {"pprof": PPROF, "folded": FOLDED, "perfetto": PERFETTO, "openmetrics": OPENMETRICS}
DATASET, JOB_FORMAT = "parquet", "openmetrics"
FORMATS = {**SINGLE, DATASET: PARQUET}
USAGE = f"""%(prog)s [FILE] --format {"|".join(SINGLE)} [-o OUT] [--value VALUE]
       %(prog)s DIRECTORY|FILE.ranks... --format openmetrics [-o OUT]
       %(prog)s FILE|DIRECTORY... --format parquet -o DIR"""


def main(arguments: Sequence[str]) -> int:
    parser = Parser("export", DESCRIPTION, USAGE, "files")
    parser.add_argument("files", nargs="*", metavar="FILE", help="a recording; without one, the newest in this folder")
    parser.add_argument("--format", choices=[*SINGLE, DATASET], required=True, help="format of the output")
    parser.add_output(
        "-o",
        lambda options: FORMATS[options.format],
        help="output file; - is stdout; default: a file in this folder, named after the recording; a folder of parquet",
    )
    parser.add_argument("--value", choices=[value.name for value in VALUES], help="what folded stacks add up")
    options = parser.parse_args(arguments)
    if options.value and options.format != "folded":
        raise Failure(f"--value is for folded stacks; {options.format} has them all", "leave it out")
    files = options.files or [newest()]
    if options.format == DATASET:
        if options.o is None:
            parser.error("the following arguments are required: -o")
        return _dataset(files, options.o)
    of_job = options.format == JOB_FORMAT and all(map(is_job, files))
    if len(files) > 1 and not of_job:
        raise Failure(f"{options.format} takes one recording, got {len(files)}", "export them one by one")
    file = files[0]
    out = options.o or parser.output("-o", default_name(file, SINGLE[options.format]), SINGLE[options.format], files)
    if of_job:
        return _job(files, out)
    with Progress() as say:
        say(f"reading {clean(file)}")
        with reading(file) as source:
            data = exported(source, options.format, options.value)
        write(out, data)
    return 0


def _job(files: list[str], out: Output) -> int:
    from numaprof.export.job_openmetrics import job_openmetrics  # noqa: PLC0415
    from numaprof.job.read_job import read_job  # noqa: PLC0415

    with Progress() as say:
        say("reading summaries")
        data = job_openmetrics(read_job(files))
    write(out, data)
    return 0


def _dataset(files: list[str], folder: Output) -> int:
    from numaprof.export.parquet import dataset  # noqa: PLC0415 (pyarrow is not installed everywhere)
    from numaprof.job.collect import collect  # noqa: PLC0415

    with Progress() as say:
        say("reading summaries")
        found = collect(files)
    for each in found.refused:
        print(f"numaprof: left out: {each.name}: {each.why}", file=sys.stderr)
    if not found.summaries:
        raise Failure("no recording that can be read", "give recordings, or the directory of a job")
    tables = dict(dataset(found.summaries))
    write_all(folder, tables.items())
    rows = plural(len(found.summaries), "recording")
    print(f"numaprof: wrote {rows} to {clean(folder.path)}: {', '.join(tables)}", file=sys.stderr)
    return 0


def default_name(file: str, format_: Format) -> str:
    name = os.path.basename(file.rstrip("/"))
    return (name[: -len(SUFFIX)] if name.endswith(SUFFIX) else name) + format_.ending


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
