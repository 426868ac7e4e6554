# SPDX-License-Identifier: Apache-2.0
"""Prints what was tried and what held, as the table of docs/dev/hostile.md."""

from __future__ import annotations

import os

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for word in ("passed", "failed") for report in terminalreporter.stats.get(word, [])]
    found = [value for report in reports for name, value in report.user_properties if name == "hostile"]
    if not found or "HOSTILE" not in os.environ:
        return
    terminalreporter.section(f"HOSTILE_SEED={os.environ.get('HOSTILE_SEED', '1')}")
    lines = ["| attack | promise | tried | survived |", "|---|---|---|---|"]
    lines += [f"| {name} | {promise} | {tried} | {survived} |" for name, promise, tried, survived in sorted(found)]
    lines += [f"| all | | {sum(row[2] for row in found)} | {sum(row[3] for row in found)} |"]
    terminalreporter.write_line("\n".join(lines))
