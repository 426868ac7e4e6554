# SPDX-License-Identifier: Apache-2.0
"""What a screen of the live view shows, and what a key changes: without a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, Union

from numaprof.live.model import NodeRow, Row, View
from numaprof.live.sample import Range
from numaprof.live.tables import (
    SORTS,
    Choice,
    class_line,
    cut,
    head_lines,
    node_table,
    process_table,
    range_table,
    thread_table,
)
from numaprof.text.format import clean

Rows = Sequence[Union[Row, NodeRow, Range]]
Item = TypeVar("Item")
PROCESSES, THREADS, NODES, MEMORY = "processes", "threads", "nodes", "memory"
BELOW = 3  # lines: classes, message, keys

HELP = """\
numaprof top: keys and columns                            any key goes back

  up down PgUp PgDn  choose a row          p t n m    processes, threads,
  Enter  a process's threads, a thread's              nodes, memory
         process's memory                  Backspace  back
  s  sort by the next column               f  only what runs on the next node
  c  next class of requests                space  hold the screen, go on
  r  start or end a recording              q  quit

  CPU%     of one CPU                     REM%  remote part of DRAM requests
  LOCAL/s  bytes from DRAM of the node where the thread runs
  REMOTE/s bytes from DRAM of other nodes
  MOVED/s  pages that automatic balancing moved (off: it is switched off)
  NODE:PAGES %  which part of the memory is on which node, from sampled
           pages; files are left out
  PLACED   of a node: memory of the processes shown

  n/a  cannot be known here      -  did not run, or asked for nothing
  ~    part of the CPU time was not counted (new threads, no counters left)

