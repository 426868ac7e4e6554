# SPDX-License-Identifier: Apache-2.0
"""What `numaprof try` prints."""

from __future__ import annotations

import shlex

from numaprof.evidence.spread import Spread, in_words
from numaprof.experiments.trials.trial import Change, Tried, change, judge
from numaprof.experiments.trials.trial_document import CANNOT_IMITATE, Trial, busiest, differences
from numaprof.terminal.layout import BOLD, Layout
from numaprof.text.format import NOT_KNOWN, clean, duration, percent, plural, size


def print_trial(trial: Trial, layout: Layout) -> None:
    layout.line(clean(trial.command), BOLD)
    head = ("", "run time (fastest..slowest)", "initialisation", "compute", "remote", "busiest node")
    layout.table(head, [_row(tried) for tried in trial.tried], (False, False, False, False, True, True))
    populations = {tried.side.population for tried in trial.tried if tried.side is not None and tried.side.share}
    if populations:
        of = " or ".join(sorted(name or "several" for name in populations))
        layout.paragraph(f"remote: share of {of}; in brackets how far the runs and their 95 % intervals reach")
    for tried in trial.placed:
        _print_placed(trial, tried, layout)
    for tried in trial.policies:
        _print_policy(trial, tried, layout)
    _print_list("not tried", trial.not_tried, layout)
    _print_list("what the trial cannot imitate: the gain of an edit can be larger", CANNOT_IMITATE, layout)
    _print_list("remarks", (*trial.remarks, *differences(trial)), layout)
    if trial.file is not None:
        layout.line()
        layout.paragraph(f"The placement without an edit: {_apply(trial)}")


def _apply(trial: Trial) -> str:
    return f"numaprof run --place {shlex.quote(trial.file or '')} -- {clean(trial.command)}"


def _row(tried: Tried) -> tuple[str, ...]:
    return (
        tried.arm.label,
        _time(tried.time, tried),
        _time(tried.initialisation, tried),
        _time(tried.compute, tried),
        remote_in_words(tried),
        busiest_in_words(tried),
    )


def _time(value: Spread | None, tried: Tried) -> str:
    if tried.measured and tried.measured[0].evidence.run.emulated:
        return "emulated"
    return in_words(value, duration)


def remote_in_words(tried: Tried) -> str:
    """Median share, and how far the runs and their errors reach."""
    return NOT_KNOWN if tried.side is None else in_words(tried.side.share, percent)


def busiest_in_words(tried: Tried) -> str:
    found = busiest(tried)
    return NOT_KNOWN if found is None else f"{found[0]}: {found[1].in_words(percent)}"


def _print_placed(trial: Trial, tried: Tried, layout: Layout) -> None:
    verdict = judge(trial.plain, tried)
    layout.line()
    layout.paragraph(f"{tried.arm.label}: {verdict.words}: {verdict.why}.", style=BOLD)
    layout.paragraph(_what_was_placed(tried), first="    ")
    for subject in tried.arm.subjects:
        places = "; ".join(dict.fromkeys(place.text for place in subject.places[:3]))
        more = f" and {len(subject.places) - 3} more" if len(subject.places) > 3 else ""
        layout.paragraph(f"{clean(subject.label)}: {places}{more} ({subject.basis})", first="    - ")


def _what_was_placed(tried: Tried) -> str:
    found = sum(any(run.outcomes[at].asked for run in tried.measured) for at in range(_subjects(tried)))
    runs, stacks = len(tried.measured), plural(len(tried.arm.subjects), "call stack")
    if not found:
        return f"0 of {stacks} met again in {plural(runs, 'run')}: nothing was placed."
    return (
        f"{found} of {stacks} met again ({percent(tried.found)} of the advised bytes); "
        f"placed {tried.total('placed')} of {tried.total('asked')} allocations in {plural(runs, 'run')}; "
        f"{percent(tried.right)} of {size(tried.total('checked_bytes'))} checked on the asked node; "
        f"{size(tried.total('extra_bytes') / runs)} more memory a run, "
        f"{size(tried.total('moved_bytes') / runs)} beside the asked borders."
    )


def _subjects(tried: Tried) -> int:
    return min((len(run.outcomes) for run in tried.measured), default=0)


def _print_policy(trial: Trial, tried: Tried, layout: Layout) -> None:
    """One policy for the whole process does as well, or by how much it does not."""
    best = trial.placed[-1]
    layout.line()
    nodes = (tried.arm.policy or "").partition(":")[2]
    line = f"numactl --interleave={nodes} {clean(trial.command)}"
    layout.paragraph(f"For the whole process: {line}: {policy_in_words(change(best.time, tried.time), tried)}.")


def policy_in_words(compared: Change | None, tried: Tried) -> str:
    if tried.measured and tried.measured[0].evidence.run.emulated:
        return "emulated times mean nothing; compare the remote shares"
    if compared is None:
        return "not known how it compares"
    if compared.faster:
        return f"{compared.ratio:.2f} times as fast as the placement (p = {compared.p:.2g})"
    if compared.slower:
        return f"{1 / compared.ratio:.2f} times the time of the placement (p = {compared.p:.2g})"
    return f"does as well as the placement, as far as these runs can tell (p = {compared.p:.2g})"


def _print_list(title: str, items: tuple[str, ...], layout: Layout) -> None:
    if items:
        layout.line(f"\n{title}")
    for item in items:
        layout.paragraph(clean(item), first="- ")
