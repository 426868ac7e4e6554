# SPDX-License-Identifier: Apache-2.0
"""Findings that no placement of an object answers. Each is one function: evidence in, at most one advice out."""

from __future__ import annotations

from collections.abc import Callable

from numaprof.evidence.evidence import Evidence
from numaprof.placement.advice import Advice
from numaprof.placement.settings import (
    dirty_lines,
    launcher_binding,
    migrated_threads,
    moved_pages,
    policy,
    slow_tier,
)

SETTINGS: tuple[Callable[[Evidence], Advice | None], ...] = (
    launcher_binding.rule,
    policy.rule,
    migrated_threads.rule,
    moved_pages.rule,
    slow_tier.rule,
    dirty_lines.rule,
)
