# SPDX-License-Identifier: Apache-2.0
"""Source text is taken apart as a compiler would."""

from __future__ import annotations

import pytest
from numaprof.fixes.c_text import once_only, split


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


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("n * sizeof *a", False),
        ("graph.num_nodes() + 1, p->size()", False),
        ("static_cast<size_t>(n) * std::max(a, b)", False),
        ("uint64_t(n) * MAX(a, b) * (n <= 3) * (m == n)", False),
        ("n++", True),
        ("(n = 3) * 8", True),
        ("read_count(file) * 8", True),
        ("io::next<int>()", True),
        ("s->next()", True),
        ("file.Read(4) * 8", True),
        ("list.pop<int>() + v.size()", True),
        ("m.rows() * m->nCols() + grid.getLocalSize()", False),
        ("mesh.get_num_cells() + v.at(3) + a.n()", False),
    ],
)
def test_what_may_change_something_is_evaluated_once(text: str, once: bool) -> None:
    assert once_only(text) == once
