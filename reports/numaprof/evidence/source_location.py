# SPDX-License-Identifier: Apache-2.0
"""Source locations that a report names. recording/sql/sql_locations.py chooses one for each call stack (best_place)."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from numaprof.recording.sql.sql_locations import RUNTIME_MODULES, Place
from numaprof.text.function_names import without_arguments, without_variant

MADE_AT_RUN_TIME = "[anonymous code]"  # in recordings: code of a just-in-time compiler
GENERATED = "generated code"  # ... for people


class Site(NamedTuple):
    """A place as people name it. Equal sites are one, whatever instructions they came from. A key of many dictionaries:
    the hash of a tuple takes a tenth of a dataclass's."""

    function: str | None
    file: str | None = None
    line: int | None = None
    module: str | None = None

    @property
    def position(self) -> str:
        """sum.c:17, or the best there is: main in libsum.so, libsum.so+0x40, unknown place."""
        if self.file is not None and self.line is not None:
            return f"{os.path.basename(self.file)}:{self.line}"
        module = os.path.basename(self.module) if self.module else None
        if self.module == MADE_AT_RUN_TIME:
            return GENERATED if self.function is None else _python_function(self.function)
        if self.function is not None:
            is_libc = module is not None and module.startswith(("libc.so", "libc-"))
            function = without_arguments(without_variant(self.function) if is_libc else self.function)
            return f"{function} in {module}" if module else function
        if module is not None and ".so" in module and (self.module or "").startswith(("/lib", "/usr/lib")):
            return f"a function of {module.partition('+0x')[0]}"  # nobody knows an address in it
        return module or "unknown place"

    @property
    def label(self) -> str:
        return f"{self.position} {self.function}" if self.line is not None and self.function else self.position


def _python_function(name: str) -> str:
    """w.py fill, of py::fill:/home/u/w.py, as CPython calls it with -X perf."""
    function, colon, file = name.removeprefix("py::").partition(":")
    return f"{os.path.basename(file)} {function}" if colon and name.startswith("py::") else name


UNKNOWN = Site(None)
ELSEWHERE = Site("elsewhere")


# Files and mappings of the preload library; in a program that runs from a memory file the name has a prefix.
_LIBRARY = ("libnumaprof-preload.so", "memfd:libnumaprof-preload.so", "memfd:numaprof")


@lru_cache(1024)
def is_library(path: str | None) -> bool:
    """The preload library, which is in the program to observe it."""
    return os.path.basename(path or "").startswith(_LIBRARY)


def site_of(place: Place) -> Site:
    if is_library(place.module) or is_runtime(place.module) or _is_of_go(place):
        return Site(place.function, module=place.module)
    if place.file is not None and place.line and not _is_assembler_of_system(place):
        return Site(place.function, place.file, place.line)
    if place.function is not None or place.module is None or place.address is None:
        return Site(place.function, module=place.module)
    if place.module == MADE_AT_RUN_TIME:  # each run has other addresses: one row for all
        return Site(None, module=place.module)
    return Site(None, module=place_in(place.module, place.address))


@lru_cache(1024)
def is_runtime(path: str | None) -> bool:
    """An interpreter or a virtual machine, whose own lines nobody wants to see."""
    parts = (path or "").split("/")
    return any(fnmatchcase("/".join(parts[-1 - name.count("/") :]), name) for name in RUNTIME_MODULES)


def _is_of_go(place: Place) -> bool:
    """Of Go's runtime, which is part of each program; sql_locations.py has the same words."""
    own = (place.function or "").startswith(("runtime.", "internal/"))
    return own and (place.file or "").endswith((".go", ".s"))


def _is_assembler_of_system(place: Place) -> bool:
    """memset of libc: its function says more than its line."""
    return (place.module or "").startswith(("/lib", "/usr/lib")) and (place.file or "").endswith((".S", ".s"))


def place_in(module: str, address: int) -> str:
    """module+0x40. Addresses of the kernel's own are absolute, other at each boot, and negative in a database: they say
    nothing."""
    return f"{module}+{address:#x}" if address >= 0 else module
