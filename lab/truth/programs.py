# SPDX-License-Identifier: Apache-2.0
"""What `make truth` runs: the example programs, and patterns of accesses whose objects compete."""

from __future__ import annotations

# Each dialect once; of Skylake the machine whose prefetcher fills the shared cache.
MACHINES = ("article", "westmere", "ring", "clusters", "tiered", "zen")

PROGRAMS: dict[str, tuple[str, ...]] = {
    "streamed": ("blend", "32", "0", "0", "6"),
    "strided": ("blend", "0", "32", "0", "6"),
    "random": ("blend", "0", "0", "32", "6"),
    "mixed": ("blend", "24", "24", "24", "4"),
    "thin": ("blend", "8", "0", "32", "4"),  # a fifth of the lines are streamed
    "sum": ("stores", "sum", "24", "4"),
    "log": ("stores", "log", "24", "4"),
    "sum_serial": ("sum_serial", "4", "32"),
    "sum_parallel": ("sum_parallel", "4", "32"),
    "sum_pthreads_serial": ("sum_pthreads_serial", "4", "32"),
    "fill_vector_serial": ("fill_vector_serial", "4", "32"),
    "new_array": ("new_array", "8", "32"),
    "heat": ("heat", "6", "1024"),
    "arena": ("arena", "4", "16"),
    "mismatch": ("mismatch", "4", "32"),
    "shared_table": ("shared_table", "2", "32"),
    "fork_server": ("fork_server", "4", "32"),
    "recycled": ("recycled", "8", "3"),
    "migrant": ("migrant", "4", "64"),
    "tiles": ("tiles", "8", "24"),
    "lopsided": ("lopsided", "4", "48"),
    "sparse": ("sparse", "3", "1000"),
    "growing": ("growing", "4", "32"),
    "in_cache": ("in_cache", "2000"),
}
# --long: threads of 5 s or more.
LONG: dict[str, tuple[str, ...]] = {
    "mixed": ("blend", "24", "24", "24", "36"),
    "sum_serial": ("sum_serial", "160", "32"),
    "sparse": ("sparse", "8", "1000"),
}
PATTERNS = ("streamed", "strided", "random", "mixed", "thin", "sum", "log")
