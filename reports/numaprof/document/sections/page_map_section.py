# SPDX-License-Identifier: Apache-2.0
"""Which part of an object lies on which node, who first touched it, who uses it: as stretches of the object."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from numaprof.document.open_recording import Reading
from numaprof.evidence.evidence import Evidence
from numaprof.evidence.objects import Object
from numaprof.model.memory_model import HOME, TOUCHED, USED, Stretch
from numaprof.recording.sql import sql_accesses, sql_page_map

BINS = 64  # parts of an object: eight for each of eight threads
PROBES = 4  # looked up in each part to find its home
MOST_MAPS = 24  # objects that get one
MOST_USERS = 16  # using threads told apart; more are put together by node
STEPS = 4  # of how much a part is used: what an eye tells apart


@dataclass(frozen=True)
class Cell:
    bin: int
    node: int | None
    thread: int | None
    share: float


def page_maps(source: Reading, objects: Iterable[Object]) -> dict[int, tuple[Stretch, ...]]:
    """By thing; of the first objects only."""
    things = [found.things[0] for found in list(objects)[:MOST_MAPS] if found.things]
    if not things:
        return {}
    recording, page_bytes = source.recording, source.evidence.run.page_bytes
    recording.run(sql_page_map.MAP_INDEX)
    wanted = {"things": json.dumps(things), "bins": BINS}
    probed = {"probes": PROBES, "page_bytes": page_bytes}
    homes = recording.rows(sql_page_map.MapHome, sql_page_map.MAP_HOMES, **wanted, **probed)
    seen = recording.rows(sql_page_map.MapHome, sql_page_map.SEEN_HOMES, **wanted)
    cells: dict[int, list[sql_accesses.Cell]] = defaultdict(list)
    for cell in recording.rows(sql_accesses.Cell, sql_accesses.CELLS, bins=BINS):
        cells[cell.thing].append(cell)
    sizes = {row.thing: row.bytes for row in recording.rows(sql_page_map.Whole, sql_page_map.WHOLES)}
    return {
        thing: tuple(_map(source.evidence, thing, sizes[thing], (homes, seen), cells[thing]))
        for thing in things
        if thing in sizes
    }


def _map(
    evidence: Evidence,
    thing: int,
    bytes_: float,
    homes: tuple[list[sql_page_map.MapHome], list[sql_page_map.MapHome]],
    cells: list[sql_accesses.Cell],
) -> Iterator[Stretch]:
    snapshots, samples = (_homes(row for row in rows if row.thing == thing) for rows in homes)
    touched = [cell for cell in cells if not cell.is_use]
    pages: dict[int, float] = defaultdict(float)
    pages_of_part = bytes_ / max(evidence.run.page_bytes, 1) / BINS
    for cell in touched:
        pages[cell.bin] += cell.weight
    known = {cell.bin: cell for cell in (*_whole(samples, pages, pages_of_part), *snapshots)}
    yield from _stretches(HOME, [known[at] for at in sorted(known)])
    yield from _stretches(TOUCHED, _whole(_touched(touched), pages, pages_of_part))
    used = [cell for cell in cells if cell.is_use]
    steady = [cell for cell in used if cell.steady]
    for row in _users(evidence, steady or used):
        yield from _stretches(USED, row)


def _homes(rows: Iterable[sql_page_map.MapHome]) -> list[Cell]:
    """The node that most probes of a part found."""
    by_bin: dict[int, dict[int, int]] = defaultdict(dict)
    for row in rows:
        if row.node is not None:
            by_bin[row.bin][row.node] = row.probes
    found = []
    for at, nodes in sorted(by_bin.items()):
        main = max(nodes, key=lambda node: nodes[node])
        found.append(Cell(at, main, None, nodes[main] / (sum(nodes.values()) or 1)))
    return found


def _touched(cells: Iterable[sql_accesses.Cell]) -> list[Cell]:
    """The thread that touched most of a part. Its node is where it ran then."""
    by_bin: dict[int, dict[tuple[int, int | None], float]] = defaultdict(lambda: defaultdict(float))
    for cell in cells:
        by_bin[cell.bin][cell.thread, cell.node] += cell.weight
    found = []
    for at, touchers in sorted(by_bin.items()):
        thread, node = max(touchers, key=lambda toucher: touchers[toucher])
        found.append(Cell(at, node, thread, touchers[thread, node] / (sum(touchers.values()) or 1.0)))
    return found


def _whole(cells: list[Cell], pages: dict[int, float], pages_of_part: float) -> list[Cell]:
    """A touch of a huge page brought the parts behind it as well, unless something else is seen of them; so did one
    that stands for those after it."""
    taken = {cell.bin for cell in cells}
    found = []
    for cell in cells:
        reach = min(BINS, cell.bin + max(1, round(pages[cell.bin] / pages_of_part)))
        free = next((at for at in range(cell.bin + 1, reach) if at in taken), reach)
        found += [replace(cell, bin=at) for at in range(cell.bin, free)]
    return found


def _users(evidence: Evidence, cells: list[sql_accesses.Cell]) -> list[list[Cell]]:
    """One row for each thread in the order of the plan; for each node where there are too many threads."""
    threads = {cell.thread for cell in cells}
    by_node = len(threads) > MOST_USERS
    rows: dict[tuple[int, int], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    nodes: dict[tuple[int, int], int | None] = {}
    for cell in cells:
        known = evidence.by_id.get(cell.thread)
        node = -1 if cell.node is None else cell.node
        key = (node, 0) if by_node else (known.position if known else -1, cell.thread)
        rows[key][cell.bin] += cell.weight
        nodes[key] = cell.node if by_node or known is None else (known.node if known.node is not None else cell.node)
    return [
        [Cell(at, nodes[key], None if by_node else key[1], _step(weight, bins)) for at, weight in sorted(bins.items())]
        for key, bins in sorted(rows.items())
    ]


def _step(weight: float, bins: dict[int, float]) -> float:
    """How much this part is used, against the part that this row uses most."""
    return max(1, round(STEPS * weight / max(bins.values()))) / STEPS


def _stretches(what: str, cells: list[Cell]) -> Iterator[Stretch]:
    """Neighbours that are alike become one."""
    start = 0
    for at, cell in enumerate(cells):
        after = cells[at + 1] if at + 1 < len(cells) else None
        if after is not None and after.bin == cell.bin + 1 and _alike(what, cell, after):
            continue
        first = cells[start]
        share = min(each.share for each in cells[start : at + 1])
        yield Stretch(what, first.bin / BINS, (cell.bin + 1) / BINS, cell.node, cell.thread, share)
        start = at + 1


def _alike(what: str, one: Cell, other: Cell) -> bool:
    same = (one.node, one.thread) == (other.node, other.thread)
    return same and (what != USED or one.share == other.share)
