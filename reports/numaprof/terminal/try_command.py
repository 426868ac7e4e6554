# SPDX-License-Identifier: Apache-2.0
"""The command that tries an advice, as it works where the report is read."""

from __future__ import annotations

import os

from numaprof.text.format import shell_path

MACHINE_VARIABLE = "NUMAPROF_MACHINE"  # set inside of the emulated machine, to its name


def try_command(emulated: str | None) -> str:
    """emulated: the emulated machine of the recording. Its nodes are there only."""
    if emulated is None or os.environ.get(MACHINE_VARIABLE) == emulated:
        return "numaprof try"
    return f"numaprof lab --machine {shell_path(emulated)} -- numaprof try"
