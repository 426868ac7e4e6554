# SPDX-License-Identifier: Apache-2.0
"""Which fields of the document hold lists of rows, which one row, which plain values: as the model annotates them.

Annotations stay text, because Python 3.9 cannot evaluate `int | None`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

_LIST = re.compile(r"tuple\[(\w+), \.\.\.\]")


class Part(NamedTuple):
    name: str
    row: Any  # the dataclass it holds; None: plain
    many: bool
    note: str  # the annotation


@cache
def parts(kind: Any) -> tuple[Part, ...]:
    return tuple(_part(kind, field.name, str(field.type)) for field in fields(kind))


def _part(kind: type[Any], name: str, note: str) -> Part:
    many = _LIST.fullmatch(note)
    inner = many.group(1) if many else note.replace(" | None", "")
    row: Any = getattr(sys.modules[kind.__module__], inner, None)
    return Part(name, row if is_dataclass(row) else None, bool(many), note)
