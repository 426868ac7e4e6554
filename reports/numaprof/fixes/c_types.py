# SPDX-License-Identifier: Apache-2.0
"""Types of C and C++ by their names: which are numbers, and which need no constructor."""

from __future__ import annotations

import re

from numaprof.fixes.c_text import split

SCALAR = (
    r"(?:(?:unsigned|signed|long|short|int|char|double|float|bool|_Bool|size_t|ssize_t|ptrdiff_t|real_t|std::size_t)\b\s*"
    r"|(?:std::)?u?int\d+_t\b\s*)+"
)
_NO_MEMBER = re.compile(r"\s*(?:static|using|typedef|friend)\b")
_MEMBER = re.compile(r"(?:.*[\s*])?(?:\(\s*\*\s*(\w+)\s*\)|(\w+))\s*(?:\[[^\[\]]*\]\s*)*(?:=.*)?", re.DOTALL)
_MOST_NAMES = 4  # typedefs of typedefs


def number(code: str, type_: str) -> bool:
    """A number, by its own name or by what the code says that its name stands for."""
    return re.fullmatch(SCALAR, f"{resolved(code, type_)} ") is not None


def is_plain(code: str, type_: str) -> bool:
    """A number, a pointer, or a structure of these: memory of it may be zeroed before it is used."""
    found = resolved(code, type_)
    if found.endswith("*") or re.fullmatch(rf"{SCALAR}|std::byte ", f"{found} "):
        return True
    name = re.escape(re.sub(r"^(?:struct|union|enum)\s+", "", found))
    body = re.search(rf"\b(?:struct|union)\s+{name}\s*\{{([^{{}}()=]*)\}}", code)
    body = body or re.search(rf"\btypedef\s+(?:struct|union)\s*\w*\s*\{{([^{{}}()=]*)\}}\s*{name}\s*;", code)
    if body is None:
        return re.search(rf"\benum\s+{name}\b", code) is not None
    fields = [each.strip() for each in body.group(1).split(";") if each.strip()]
    return all(re.match(rf"(?:const\s+|volatile\s+)*(?:{SCALAR}|[\w:]+\s*\*)", f"{each} ") for each in fields)


def members(code: str, type_: str) -> list[str]:
    """Names of a structure's members, in their order; none where it has more than these."""
    found = re.escape(re.sub(r"^(?:(?:const|struct)\s+)+", "", resolved(code, type_)))
    body = re.search(rf"\bstruct\s+{found}\s*\{{([^{{}}]*)\}}", code)
    body = body or re.search(rf"\btypedef\s+struct\s*\w*\s*\{{([^{{}}]*)\}}\s*{found}\s*;", code)
    fields = [each for each in body.group(1).split(";") if each.strip()] if body else []
    names = []
    for each in (part for field in fields if not _NO_MEMBER.match(field) for part in split(field)):
        name = _MEMBER.fullmatch(each)
        if name is None:
            return []
        names.append(name.group(1) or name.group(2))
    return names


def has_values(code: str, type_: str) -> bool:
    """Numbers that a constructor sets, and nothing that a destructor would have to do."""
    found = resolved(code, type_)
    if re.fullmatch(rf"(?:std::)?complex\s*<\s*{SCALAR}>", found):
        return True
    body = re.search(rf"\bstruct\s+{re.escape(found)}\s*\{{([^{{}}()]*)\}}", code)
    fields = [each.strip() for each in body.group(1).split(";") if each.strip()] if body else []
    return bool(fields) and all(re.match(rf"{SCALAR}\w", f"{each} ") for each in fields)


def is_parameter(code: str, type_: str) -> bool:
    """A parameter of a template: plain or not, as the compiler finds it."""
    return re.search(rf"\btemplate\s*<[^;{{}}]*\b(?:typename|class)\s+{re.escape(type_)}\b", code) is not None


def resolved(code: str, type_: str) -> str:
    """What a name for a type stands for, as far as the code tells."""
    found = re.sub(r"\b(?:const|volatile|restrict)\b", "", type_).strip()
    for _ in range(_MOST_NAMES):
        name = re.escape(found)
        other = re.search(rf"\btypedef\s+([\w\s:]+?[\s*]|std::complex\s*<[\w\s]+>)\s*{name}\s*;", code) or re.search(
            rf"\busing\s+{name}\s*=\s*([\w\s:]+\**|[\w:]+\s*<[^;{{}}]*>)\s*;", code
        )
        if other is None or not other.group(1).strip():
            break
        found = " ".join(other.group(1).split())
    return found
