# SPDX-License-Identifier: Apache-2.0
"""What a failed test says, in one line."""

from __future__ import annotations

import pytest


def cause(report: pytest.TestReport) -> str:
    """The first line of what a failed test says, and where."""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = str(crash.message if crash else report.longreprtext).strip().splitlines()
    return f"{lines[0] if lines else ''} ({crash.path}:{crash.lineno})" if crash else "".join(lines[-1:])
