# SPDX-License-Identifier: Apache-2.0
"""report --schema, diff --schema: the JSON Schema of what --json writes."""

from __future__ import annotations

import json


def write_schema(path: str, command: str) -> int:
    """command: report or diff. Only then are these modules loaded."""
    from numaprof.commands.output_files import write_text  # noqa: PLC0415
    from numaprof.model.comparison_model import Comparison  # noqa: PLC0415
    from numaprof.model.json_schema import json_schema  # noqa: PLC0415
    from numaprof.model.report_model import Report  # noqa: PLC0415

    root = Report if command == "report" else Comparison
    write_text(path, json.dumps(json_schema(root, f"{command} --json"), indent=1) + "\n")
    return 0