A recording (r) is that of numaprof attach; numaprof report reads it."""


@dataclass(frozen=True)
class State:
    table: str = PROCESSES
    choice: Choice = field(default_factory=Choice)
    row: int = 0
    chosen: tuple[int, ...] = ()  # what that row is of: it stays chosen where rows change their order
    help: bool = False
    held: bool = False
    message: str = ""
    ended: bool = False  # there are no more readings
    asks_to_record: int | None = None  # the process, until it is done
    quits: bool = False


@dataclass(frozen=True)
class Frame:
    lines: Sequence[str]
    bold: frozenset[int]
    chosen: int | None  # the line of the chosen row


def frame(view: View | None, state: State, subject: str, width: int, height: int) -> Frame:
    if state.help:
        return Frame([cut(line, width) for line in HELP.splitlines()[:height]], frozenset({0}), None)
    if view is None:
        return Frame([cut(f"numaprof top: {subject}: reading for the first time ...", width)], frozenset(), None)
    table, rows = _table(view, state, width)
    above = head_lines(view, subject, state.choice, width)
    room = max(1, height - len(above) - 2 - BELOW)
    at = _at(state, rows)
    first = max(0, min(at - room + 1, len(rows) - room)) if at >= room else 0
    lines = [*above, cut(_title(view, state, at, len(rows)), width)]
    head = len(lines)
    lines += [table[0], *table[1 + first : 1 + first + room]]
    lines += [""] * (height - BELOW - len(lines))
    selected = rows[at] if rows else None
    lines.append("" if selected is None or isinstance(selected, Range) else class_line(view, selected, width))
    lines += [cut(clean(state.message or (ENDED if state.ended else "")), width), cut(KEYS, width)]
    return Frame(lines[:height], frozenset({0, head}), head + 1 + at - first if rows else None)


def _identity(row: Row | NodeRow | Range) -> tuple[int, ...]:
    if isinstance(row, Row):
        return (row.pid, row.tid or 0)
    return (row.id,) if isinstance(row, NodeRow) else (row.start,)


def _at(state: State, rows: Rows) -> int:
    """The chosen row; the one in its place where it has gone."""
    found = next((number for number, row in enumerate(rows) if _identity(row) == state.chosen), state.row)
    return max(0, min(found, len(rows) - 1))


def _table(view: View, state: State, width: int) -> tuple[list[str], Rows]:
    if state.table == NODES:
        return node_table(view, state.choice, width)
    if state.table == MEMORY:
        return range_table(view, _process(view, state), width)
    return (process_table if state.table == PROCESSES else thread_table)(view, state.choice, width)


def _process(view: View, state: State) -> int:
    """The one whose memory is shown."""
    if state.choice.pid is not None:
        return state.choice.pid
    return view.processes[0].pid if len(view.processes) == 1 else 0


def _title(view: View, state: State, at: int, count: int) -> str:
    names = {row.pid: clean(row.name) for row in view.processes}
    of = f" of {state.choice.pid} {names.get(state.choice.pid, '(ended)')}" if state.choice.pid is not None else ""
    if state.table == MEMORY and not of and len(view.processes) != 1:
        return "MEMORY: choose a process with p and Enter"
    node = "all nodes" if state.choice.node is None else f"node {state.choice.node}"
    order = "" if state.table in (NODES, MEMORY) else f" by {state.choice.sort}, {node}"
    requests = f", {state.choice.request} only" if state.choice.request else ""
    position = f", row {at + 1} of {count}" if count else ", none"
    held = ", paused: space continues" if state.held else ""
    return f"{state.table.upper()}{of}{order}{requests}{position}{held}"


ENDED = "the processes have ended: this is the last reading; q quits"
KEYS = "? help  q quit  p t n m tables  Enter open  s sort  f node  c class  r record"


# --- keys

TABLES = {"p": PROCESSES, "t": THREADS, "n": NODES, "m": MEMORY}
STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -16, "page down": 16}


def press(state: State, key: str, view: View | None, width: int = 80) -> State:
    """key: a letter, or "up", "down", "page up", "page down", "enter", "back"."""
    if state.help:
        return replace(state, help=False)
    if key == "q":
        return replace(state, quits=True)
    if key in ("?", "h"):
        return replace(state, help=True)
    return _act(replace(state, message=""), key, view, _table(view, state, width)[1]) if view else state


def _act(state: State, key: str, view: View, rows: Rows) -> State:
    chosen = rows[_at(state, rows)] if rows else None
    if key in STEPS and rows:
        at = max(0, min(_at(state, rows) + STEPS[key], len(rows) - 1))
        state = replace(state, row=at, chosen=_identity(rows[at]))
    elif key == " ":
        state = replace(state, held=not state.held)
    elif key == "r":
        state = _record(state, view, chosen)
    elif key == "back":
        state = _back(state)
    elif key in ("enter", "m") and isinstance(chosen, Row):
        state = _open(state, MEMORY if key == "m" or chosen.tid is not None else THREADS, chosen.pid)
    elif key in TABLES:
        state = _open(state, TABLES[key], None if TABLES[key] in (PROCESSES, NODES) else state.choice.pid)
    else:
        state = replace(state, choice=_choose(state.choice, key, view))
    return state


def _open(state: State, table: str, pid: int | None) -> State:
    return replace(state, table=table, row=0, chosen=(), choice=replace(state.choice, pid=pid))


def _back(state: State) -> State:
    """From memory to threads, from threads to processes, where the process stays chosen."""
    pid = state.choice.pid
    if state.table == MEMORY and pid is not None:
        return _open(state, THREADS, pid)
    return replace(_open(state, PROCESSES, None), chosen=(pid or 0, 0))


def _record(state: State, view: View, chosen: Row | NodeRow | Range | None) -> State:
    pid = chosen.pid if isinstance(chosen, Row) else _process(view, state)
    return replace(state, asks_to_record=pid) if pid else replace(state, message="choose a process to record")


def _choose(choice: Choice, key: str, view: View) -> Choice:
    if key == "s":
        return replace(choice, sort=_next([*SORTS], choice.sort))
    if key == "f":
        return replace(choice, node=_next([None, *(node.id for node in view.nodes)], choice.node))
    if key == "c":
        keys = [None, *(column.key for column in view.header.events.columns)]
        return replace(choice, request=_next(keys, choice.request))
    return choice


def _next(values: list[Item], now: Item) -> Item:
    return values[(values.index(now) + 1) % len(values)]
