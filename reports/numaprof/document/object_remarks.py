# SPDX-License-Identifier: Apache-2.0
"""Sentences about one object, and about how many samples belong to objects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from numaprof.analysis.expected_gain import stall_cycles
from numaprof.analysis.naming import (
    homes_in_text,
    list_of_sites,
    named_homes,
    site_label,
    thread_in_text,
    threads_on_nodes,
)
from numaprof.analysis.object_users import main_use, users
from numaprof.analysis.relevant_objects import init_sites, surely_remote
from numaprof.analysis.remote_share import COUNTERS, HINTS, LOADS, basis
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.first_touches import summed
from numaprof.evidence.objects import SHARED, Object
from numaprof.evidence.source_location import GENERATED, MADE_AT_RUN_TIME
from numaprof.evidence.thresholds import (
    ALL_OF_IT,
    MIN_OBJECT_SHARE,
    MIN_SAMPLES,
    MIN_SHOWN_BYTES,
    MIN_USES_OF_THREAD,
    MOST_UNDIVIDED,
    SMALL_PART,
)
from numaprof.model import report_model as model
from numaprof.placement.decide import Scored
from numaprof.placement.explain import NOT_KNOWN, use_in_words
from numaprof.recording.sql import sql_samples
from numaprof.text.format import clean, either, number, percent, plural, size, words
from numaprof.text.source_lines import kept_around, statement

_MOST_NAMED = 8  # processes that share an object, and groups of them
_STATEMENT = 60  # of a line of source: what it assigns to stands at its beginning
_KIND_NAMES = {sql_samples.LOAD: "sampled loads", sql_samples.STORE: "sampled stores", sql_samples.HINT: "hint faults"}


def bytes_of(evidence: Evidence, found: Object) -> float:
    return found.bytes or evidence.bytes(found.pages)


def remarks(evidence: Evidence, found: Object, row: Scored | None = None) -> list[str]:
    parts = (_allocated(evidence, found), _touched(evidence, found), _used(evidence, found, row))
    return [text for text in (*parts, _by_process(evidence, found), _more(evidence, found)) if text]


def _allocated(evidence: Evidence, found: Object) -> str:
    """The source line of the allocation, or of the caller if many callers share the wrapper."""
    site = found.caller if found.is_wrapped and found.caller is not None else found.allocated
    if found.name is not None or site is None:
        return ""
    kept = dict(kept_around(evidence.source.get(site.file or "", {}), site.line)).get(site.line or 0)
    text = (kept or "").strip() or statement(site.file, site.line, evidence.run.cwd, evidence.run.started_at)
    return f"allocated by: {clean(text, _STATEMENT)}" if text else ""


def _touched(evidence: Evidence, found: Object) -> str:
    if found.placed_before:
        return "placed before attaching: first touch not seen"
    if not found.pages:
        if found.before:
            return f"touched before it was allocated, at {site_label(found.before[0].site)}"
        return "first touch not seen"
    by = thread_in_text(evidence.by_id.get(found.main_thread))
    if found.main_share < ALL_OF_IT:
        by = plural(len(found.pages_by_thread), "thread")
    at = list_of_sites(init_sites([found]), 2) or "an unknown place"
    return f"first touched at {at} by {by}"


def _used(evidence: Evidence, found: Object, row: Scored | None) -> str:
    if not found.later:
        return ""
    use = main_use(found.later)
    at = f" at {site_label(use)}" if use is not None else ""
    who = users(evidence, found.later)
    if len(who) == 1 and sum(row.samples for row in found.later) < MIN_USES_OF_THREAD:
        return f"used{at}; too few samples to tell by which threads"
    if len(who) == 1:
        thread = thread_in_text(who[0])
        alone = all(row.thread == who[0].row.id for row in found.later)
        return f"used{at} by {thread} alone" if alone else f"used{at} by {thread}, hardly by others"
    told = use_in_words(row)
    pattern = "too few samples for an access pattern" if told == NOT_KNOWN else told
    few = found.known_samples < MIN_SAMPLES and len(who) < len(evidence.workers)
    return f"used{at} by {'at least ' if few else ''}{threads_on_nodes(who)}: {pattern}"


def _by_process(evidence: Evidence, found: Object) -> str:
    """Of memory that processes share: which of them uses the pages of which node, the busiest first."""
    reached: dict[tuple[int, int | None], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    samples: dict[tuple[int, int | None], int] = defaultdict(int)
    for row in found.later if found.kind == SHARED else ():
        if row.thread in evidence.by_id and row.page_node is not None:
            user = (evidence.by_id[row.thread].row.process, row.node)
            reached[user][row.page_node] += row.accesses
            samples[user] += row.samples
    told = [user for user in sorted(samples, key=lambda user: -samples[user]) if samples[user] >= MIN_USES_OF_THREAD]
    if len({process for process, _ in reached}) < 2:
        return ""
    mains = [thread.row for thread in evidence.threads]
    alike: dict[tuple[str, int | None, frozenset[int]], list[tuple[int, dict[int, float]]]] = defaultdict(list)
    for process, node in told:
        main, used = next(row for row in mains if row.process == process), reached[process, node]
        alike[main.name or "?", node, frozenset(named_homes(used))].append((main.pid, used))
    rows = [_alike(clean(name), node, group) for (name, node, _), group in alike.items()]
    return "by process: " + "; ".join(_some(rows)) if rows else ""


def _alike(name: str, node: int | None, group: list[tuple[int, dict[int, float]]]) -> str:
    """postgres 4712, 4713 on node 1 use node 0. Which nodes several use they use together."""
    on = f" on node {node}" if node is not None else ""
    pids = ", ".join(_some([str(pid) for pid, _ in group]))
    homes = homes_in_text(summed(each for _, used in group for each in used.items()))
    return f"{name} {pids}{on} {either(len(group), 'uses', 'use')} {homes}"


def _some(names: list[str]) -> list[str]:
    left = len(names) - _MOST_NAMED
    return names if left <= 0 else [*names[:_MOST_NAMED], f"{left} more"]


def _more(evidence: Evidence, found: Object) -> str:
    parts = []
    if (found.blocks or 0) > 1:
        parts.append(f"{plural(found.blocks or 0, 'block')}; size is the most that lived at one time")
    if found.stores and found.loads:
        parts.append(f"{percent(found.stores / (found.stores + found.loads))} of its sampled accesses write")
    cycles = stall_cycles(evidence.objects.answers)
    if cycles and not evidence.run.emulated:
        parts.append(f"{percent(stall_cycles(found.answers) / cycles)} of the latency of sampled loads")
    if moves := moved(evidence, found):
        to = words([f"{size(each.bytes)} from node {each.from_node} to node {each.to_node}" for each in moves])
        parts.append(f"moved after the first touch: {to}")
    parts.append(_phases(found))
    return "; ".join(part for part in parts if part)


def moved(evidence: Evidence, found: Object) -> list[model.Move]:
    """Most first; what is too small to show is left out."""
    moves = [model.Move(*nodes, evidence.bytes(pages)) for nodes, pages in found.moves.items()]
    return sorted((move for move in moves if move.bytes >= MIN_SHOWN_BYTES), key=lambda move: -move.bytes)


def _phases(found: Object) -> str:
    """Remote shares before and after the initialisation, if it has a large part of the accesses."""
    early = [row for row in found.used if not row.steady and row.remote is not None]
    late = [row for row in found.used if row.steady and row.remote is not None]
    before, after = (sum(row.accesses for row in rows) for rows in (early, late))
    if not before or not after or before < MIN_OBJECT_SHARE * (before + after):
        return ""
    shares = [sum(r.accesses for r in rows if r.remote) / total for rows, total in ((early, before), (late, after))]
    return f"remote while initialised {percent(shares[0])}, later {percent(shares[1])}"


def attribution(evidence: Evidence) -> Iterable[str]:
    """Shares of the samples in named objects, unnamed memory and unknown memory."""
    known = [row for row in evidence.objects.attributed if row.total and row.kind in _KIND_NAMES]
    if known:
        total = sum(row.total for row in known)
        named, by_line = (sum(getattr(row, part) for row in known) / total for part in ("named", "by_line"))
        parts = [(named, "named objects"), (by_line, "unnamed memory"), (1 - named - by_line, "unknown memory")]
        what = words([_KIND_NAMES[row.kind] for row in known])
        yield f"of the {what}: " + ", ".join(f"{percent(part)} in {name}" for part, name in parts if part > 1e-9)
    if evidence.remote_lines.known:
        yield f"of all remote: {_divided(evidence)}"
    yield from touch_coverage(evidence)


def _divided(evidence: Evidence) -> str:
    lines = evidence.remote_lines
    if not surely_remote(evidence):
        return "n/a, the error of the counts leaves room for no remote line at all"
    if lines.enough:
        how = "attributed by requesting instruction and by the objects that it reads"
        guess = f"; no sample tells of {percent(lines.untold)}: guessed by pages on other nodes, or by function"
        known = f"{percent(1 - (lines.unknown or 0.0))} of the remote lines, prefetched ones included, {how}"
        return known + (guess if lines.untold >= SMALL_PART else "")
    if (lines.unknown or 0.0) > MOST_UNDIVIDED:
        return f"n/a, too few samples tell the object of {percent(lines.unknown or 0.0)} of the remote lines"
    return f"n/a, {number(lines.samples)} sampled loads are too few to divide the remote lines among objects"


def touch_coverage(evidence: Evidence) -> Iterable[str]:
    """Memory that the sizes of first touches leave out."""
    seen = evidence.fault_coverage
    if seen is not None and seen < ALL_OF_IT:
        yield f"first touches: from {percent(seen)} of the page faults, the others were lost"
    again = sum(row.weight for row in evidence.samples.kinds if row.kind == sql_samples.REFAULT)
    if again > MIN_OBJECT_SHARE * evidence.touched_pages:
        yield (
            f"not counted as first touches: {size(evidence.bytes(again))} that came back after MADV_DONTNEED "
            "or from swap"
        )
    unknown = sum(row.weight for row in evidence.samples.kinds if row.kind == sql_samples.UNKNOWN_FAULT)
    if unknown > MIN_OBJECT_SHARE * evidence.touched_pages:
        yield f"not counted as first touches: {size(evidence.bytes(unknown))} of page faults of unknown kind"


def remote_by_module(evidence: Evidence) -> tuple[dict[str, float], str]:
    """Shares of remote reads by module of the reading code, and the population."""
    overflow = basis(evidence) == COUNTERS and any(row.overflows for row in evidence.samples.modules)
    rows = [row for row in evidence.samples.modules if bool(row.overflows) == overflow]
    total = sum(row.events for row in rows)
    if not total or basis(evidence) not in (COUNTERS, LOADS, HINTS):
        return {}, ""
    shares: dict[str, float] = {}
    for row in rows:
        name = module_name(row.module)
        shares[name] = shares.get(name, 0.0) + row.events / total
    kind = ("overflow sample", "s") if overflow else ("sampled access", "es")
    samples = plural(sum(row.samples for row in rows), *kind)
    kernel = "; kernel not counted" if overflow and not _sees_kernel(evidence) else ""
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0]))), samples + kernel


def _sees_kernel(evidence: Evidence) -> bool:
    return any(not event.exclude_kernel for event in evidence.events if event.placement.startswith("remote"))


def module_name(module: str | None) -> str:
    if module is None:
        return "unknown code"
    if module == MADE_AT_RUN_TIME:
        return GENERATED
    return clean(module if module.startswith("[") else module.rpartition("/")[2], 24)
