# SPDX-License-Identifier: Apache-2.0
"""Source text is taken apart as a compiler would."""

from __future__ import annotations

import pytest
from numaprof.fixes.c_text import split


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("2 << 20, n * sizeof *a", ["2 << 20", "n * sizeof *a"]),
        ("1<<20, n >> 2, m", ["1<<20", "n >> 2", "m"]),
        ("std::map<int, long> a, b", ["std::map<int, long> a", "b"]),
        ("vector<pair<int, int>>(n, 0), p->size", ["vector<pair<int, int>>(n, 0)", "p->size"]),
        ("f(a, b), g[c, d]", ["f(a, b)", "g[c, d]"]),
        ("i < n, j > m, k", ["i < n", "j > m", "k"]),
        ("", [""]),
    ],
)
def test_arguments_are_split_outside_of_brackets(text: str, parts: list[str]) -> None:
    assert split(text) == parts
