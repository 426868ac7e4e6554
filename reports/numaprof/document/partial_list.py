# SPDX-License-Identifier: Apache-2.0
"""The rows of a list that are told, and how many are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True)
class Listed(Generic[Row]):
    rows: tuple[Row, ...]
    not_listed: int
