# SPDX-License-Identifier: Apache-2.0
"""A profile for pprof, Pyroscope and Parca: gzipped profile.proto with labels for thread, node, kind and placement."""

from __future__ import annotations

import gzip
from datetime import datetime
from typing import Any

from numaprof.export.pprof_format import profile_message
from numaprof.model.profile_model import VALUES, Frame, Profile, Row


def pprof(profile: Profile) -> bytes:
    writer = _Writer(profile)
    for row in profile.rows:
        if any(row.values):
            writer.sample(row)
    # No time in the gzip header: the same recording gives the same bytes.
    return gzip.compress(writer.finished(), mtime=0)


class _Writer:
    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._message: Any = profile_message()()
        self._strings: dict[str, int] = {"": 0}
        self._locations: dict[int, int] = {}
        self._functions: dict[tuple[str, str], int] = {}
        self._mappings: dict[str, int] = {}
        self._paths: dict[int | None, list[int]] = {}
        for value in VALUES:
            self._message.sample_type.add(type=self._text(value.name), unit=self._text(value.unit))
        if profile.main_module is not None:
            self._mapping(profile.main_module, "")  # readers take the first for the program

    def sample(self, row: Row) -> None:
        sample = self._message.sample.add(location_id=self._path(row.stack), value=row.values)
        labels = {"thread": row.thread, "kind": row.kind, "placement": row.placement}
        if row.node is not None:
            labels["node"] = str(row.node)
        for key, text in labels.items():
            sample.label.add(key=self._text(key), str=self._text(text))

    def finished(self) -> bytes:
        message, profile = self._message, self._profile
        message.time_nanos = _time(profile.started_at)
        message.duration_nanos = profile.wall_ns or 0
        message.default_sample_type = self._text(profile.main_value.name)
        message.comment.append(self._text("Values are what samples stand for; see numaprof report for coverage."))
        message.string_table.extend(self._strings)
        found: bytes = message.SerializeToString(deterministic=True)
        return found

    def _text(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def _path(self, stack: int | None) -> list[int]:
        if stack not in self._paths:
            self._paths[stack] = [self._location(place) for place in self._profile.stacks.path(stack)]
        return self._paths[stack]

    def _location(self, place: int) -> int:
        if place not in self._locations:
            self._locations[place] = number = len(self._locations) + 1
            frames = self._profile.stacks.inlined(place)
            module = next((frame.module for frame in frames if frame.module), "")
            build_id = next((frame.build_id for frame in frames if frame.build_id), None)
            address = next((frame.address for frame in frames if frame.address is not None), 0)
            location = self._message.location.add(id=number, address=address & ((1 << 64) - 1))
            if module:
                location.mapping_id = self._mapping(module, build_id or "")
            for frame in frames:
                location.line.add(function_id=self._function(frame), line=frame.line or 0)
        return self._locations[place]

    def _function(self, frame: Frame) -> int:
        key = (frame.name, frame.file or "")
        if key not in self._functions:
            self._functions[key] = number = len(self._functions) + 1
            name = self._text(key[0])
            self._message.function.add(id=number, name=name, system_name=name, filename=self._text(key[1]))
        return self._functions[key]

    def _mapping(self, module: str, build_id: str) -> int:
        """Addresses are offsets in the file. What has functions is not symbolised again by readers."""
        if module not in self._mappings:
            self._mappings[module] = number = len(self._mappings) + 1
            self._message.mapping.add(
                id=number,
                filename=self._text(module),
                build_id=self._text(build_id),
                memory_limit=(1 << 63) - 1,
                has_functions=True,
                has_filenames=True,
                has_line_numbers=True,
                has_inline_frames=True,
            )
        return self._mappings[module]


def _time(started_at: str) -> int:
    try:
        return int(datetime.fromisoformat(started_at.replace("Z", "+00:00")).timestamp() * 1e9)
    except ValueError:
        return 0
