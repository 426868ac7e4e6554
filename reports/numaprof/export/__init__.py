# SPDX-License-Identifier: Apache-2.0
"""Recordings for other people's tools: pprof, folded stacks, Perfetto. docs/exports.md."""
