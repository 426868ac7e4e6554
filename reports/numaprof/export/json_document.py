# SPDX-License-Identifier: Apache-2.0
"""The document as JSON: ASCII only, so that no terminal and no browser takes a name for anything but text."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any


def plain(value: Any) -> Any:
    """Dataclasses become objects with their fields in order, tuples lists, whole floats stay floats."""
    if is_dataclass(value):
        kind: Any = type(value)
        return {name: plain(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def to_json(document: object) -> str:
    return json.dumps(plain(document), indent=1, allow_nan=False) + "\n"
