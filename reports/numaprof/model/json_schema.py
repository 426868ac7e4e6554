# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a document, made from its dataclasses: annotations give the types, docstrings the descriptions."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from numaprof.model.fields import Part, parts

Schema = dict[str, Any]

_PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_FIELD = re.compile(r"(\w+): (.*)")
_TEXT = re.compile(r"['\"]([^'\"]*)['\"]")


def json_schema(root: Any, title: str) -> Schema:
    """Of a Report or a Comparison, whose module holds its VERSION."""
    version = sys.modules[root.__module__].VERSION
    shape = _shape(root)
    shape["properties"]["version"] = {"const": version, **_described(shape["properties"]["version"])}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:numaprof:{title.partition(' ')[0]}:{version}",
        "title": f"numaprof {title}",
        **shape,
        "$defs": {kind.__name__: _shape(kind) for kind in sorted(below(root), key=lambda kind: str(kind.__name__))},
    }


def below(root: Any) -> set[Any]:
    """All dataclasses below it."""
    found: set[Any] = set()
    waiting = [root]
    while waiting:
        below = {part.row for part in parts(waiting.pop()) if part.row is not None} - found
        found |= below
        waiting += below
    return found


def _shape(kind: Any) -> Schema:
    summary, texts = explained(kind)
    properties = {part.name: {**_type(part), **texts.get(part.name, {})} for part in parts(kind)}
    return {"description": summary, "type": "object", "required": list(properties), "properties": properties}


def _described(field: Schema) -> Schema:
    return {name: text for name, text in field.items() if name == "description"}


def _type(part: Part) -> Schema:
    if part.row is None:
        return _plain(part.note)
    reference = {"$ref": f"#/$defs/{part.row.__name__}"}
    if part.many:
        return {"type": "array", "items": reference}
    return {"anyOf": [reference, {"type": "null"}]} if part.note.endswith(" | None") else reference


def _plain(note: str) -> Schema:
    if note.startswith("tuple[") and note.endswith(", ...]"):
        return {"type": "array", "items": _plain(note[len("tuple[") : -len(", ...]")])}
    if note.startswith("Literal["):
        choices = _TEXT.findall(note)
        return {"type": "string", "enum": choices} if len(choices) > 1 else {"const": choices[0]}
    name, optional, _ = note.partition(" | None")
    return {"type": [_PLAIN[name], "null"] if optional else _PLAIN[name]}


def explained(kind: Any) -> tuple[str, dict[str, Schema]]:
    """The summary of its docstring, and what that and those of its bases say of each field."""
    texts = [inspect.cleandoc(base.__doc__).partition("\n\nFields:\n") for base in kind.__mro__[:-1]]
    fields = (field for _, _, text in texts for field in _fields(text))
    return " ".join(texts[0][0].split()), {name: {"description": text} for name, text in fields}


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """Each begins a line, four columns in; what goes on is indented further."""
    for entry in re.split(r"\n {4}(?! )", "\n" + text)[1:]:
        match = _FIELD.fullmatch(" ".join(entry.split()))
        if match is None:
            raise ValueError(f"not a field and its description: {entry!r}")
        yield match.group(1), match.group(2)
