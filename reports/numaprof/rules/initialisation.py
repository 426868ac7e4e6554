# SPDX-License-Identifier: Apache-2.0
"""How to say "initialise it where it is used" in the program's own terms: OpenMP, threads, processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from numaprof.analysis.naming import positions, site_position
from numaprof.analysis.object_users import Team
from numaprof.evidence.access_patterns import Shape
from numaprof.evidence.samples import LibraryCall
from numaprof.evidence.source_location import Site
from numaprof.text.format import words
from numaprof.text.function_names import library_function

_FORTRAN = (".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18")


@dataclass(frozen=True)
class Initialisation:
    """What is known of it, and of the use that it should be made for."""

    sites: tuple[Site, ...]
    use: Site | None
    shape: Shape
    team: Team
    calls: Mapping[Site, LibraryCall]  # what sites call that does the touching
    command: str
    grows: bool  # the allocator copies what was there to a larger place, again and again

    @property
    def call(self) -> LibraryCall | None:
        """Of the place that touches most."""
        return self.calls.get(self.sites[0]) if self.sites else None

    @property
    def contained(self) -> bool:
        """A container of C++ touches."""
        return self.call is not None and self.call.container

    @property
    def calling(self) -> tuple[Site, ...]:
        """Places that call alike: a container each, or functions."""
        return tuple(site for site in self.sites if site in self.calls and self.calls[site].container == self.contained)

    @property
    def callees(self) -> str:
        return words(list(dict.fromkeys(library_function(self.calls[site].function) for site in self.calling)))

    @property
    def reallocated(self) -> bool:
        """The program asks for more again and again, not a container for it."""
        return self.grows and not self.contained

    @property
    def where(self) -> str:
        return positions(self.sites)

    @property
    def loop(self) -> str:
        return f"the loop at {site_position(self.use)}" if self.use is not None else "the loop that uses it"

    @property
    def loops(self) -> str:
        return f"the outermost loop{'s' if self.sites[1:] else ''} at {self.where}"

    @property
    def fortran(self) -> bool:
        return any(os.path.splitext(site.file or "")[1].lower() in _FORTRAN for site in self.sites)


def change(init: Initialisation) -> str:
    return _CHANGE[init.team](init)


def code(init: Initialisation) -> tuple[str, ...]:
    return _CODE[init.team](init)


_BY_ONE = "One thread alone uses it: let that thread initialise it, and not the one that does so now."
# What counts is who writes first, not what.
_ZEROS_FIRST = " Where its values must come in order (a file, random numbers), write zeros that way first."


def _openmp_change(init: Initialisation) -> str:
    if init.shape is Shape.ONE:
        return _BY_ONE
    text = f"Initialise it in parallel, divided among the threads as {init.loop} divides it."
    if init.reallocated:
        return f"{text} {_grows(init)} copy it once, in parallel, to memory of its final size:"
    if init.fortran:
        return f"{text} Whole arrays that are assigned at once (a = 0) need a loop for it.{_ZEROS_FIRST}"
    if init.call is None:
        return text + _ZEROS_FIRST
    if init.contained:
        return text + _container(init)
    # Compilers turn loops that fill or copy into calls: the recording cannot tell which one the source has.
    values = _in_order(init)
    return (
        f"{text} What touches is {init.callees}: if that is called at {positions(init.calling)}, let each thread call "
        f"it for its own block; if there is a loop, with OpenMP and a static schedule{'.' if values else ':'}{values}"
    )


def _container(init: Initialisation) -> str:
    verb = "write" if " and " in init.callees else "writes"
    where = positions(init.calling)
    return f" {init.callees} {verb} all of it at {where}, in one thread: allocate without writing, then fill."


def _in_order(init: Initialisation) -> str:
    """What allocates, or sets all bytes to one value, knows no order."""
    return "" if init.callees in ("memset", "calloc", "operator new", "operator new[]") else _ZEROS_FIRST


def _grows(init: Initialisation) -> str:
    return (
        f"It grows while one thread fills it at {init.where}: allocate it at its final size before, or, where that is "
        "not known,"
    )


def _openmp_code(init: Initialisation) -> tuple[str, ...]:
    if init.shape is Shape.ONE:
        return ()
    chunk = ", CHUNK" if init.shape is Shape.INTERLEAVED else ""
    if init.fortran:
        pragma = f"!$omp parallel do schedule(static{chunk})"
    else:
        pragma = f"#pragma omp parallel for schedule(static{chunk})"
    like = f", CHUNK as at {site_position(init.use)}" if chunk and init.use is not None else ""
    if init.contained:
        return (*_raw_array(init), f"{pragma}      above the loop that fills it{_beside(init)}{like}")
    if init.grows:
        return (f"{pragma}      above a loop that copies it to malloc(bytes){like}",)
    return (f"{pragma}      above {init.loops}{like}",)


def _raw_array(init: Initialisation) -> tuple[str, ...]:
    where = positions(init.calling)
    return (f"std::unique_ptr<T[]> a(new T[n]);      for the container at {where}: new T[n] writes nothing (plain T)",)


def _beside(init: Initialisation) -> str:
    """Places that write by themselves."""
    loops = [site for site in init.sites if site not in init.calling]
    return f", and above the outermost loop{'s' if loops[1:] else ''} at {positions(loops)}" if loops else ""


def _threads_change(init: Initialisation) -> str:
    if init.shape is Shape.ONE:
        return _BY_ONE
    text = "Let each thread initialise the part that it uses later, before it begins to use it."
    if init.reallocated:
        return f"{text} {_grows(init)} let each thread copy its part to memory of the final size:"
    if init.call is None:
        return text + _ZEROS_FIRST
    if init.contained:
        return text + _container(init)
    where = positions(init.calling)
    return f"{text} What touches is {init.callees}, called at {where}, or made of a loop there.{_in_order(init)}"


def _threads_code(init: Initialisation) -> tuple[str, ...]:
    if init.shape is Shape.ONE:
        return ()
    raw = _raw_array(init) if init.contained else ()
    before = f"in each thread, before {site_position(init.use)}" if init.use is not None else "in each thread"
    what = (
        "copies it to malloc(bytes)" if init.reallocated else f"what {init.where} {'do' if init.sites[1:] else 'does'}"
    )
    return (*raw, f"for (i = my_first; i < my_end; i++)      {what}, {before}")


def _processes_change(init: Initialisation) -> str:
    return (
        "Let each process initialise after fork what it uses (a page that a child writes first comes from the child's "
        "node). What they all only read, spread over the nodes before they are forked:"
    )


def _processes_code(init: Initialisation) -> tuple[str, ...]:
    return (f"numactl --interleave=all {init.command}",)


_CHANGE = {Team.OPENMP: _openmp_change, Team.THREADS: _threads_change, Team.PROCESSES: _processes_change}
_CODE = {Team.OPENMP: _openmp_code, Team.THREADS: _threads_code, Team.PROCESSES: _processes_code}
