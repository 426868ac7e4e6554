# SPDX-License-Identifier: Apache-2.0
"""Source locations that a report names. recording/sql/sql_locations.py chooses one for each call stack (best_place)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase

from numaprof.recording.sql.sql_locations import RUNTIME_MODULES, Place
from numaprof.text.function_names import without_variant


@dataclass(frozen=True)
class Site:
    """A place as people name it. Equal sites are one, whatever instructions they came from."""

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
        if self.function is not None:
            is_libc = module is not None and module.startswith(("libc.so", "libc-"))
            function = without_variant(self.function) if is_libc else self.function
            return f"{function} in {module}" if module else function
        return module or "unknown place"

    @property
    def label(self) -> str:
        return f"{self.position} {self.function}" if self.line is not None and self.function else self.position


UNKNOWN = Site(None)
ELSEWHERE = Site("elsewhere")


# Files and mappings of the preload library; in a program that runs from a memory file the name has a prefix.
_LIBRARY = ("libnumaprof-preload.so", "memfd:libnumaprof-preload.so", "memfd:numaprof")


def is_library(path: str | None) -> bool:
    """The preload library, which is in the program to observe it."""
    return os.path.basename(path or "").startswith(_LIBRARY)


def site_of(place: Place) -> Site:
    if is_library(place.module) or is_runtime(place.module):
        return Site(place.function, module=place.module)
    if place.file is not None and place.line and not _is_assembler_of_system(place):
        return Site(place.function, place.file, place.line)
    if place.function is not None or place.module is None or place.address is None:
        return Site(place.function, module=place.module)
    return Site(None, module=place_in(place.module, place.address))


def is_runtime(path: str | None) -> bool:
    """An interpreter or a virtual machine, whose own lines nobody wants to see."""
    return any(fnmatchcase(os.path.basename(path or ""), name) for name in RUNTIME_MODULES)


def _is_assembler_of_system(place: Place) -> bool:
    """memset of libc: its function says more than its line."""
    return (place.module or "").startswith(("/lib", "/usr/lib")) and (place.file or "").endswith((".S", ".s"))


def place_in(module: str, address: int) -> str:
    """module+0x40. Addresses of the kernel's own are absolute, other at each boot, and negative in a database: they say
    nothing."""
    return f"{module}+{address:#x}" if address >= 0 else module
