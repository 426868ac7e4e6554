# SPDX-License-Identifier: Apache-2.0
"""report --schema, diff --schema: the JSON Schema of what --json writes."""

from __future__ import annotations

import json
from typing import Any

from numaprof.commands.writing.outputs import Output, write


def write_schema(output: Output, command: str) -> int:
    """command: report, diff or job. Only then are these modules loaded."""
    from numaprof.model.comparison_model import Comparison  # noqa: PLC0415
    from numaprof.model.job_diff_model import JobComparison  # noqa: PLC0415
    from numaprof.model.job_model import Job  # noqa: PLC0415
    from numaprof.model.json_schema import json_schema  # noqa: PLC0415
    from numaprof.model.report_model import Report  # noqa: PLC0415

    roots: dict[str, Any] = {
        "report": (Report, "report --json"),
        "diff": (Comparison, "diff --json"),
        "job": (Job, "job, report --json"),
        "job-diff": (JobComparison, "job-diff, diff --json"),
    }
    write(output, json.dumps(json_schema(*roots[command]), indent=1) + "\n")
    return 0
