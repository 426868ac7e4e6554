# SPDX-License-Identifier: Apache-2.0
"""From two sides to all that is reported of their difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from numaprof.analysis.naming import command_line, homes_in_text, object_name
from numaprof.analysis.remote_meaning import decisive_notes
from numaprof.analysis.remote_share import remote_share
from numaprof.analysis.verdict import Judgement, judge
from numaprof.compare import sides
from numaprof.compare.pairing import (
    by_site,
    headline,
    match_sites,
    names_of,
    remote_events,
    requests,
    served_share,
    shares_of_threads,
    site_labels,
    touched_bytes,
)
from numaprof.compare.sides import (
    ShareChange,
    chance,
    chance_of_thread,
    change_of_share,
    differences,
    share_change,
    time_change,
)
from numaprof.document.open_recording import reading
from numaprof.document.partial_list import Listed
from numaprof.document.remote_sums import remote_sums
from numaprof.document.sections.machine_section import who_reads_where
from numaprof.document.sections.timeline_section import timeline
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.evidence.spread import Spread, effective_size, least_difference, sampled_interval
from numaprof.evidence.thresholds import (
    MARKED_PART,
    MIN_SHOWN_BYTES,
    MIN_USES_OF_THREAD,
    RUN_VARIATION,
    SHARE_CHANGE,
)
from numaprof.model import comparison_model as model
from numaprof.text.format import clean, round_percent

MOST_PLACES = 20
WIDE_MISS = 0.1  # of a remote share: a change this large is worth being told that it would be missed
BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "no difference seen", "not known"

_OF_SHARE = {
    ShareChange.FELL: BETTER,
    ShareChange.ROSE: WORSE,
    ShareChange.SAME: SAME,
    ShareChange.UNKNOWN: UNKNOWN,
}


def comparison(before: sides.Side, after: sides.Side, times: bool = True) -> model.Comparison:
    """times: with the time line of each side, which the terminal does not show."""
    time = time_change(before, after)
    change = share_change(before, after)
    objects = _objects(before.median_run, after.median_run, change in (ShareChange.FELL, ShareChange.ROSE))
    touches = _beside("first touches", "bytes", [by_site(side, touched_bytes) for side in (before, after)])
    remote = _beside("remote requests sampled", "requests", [by_site(side, remote_events) for side in (before, after)])
    return model.Comparison(
        format="numaprof.diff",
        version=model.VERSION,
        headline=headline(before, after),
        change=_OF_SHARE[change],
        time=time.words,
        time_is_known=time.known,
        noise=tuple(_noise(before, after)),
        population=before.population if before.population == after.population else None,
        differences=tuple(clean(text) for text in differences(before, after)),
        before=_side(before, times),
        after=_side(after, times),
        measures=tuple(_measures(before, after)),
        threads=tuple(_threads(before, after)),
        objects=objects.rows,
        enough_samples=MIN_USES_OF_THREAD,
        objects_not_listed=objects.not_listed,
        places=(*touches.rows, *remote.rows),
        places_not_listed=touches.not_listed + remote.not_listed,
        touches_not_listed=touches.not_listed,
        pairs=tuple(_pairs(before.median_run, after.median_run)),
    )


def _side(side: sides.Side, times: bool) -> model.Side:
    line = None
    if times:
        with reading(side.median_run.path) as source:
            line = timeline(source)
    return model.Side(
        recordings=tuple(clean(run.path) for run in side.runs),
        command_line=command_line(side.first),
        emulated=any(run.run.emulated is not None for run in side.runs),
        median_run=clean(side.median_run.path),
        step_ns=line.step_ns if line else 0,
        moments=line.moments if line else (),
    )


def _noise(before: sides.Side, after: sides.Side) -> Iterator[str]:
    """What these runs cannot tell, and what would, beyond what is said of the time."""
    yield from dict.fromkeys(text for side in (before, after) for run in side.runs for text in decisive_notes(run))
    if all(judge(run) is Judgement.NO_TRAFFIC for side in (before, after) for run in side.runs):
        yield "Both made too few requests for the placement of memory to matter."
    by_chance = chance(before, after)
    if share_change(before, after) == ShareChange.SAME and before.share and after.share:
        if not (before.share.certain and after.share.certain):
            yield "The error of a remote share is not known, for threads ran too briefly: longer runs could tell."
        elif SHARE_CHANGE <= abs(after.share.middle - before.share.middle) < by_chance:
            yield (
                f"Threads changed nodes during a run: up to {round_percent(by_chance)} of the accesses may be local or "
                "remote by chance. Several runs (-n 5), or threads bound from the start, could tell."
            )
        elif abs(after.share.middle - before.share.middle) >= SHARE_CHANGE:
            yield f"The remote shares differ, but by no more than {_explained(before, after)}."
        else:
            yield f"The remote shares differ by less than runs of one program do{_unseen(before, after, by_chance)}."
    if time_change(before, after).words.startswith("Run time: no difference"):
        yield "The run times overlap: what is left of a difference is noise."


def _explained(before: sides.Side, after: sides.Side) -> str:
    if len(before.runs) == len(after.runs) == 1:
        return (
            "their errors and a variation between runs explain, which one run each does not tell "
            f"({100 * RUN_VARIATION:.0f} points are assumed): record with -n 5"
        )
    return "their errors and the variation between these runs explain: longer runs or more (-n 5) could tell"


def _unseen(before: sides.Side, after: sides.Side, by_chance: float) -> str:
    """How large a change these runs would miss, if that is much."""
    missed = by_chance
    if before.share and after.share:
        missed = max(missed, least_difference(before.share, after.share, RUN_VARIATION) or 0.0)
    if missed < WIDE_MISS:
        return ""
    return f", but a change of {100 * missed:.0f} points would not be seen: longer runs or more (-n 5) could tell"


def _measures(before: sides.Side, after: sides.Side) -> Iterator[model.Measure]:
    emulated = before.first.run.emulated is not None or after.first.run.emulated is not None
    if not emulated:
        yield _measure("run time", "nanoseconds", before.time, after.time, _time_word(before, after))
    yield _measure("remote share", "share", before.share, after.share, _OF_SHARE[share_change(before, after)])
    yield _measure("DRAM requests", "requests", requests(before), requests(after), "")
    for node in sorted({node for run in (before.first, after.first) for node in run.machine.memory_nodes}):
        yield _measure(f"served by node {node}", "share", served_share(before, node), served_share(after, node), "")


def _time_word(before: sides.Side, after: sides.Side) -> str:
    words = time_change(before, after)
    if not words.known:
        return UNKNOWN
    if words.words.startswith("Run time: no difference") or before.time is None or after.time is None:
        return SAME
    return BETTER if after.time.middle < before.time.middle else WORSE


def _measure(name: str, unit: str, before: Spread | None, after: Spread | None, change: str) -> model.Measure:
    return model.Measure(name, unit, _range(before), _range(after), change)


def _known_range(values: Spread) -> model.Range:
    return model.Range(values.middle, values.lowest, values.highest, values.certain)


def _range(values: Spread | None) -> model.Range | None:
    return None if values is None else _known_range(values)


def _threads(before: sides.Side, after: sides.Side) -> Iterator[model.Thread]:
    """By position in the plan, where both sides have a share."""
    old, new = shares_of_threads(before), shares_of_threads(after)
    alike = before.population == after.population
    both = sorted(old.keys() & new.keys())
    for at in both:
        by_chance = chance_of_thread(before, after, at)
        told = alike and all(_tells(side, at) for side in (before, after))
        word = _OF_SHARE[change_of_share(old[at], new[at], by_chance, len(both))] if told else UNKNOWN
        name = names_of(before.first.threads[at], after.first.threads[at])
        run = after.median_run
        heavy = remote_sums(run, remote_share(run, run.threads[at]), len(run.threads)).remote_heavy
        yield model.Thread(at, name, _known_range(old[at]), _known_range(new[at]), word, heavy)


def _tells(side: sides.Side, at: int) -> bool:
    """The thread made more than a handful of requests in every run."""
    for run, whole in zip(side.runs, side.shares):
        own = remote_share(run, run.threads[at])
        if own is None or whole is None or own.total < MARKED_PART * whole.total / len(run.threads):
            return False
    return True


def _objects(before: Evidence, after: Evidence, changed: bool) -> Listed[model.Object]:
    """Those that changed most first. By name; those without a name go by lines, matched where the line is the same.

    changed: the share of all requests did. Without that, samples of one object are too few to prove what it does.
    """
    old, new = _by_name(before), _by_name(after)
    names = sorted(dict.fromkeys([*old, *new]), key=lambda name: _sameness(old.get(name), new.get(name)))
    several = len(names) if changed else None
    rows = tuple(_object(name, old.get(name), new.get(name), after, several) for name in names[:MOST_PLACES])
    return Listed(rows, len(names) - len(rows))


def _sameness(before: Object | None, after: Object | None) -> tuple[float, float]:
    """Less where more changed: remote accesses first, if enough were sampled; then memory that is on other nodes."""
    seen = max(found.known_samples if found else 0 for found in (before, after))
    remote = [found.remote if found and seen >= MIN_USES_OF_THREAD else 0.0 for found in (before, after)]
    return -abs(remote[1] - remote[0]), -_moved(before, after)


def _moved(before: Object | None, after: Object | None) -> float:
    """Pages that are on another node; all of them where the object is on one side only."""
    old, new = (found.homes if found else {} for found in (before, after))
    gained = sum(max(0.0, new.get(node, 0.0) - old.get(node, 0.0)) for node in new)
    lost = sum(max(0.0, old.get(node, 0.0) - new.get(node, 0.0)) for node in old)
    return min(gained, lost) if old and new else max(gained, lost)


def _object(name: str, before: Object | None, after: Object | None, run: Evidence, several: int | None) -> model.Object:
    """several: how many are compared by their shares; None: none are."""
    shares = [found.remote / found.known if found and found.known else None for found in (before, after)]
    samples = [found.known_samples if found else 0 for found in (before, after)]
    old, new = (_sampled(share, found) for share, found in zip(shares, (before, after)))
    by_share = old and new and several and change_of_share(old, new, several=several) != ShareChange.SAME
    moved = run.bytes(_moved(before, after))
    return model.Object(
        name=name,
        home_before=homes_in_text(before.homes) if before else None,
        home_after=homes_in_text(after.homes) if after else None,
        share_before=shares[0],
        share_after=shares[1],
        samples_before=samples[0],
        samples_after=samples[1],
        moved_bytes=moved,
        changed=moved >= MIN_SHOWN_BYTES or bool(by_share),
    )


def _sampled(share: float | None, found: Object | None) -> Spread | None:
    if share is None or found is None or found.known_samples < MIN_USES_OF_THREAD:
        return None
    squares = sum(row.squares for row in found.used if row.remote is not None)
    return Spread((share,), sampled_interval(share, effective_size(found.known, squares)))


def _by_name(run: Evidence) -> dict[str, Object]:
    found: dict[str, Object] = {}
    for each in run.objects.found:
        if (each.pages or each.used) and not each.is_ours:
            found.setdefault(object_name(each), each)
    return found


def _beside(what: str, unit: str, sides: list[dict[Site, float]]) -> Listed[model.Place]:
    old, new = sides
    amount: Callable[[tuple[Site | None, Site | None]], float] = lambda pair: max(  # noqa: E731
        old.get(pair[0], 0.0) if pair[0] else 0.0, new.get(pair[1], 0.0) if pair[1] else 0.0
    )
    pairs = sorted(match_sites(old, new), key=lambda pair: -amount(pair))
    rows = tuple(
        model.Place(
            what, unit, site_labels(first, second), old[first] if first else None, new[second] if second else None
        )
        for first, second in pairs[:MOST_PLACES]
    )
    return Listed(rows, len(pairs) - len(rows))


def _pairs(before: Evidence, after: Evidence) -> Iterator[model.Pair]:
    (old, population), (new, other) = who_reads_where(before), who_reads_where(after)
    if population == other:
        for node, memory in sorted(old.keys() | new.keys()):
            yield model.Pair(node, memory, old.get((node, memory)), new.get((node, memory)))
