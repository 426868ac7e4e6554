# SPDX-License-Identifier: Apache-2.0
"""Files of the user's without line numbers: built without -g, or stripped."""

from __future__ import annotations

import os
from collections import defaultdict

from numaprof.evidence.evidence import Evidence
from numaprof.evidence.source_location import is_library, is_runtime
from numaprof.text.format import clean

PART = 0.1  # of the first touches, or of the remote requests sampled: less than that hides no answer
MOST_FILES = 3
_SYSTEM = ("/lib", "/usr/")  # comes without debug information, and nobody changes its lines


def without_lines(evidence: Evidence) -> list[str]:
    """Their names, those that matter."""
    touched = [(site.site, site.pages) for site in evidence.init_sites]
    caused = [(row.site, row.events) for row in evidence.samples.caused]
    found: list[str] = []
    for sites in (touched, caused):
        total = sum(amount for _, amount in sites)
        sums: dict[str, float] = defaultdict(float)
        for site, amount in sites:
            file = _file_of(site.module or "")
            users = file.startswith("/") and not file.startswith(_SYSTEM)
            if site.line is None and users and not is_library(file) and not is_runtime(file):
                sums[file] += amount
        found += [file for file, amount in sums.items() if amount >= PART * total]
    return [clean(os.path.basename(file), 40) for file in dict.fromkeys(found)][:MOST_FILES]


def _file_of(module: str) -> str:
    """Of FILE+0x40, as a place without a name is called."""
    file, plus, offset = module.rpartition("+")
    return file if plus and offset.startswith("0x") else module
