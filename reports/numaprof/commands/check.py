# SPDX-License-Identifier: Apache-2.0
"""numaprof check FILE --max-remote 10%: one line and an exit status, for continuous integration.

The program numaprof records what is no recording yet, and comes here with the file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from numaprof.analysis.remote_meaning import between_packages
from numaprof.analysis.remote_share import COUNTERS, LOADS, basis, remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.commands.arguments import Parser, percentage
from numaprof.commands.writing.outputs import JUNIT, SARIF, write
from numaprof.document.build_report import recommendations
from numaprof.document.headline import share_in_words, verdict
from numaprof.document.open_recording import reading
from numaprof.evidence.evidence import Evidence
from numaprof.export.checks import Checked, junit, sarif
from numaprof.job.check_job import check_job
from numaprof.job.paths import is_job, recording_path
from numaprof.job.read_job import read_job
from numaprof.model.job_model import Job
from numaprof.model.report_model import Advice
from numaprof.text.format import clean, nodes_in_text, percent, plural, round_percent
from numaprof.text.messages import EXIT_CANNOT_SAY, EXIT_LIMIT_EXCEEDED, Failure

DESCRIPTION = f"""Checks that the remote share is within a limit. A program is recorded first. Every recording has
to pass. Exit status: 0 within the limit, {EXIT_LIMIT_EXCEEDED} limit exceeded,
{EXIT_CANNOT_SAY} too little evidence, 125 the recording cannot be read. If a program failed: its own status."""


def main(arguments: Sequence[str]) -> int:
    usage = (
        "%(prog)s FILE... --max-remote PERCENT [--min-coverage PERCENT] [--sarif OUT] [--junit OUT]\n"
        "       %(prog)s --max-remote PERCENT [--min-coverage PERCENT] [--sarif OUT] [--junit OUT] [options of record] "
        "[--] PROGRAM [ARGUMENT...]"
    )
    parser = Parser("check", DESCRIPTION, usage, "files")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a recording")
    parser.add_argument("--only-options", action="store_true", help=argparse.SUPPRESS)  # before a program is recorded
    parser.add_argument("--max-remote", type=percentage, required=True, metavar="PERCENT", help="highest remote share")
    parser.add_argument(
        "--min-coverage",
        type=percentage,
        default=0.0,
        metavar="PERCENT",
        help="least counted CPU time (10%%, less where the error is known)",
    )
    parser.add_output("--sarif", SARIF, help="write findings as SARIF 2.1.0, at the lines to change")
    parser.add_output("--junit", JUNIT, help="write the results as JUnit XML, a test case per recording")
    options = parser.parse_args(arguments)
    if options.only_options:
        return 0
    written = bool(options.sarif or options.junit)
    results = [checked(file, options.max_remote, options.min_coverage, written) for file in options.files]
    for result in results:
        print(f"{result.line} · {clean(result.path)}")
    if options.sarif:
        write(options.sarif, sarif(results))
    if options.junit:
        write(options.junit, junit(results))
    return next((result.status for result in results if result.status), 0)


def checked(path: str, max_remote: float, min_coverage: float, with_advice: bool) -> Checked:
    if is_job(path):
        job = read_job([path])
        status, line = check_job(job, max_remote, min_coverage)
        wanted = with_advice and status == EXIT_LIMIT_EXCEEDED
        return Checked(path, status, line, tuple(_fixes(job, path)) if wanted else ())
    with reading(path) as source:
        counted_elsewhere = source.evidence.imported or source.evidence.counts_dropped
        by_samples = counted_elsewhere and basis(source.evidence) == LOADS
        status, line = (
            check_samples(source.evidence, max_remote)
            if by_samples
            else check(source.evidence, max_remote, min_coverage)
        )
        wanted = with_advice and status == EXIT_LIMIT_EXCEEDED
        return Checked(path, status, line, recommendations(source.evidence) if wanted else ())


def _fixes(job: Job, path: str) -> Iterator[Advice]:
    """Of the rank that has most remote requests, whose recording knows the files; a merged file does not."""
    for fix in (advice for advice in job.advice if advice.kind == "fix"):
        recording = recording_path([path], fix.recording)
        if recording is None:
            continue
        try:
            with reading(recording) as source:
                found = next((each for each in recommendations(source.evidence) if each.finding == fix.finding), None)
        except Failure:
            continue  # its summary could be read
        if found is not None:
            yield replace(found, finding=f"On {plural(fix.count, 'rank')} ({clean(fix.ranks, 60)}): {found.finding}")


def check(evidence: Evidence, max_remote: float, min_coverage: float) -> tuple[int, str]:
    """By the 95 % interval of the share; within any limit if nothing could be gained, as the report says."""
    why_not = unsayable(evidence, min_coverage)
    if why_not is not None:
        return EXIT_CANNOT_SAY, f"cannot say: {why_not}"
    coverage = evidence.traffic.coverage or 0.0
    words = f"{share_in_words(evidence)}, limit {percent(max_remote)}, {round_percent(coverage)} of CPU time counted"
    share = evidence.traffic.share
    if share is None:
        return 0, f"ok: {words}"
    if judge(evidence) is Judgement.NO_TRAFFIC:
        return 0, f"ok: {verdict(evidence).headline} {words}"
    if between_packages(evidence) and (evidence.traffic.interval or (0.0, 1.0))[0] <= max_remote:
        return EXIT_CANNOT_SAY, f"cannot say: {words}; requests between nodes of one package are not known"
    settles = "a longer run, fewer classes at a time (--events) or repeats (-n 5) would settle it"
    return _by_interval(evidence.traffic.interval, max_remote, words, settles)


def check_samples(evidence: Evidence, max_remote: float) -> tuple[int, str]:
    """Where no counters can tell, as in an imported file: by the interval of the sampled share."""
    share = remote_share(evidence)
    if share is None or not judge(evidence).by_share or not evidence.run.complete:
        return EXIT_CANNOT_SAY, f"cannot say: {verdict(evidence).headline}"
    words = f"{share_in_words(evidence)}, limit {percent(max_remote)}"
    return _by_interval(share.interval or (0.0, 1.0), max_remote, words, "more samples would settle it")


def _by_interval(interval: tuple[float, float] | None, max_remote: float, words: str, settles: str) -> tuple[int, str]:
    low, high = interval or (0.0, 1.0)
    if low > max_remote:
        return EXIT_LIMIT_EXCEEDED, f"exceeded: {words}"
    if high <= max_remote:
        return 0, f"ok: {words}"
    why = "the limit lies within the error" if interval else "the error is not known"
    return EXIT_CANNOT_SAY, f"cannot say: {why}, {words}; {settles}"


def unsayable(evidence: Evidence, min_coverage: float) -> str | None:
    """Why neither a pass nor a failure would prove anything; None: it can be said."""
    coverage = evidence.traffic.coverage
    seen = "an unknown part" if coverage is None else round_percent(coverage)
    where = nodes_in_text(evidence.worker_nodes)
    reasons = (
        (not evidence.run.complete, "the recording was cut short"),
        (evidence.machine.single, "this machine has one node: nothing can be remote"),
        (basis(evidence) != COUNTERS, "no counters told local from remote (numaprof doctor says why)"),
        (coverage is None or coverage < min_coverage, f"{seen} of CPU time counted, {percent(min_coverage)} needed"),
        (
            evidence.traffic.total is None or judge(evidence) is Judgement.REFUSED,
            f"{seen} of CPU time counted, too little",
        ),
        (judge(evidence) is Judgement.ONE_NODE_USED, f"all threads ran on {where}: nothing could be remote there"),
    )
    return next((reason for applies, reason in reasons if applies), None)
