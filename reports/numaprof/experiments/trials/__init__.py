# SPDX-License-Identifier: Apache-2.0
"""`numaprof try`: placements proposed, runs made and judged."""
