# SPDX-License-Identifier: Apache-2.0
"""A whole trial in words, which the terminal and the page show."""

from __future__ import annotations

import shlex

from numaprof.evidence.spread import Spread
from numaprof.experiments.trials.trial import Change, Tried, change, judge
from numaprof.experiments.trials.trial_document import CANNOT_IMITATE, Trial, busiest, differences
from numaprof.model.trial_model import PlacedText, TrialText
from numaprof.text.format import NOT_KNOWN, clean, duration, in_words, percent, plural, size


def trial_text(trial: Trial) -> TrialText:
    return TrialText(
        command=clean(trial.command),
        rows=tuple(map(_row, trial.tried)),
        remote_is=_remote_is(trial),
        placed=tuple(_placed(trial, tried) for tried in trial.placed),
        policies=tuple(_policy(trial, tried) for tried in trial.policies),
        not_tried=tuple(map(clean, trial.not_tried)),
        cannot_imitate=CANNOT_IMITATE,
        remarks=tuple(map(clean, (*trial.remarks, *differences(trial)))),
        without_edit=None if trial.file is None else _without_edit(trial.file, trial.command),
    )


def _row(tried: Tried) -> tuple[str, ...]:
    times = (tried.time, tried.initialisation, tried.compute)
    return (tried.arm.label, *(_time(value, tried) for value in times), _remote(tried), _busiest(tried))


def _time(value: Spread | None, tried: Tried) -> str:
    return "emulated" if _emulated(tried) else in_words(value, duration)


def _emulated(tried: Tried) -> bool:
    return any(run.evidence.run.emulated for run in tried.measured[:1])


def _remote(tried: Tried) -> str:
    """Median share, and how far the runs and their errors reach."""
    return NOT_KNOWN if tried.side is None else in_words(tried.side.share, percent)


def _busiest(tried: Tried) -> str:
    found = busiest(tried)
    return NOT_KNOWN if found is None else f"{found[0]}: {in_words(found[1], percent)}"


def _remote_is(trial: Trial) -> str | None:
    populations = {tried.side.population for tried in trial.tried if tried.side is not None and tried.side.share}
    if not populations:
        return None
    of = " or ".join(sorted(name or "several" for name in populations))
    return f"remote: share of {of}; in brackets how far the runs and their 95 % intervals reach"


def _placed(trial: Trial, tried: Tried) -> PlacedText:
    verdict = judge(trial.plain, tried)
    places = []
    for subject in tried.arm.subjects:
        first = "; ".join(dict.fromkeys(place.short for place in subject.places[:3]))
        more = f" and {len(subject.places) - 3} more" if len(subject.places) > 3 else ""
        places.append(f"{clean(subject.label)}: {first}{more} ({subject.basis})")
    return PlacedText(tried.arm.label, verdict.words, verdict.why, _what_was_placed(tried), tuple(places))


def _what_was_placed(tried: Tried) -> str:
    found = sum(any(run.outcomes[at].asked for run in tried.measured) for at in range(_subjects(tried)))
    runs, stacks = len(tried.measured), plural(len(tried.arm.subjects), "call stack")
    if not found:
        return f"0 of {stacks} found again in {plural(runs, 'run')}: nothing was placed."
    return (
        f"{found} of {stacks} found again ({percent(tried.found)} of the advised bytes); "
        f"placed {tried.total('placed')} of {tried.total('asked')} allocations in {plural(runs, 'run')}; "
        f"{percent(tried.right)} of {size(tried.total('checked_bytes'))} checked on the asked node; "
        f"{size(tried.total('extra_bytes') / runs)} more memory a run, "
        f"{size(tried.total('moved_bytes') / runs)} on the wrong side of the advised borders."
    )


def _subjects(tried: Tried) -> int:
    return min((len(run.outcomes) for run in tried.measured), default=0)


def _policy(trial: Trial, tried: Tried) -> str:
    """One policy for the whole process does as well, or by how much it does not."""
    best = trial.placed[-1]
    nodes = (tried.arm.policy or "").partition(":")[2]
    line = f"numactl --interleave={nodes} {clean(trial.command)}"
    compared = change(best.time, tried.time)
    time = "emulated times mean nothing" if _emulated(tried) else _beside_placement(compared)
    return f"For the whole process: {line}: {time}{_shares(best, tried)}."


def _beside_placement(compared: Change | None) -> str:
    if compared is None:
        return "not known how its time compares"
    time = f"{1 / compared.ratio:.2f} times the time of the placement (p = {compared.p:.2g})"
    if compared.faster or compared.slower:
        return time
    return f"does as well as the placement, as far as these runs can tell: {time}"


def _shares(placed: Tried, tried: Tried) -> str:
    before, after = (each.side.share if each.side else None for each in (placed, tried))
    return f"; {percent(after.middle)} remote, the placement {percent(before.middle)}" if before and after else ""


def _without_edit(file: str, command: str) -> str:
    return f"numaprof run --place {shlex.quote(file)} -- {clean(command)}"
