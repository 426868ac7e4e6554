# SPDX-License-Identifier: Apache-2.0
"""Names of what belongs to a job. Apart, because every report asks."""

from __future__ import annotations

import os
from collections.abc import Sequence

RECORDING, MERGED = ".numaprof", ".ranks"


def is_job(path: str) -> bool:
    """What `report`, `check` and `diff` read as a job: a directory or a merged file."""
    return path.endswith(MERGED) or os.path.isdir(path)


def recording_path(sources: Sequence[str], name: str) -> str | None:
    """Where the recording of this name lies; None: in none of them, or the name, of a file from anybody, is a path."""
    if os.path.basename(name) != name:
        return None
    candidates = [os.path.join(source, name) for source in sources if os.path.isdir(source)]
    candidates += [source for source in sources if os.path.basename(source) == name]
    return next((path for path in candidates if os.path.isfile(path)), None)
