# SPDX-License-Identifier: Apache-2.0
"""An advice: a decision, or a finding of settings/, in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from numaprof.evidence.evidence import Thread
from numaprof.evidence.objects import Object
from numaprof.evidence.source_location import Site
from numaprof.fixes.edit import Edit
from numaprof.placement.decide import Decision
from numaprof.source.request import Fix


class Kind(Enum):
    """In the order in which the reader should see them."""

    FIX = 1  # change the program
    SETTING = 2  # run it differently
    LEAVE = 3  # change nothing


class Remarked(NamedTuple):
    """A line of code, and where it goes or when it is the better one."""

    code: str
    remark: str


@dataclass(frozen=True)
class Advice:
    """One recommendation. Renderers take its subjects from the typed fields, never from its text."""

    kind: Kind
    finding: str  # what is the matter, with names of places and threads
    change: str  # what to do about it
    evidence: str  # what that rests on, and what it does not know
    code: tuple[str, ...] = ()  # the change as code or command
    edits: tuple[Edit, ...] = ()  # the same, where it is edits of the program's text
    fixes: tuple[Fix, ...] = ()  # the same by the syntax tree: code, patch, SARIF and JSON are made of these
    remarked: tuple[Remarked, ...] = ()  # more code, each line by itself
    removes: float | None = None  # share of all remote accesses that would be gone; None: not known
    concerns: float | None = None  # where none would be gone, but their price falls: share of them that this is about
    cause: str | None = None  # in a few words, where it is not who first touches the data
    expects: str | None = None  # what the change does where removes is not known: a sentence
    saves: str | None = None  # what that can be worth in time, a range with its assumptions
    shared: bool = False  # no thread has a part of the data: as much stays remote, wherever it is
    untriable: str = ""  # why no placement from outside imitates it, though it is about data
    objects: tuple[Object, ...] = ()  # the data it is about, most important first
    touched_at: tuple[Site, ...] = ()  # where that is first touched
    touched_by: Thread | None = None  # the thread that first touches most of it
    used_at: Site | None = None  # where it is used most
    threads: tuple[Thread, ...] = ()  # the threads that use it; without objects, the threads it is about
    decision: str = "setting"  # its kind (decide.py); of the findings in settings/: setting
    interval: tuple[float, float] | None = None  # 95 % of `removes`
    decisions: tuple[Decision, ...] = ()  # that this is the text of; empty: of a finding in settings/

    @property
    def can_be_tried(self) -> bool:
        """True if the advice is about data whose placement `numaprof try` can imitate."""
        kinds = ("heap", "mapping", "static")
        return self.kind is not Kind.LEAVE and not self.untriable and any(found.kind in kinds for found in self.objects)

    @property
    def benefit(self) -> float:
        return self.removes or self.concerns or 0.0
