# SPDX-License-Identifier: Apache-2.0
"""Command line of the reports."""

from __future__ import annotations


def main() -> int:
    return 0
