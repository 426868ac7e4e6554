# SPDX-License-Identifier: Apache-2.0
"""Folded stacks, as flame graph tools take them: thread;outermost;...;innermost VALUE, one path a line."""

from __future__ import annotations

from collections import defaultdict

from numaprof.model.profile_model import VALUES, Profile, Value


def folded(profile: Profile, value: Value) -> str:
    at = VALUES.index(value)
    sums: dict[str, int] = defaultdict(int)
    paths: dict[int | None, str] = {}
    for row in profile.rows:
        if row.values[at]:
            if row.stack not in paths:
                paths[row.stack] = _path(profile, row.stack)
            sums[f"{_frame(row.thread)};{paths[row.stack]}"] += row.values[at]
    return "".join(f"{path} {amount}\n" for path, amount in sorted(sums.items()))


def _path(profile: Profile, stack: int | None) -> str:
    frames = [frame for place in profile.stacks.path(stack) for frame in profile.stacks.inlined(place)]
    return ";".join(_frame(frame.name) for frame in reversed(frames)) or "[no call stack]"


def _frame(name: str) -> str:
    """Semicolons separate frames."""
    return name.replace(";", ":")
