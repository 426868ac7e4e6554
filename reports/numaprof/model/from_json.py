# SPDX-License-Identifier: Apache-2.0
"""A dataclass of the model from its JSON, which may come from anybody.

What does not fit is a ValueError; texts are cleaned.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

from numaprof.model.fields import Part, parts
from numaprof.text.format import clean

Row = TypeVar("Row")


def from_json(kind: type[Row], value: object) -> Row:
    """Fields that the class does not know are left out: a newer writer may have added them."""
    if not isinstance(value, dict):
        raise ValueError(f"no {kind.__name__}")
    fields: tuple[Part, ...] = parts(kind)  # type: ignore[arg-type]
    return kind(**{part.name: _field(kind, part, value) for part in fields})


def _field(kind: type[Any], part: Part, value: dict[str, Any]) -> object:
    if part.name not in value:
        raise ValueError(f"{kind.__name__} lacks {part.name}")
    found = value[part.name]
    if part.row is not None:
        return (
            tuple(from_json(part.row, each) for each in _list(part, found)) if part.many else from_json(part.row, found)
        )
    if part.note.startswith("tuple["):
        if found is None and part.note.endswith("| None"):
            return None
        inner = part.note[len("tuple[") :].partition(",")[0]
        return tuple(_plain(part.name, inner, each) for each in _list(part, found))
    return _plain(part.name, part.note, found)


def _list(part: Part, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{part.name} is no list")
    return value


def _plain(name: str, note: str, value: Any) -> object:
    wanted, optional, _ = note.partition(" | None")
    if value is None and optional:
        return None
    if wanted.startswith("Literal["):
        if not isinstance(value, str) or f'"{value}"' not in wanted.replace("'", '"'):
            raise ValueError(f"{name} is {clean(str(value), 40)!r}")
        return value
    if wanted == "float" and isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    kinds: dict[str, type] = {"str": str, "int": int, "bool": bool}
    if wanted not in kinds or type(value) is not kinds[wanted]:
        raise ValueError(f"{name} is {clean(str(value), 40)!r}, no {wanted}")
    return clean(value) if isinstance(value, str) else value
