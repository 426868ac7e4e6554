# SPDX-License-Identifier: Apache-2.0
"""numaprof export FILE --format pprof|folded|perfetto|openmetrics: a recording for other people's tools."""

from __future__ import annotations

import os
from collections.abc import Sequence

from numaprof.commands.arguments import Parser, output_file
from numaprof.commands.output_files import write_bytes
from numaprof.commands.progress import Progress
from numaprof.commands.report import SUFFIX, newest
from numaprof.document.build_profile import VALUES, Profile, Value, profile
from numaprof.document.build_report import report
from numaprof.document.open_recording import Reading, reading
from numaprof.text.format import clean
from numaprof.text.messages import Failure

USAGE = "%(prog)s [FILE] --format pprof|folded|perfetto|openmetrics [-o OUT] [--value VALUE]"
DESCRIPTION = """Writes a recording for other tools: pprof (also Pyroscope, Parca), folded stacks for flame graphs,
a trace of the time line for ui.perfetto.dev, gauges for Prometheus. docs/exports.md says what is in them."""
ENDINGS = {"pprof": ".pb.gz", "folded": ".folded", "perfetto": ".perfetto.json", "openmetrics": ".prom"}


def main(arguments: Sequence[str]) -> int:
    parser = Parser("export", DESCRIPTION, USAGE)
    parser.add_argument("file", nargs="?", metavar="FILE", help="a recording; without one, the newest in this folder")
    parser.add_argument("--format", choices=list(ENDINGS), required=True, help="for which tool")
    parser.add_argument(
        "-o",
        type=output_file,
        metavar="OUT",
        help="where to; - is stdout; without it, a file named after the recording, in this folder",
    )
    parser.add_argument("--value", choices=[value.name for value in VALUES], help="of folded stacks: what to add up")
    options = parser.parse_args(arguments)
    if options.value and options.format != "folded":
        raise Failure(f"--value is for folded stacks; {options.format} has them all", "leave it out")
    file = newest() if options.file is None else options.file
    with Progress() as say:
        say(f"reading {clean(file)}")
        with reading(file) as source:
            data = exported(source, options.format, options.value)
        write_bytes(options.o or default_name(file, options.format), data)
    return 0


def default_name(file: str, format_: str) -> str:
    name = os.path.basename(file)
    return (name[: -len(SUFFIX)] if name.endswith(SUFFIX) else name) + ENDINGS[format_]


def exported(source: Reading, format_: str, value: str | None) -> bytes:
    """Only what the format needs is loaded."""
    if format_ == "perfetto":
        from numaprof.export.perfetto import perfetto  # noqa: PLC0415

        return perfetto(source).encode("ascii")
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
