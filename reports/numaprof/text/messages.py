# SPDX-License-Identifier: Apache-2.0
"""Messages for people, on stderr: one line each, cause first, then the remedy. The twin of core/text/diag.h."""

from __future__ import annotations

import sys
from contextlib import suppress

from numaprof.text.format import clean

EXIT_FAILED = 125  # the tool itself failed, as env(1) has it

# `check` only. Below 125, not 120 (Python's own for a stdout that cannot be flushed), not 123 and 124 (xargs, timeout).
EXIT_LIMIT_EXCEEDED = 121
EXIT_CANNOT_SAY = 122


class Failure(Exception):
    """Ends the command: a cause, and a remedy where there is one. Texts are cleaned here."""

    def __init__(self, cause: str, remedy: str | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.remedy = remedy

    def line(self) -> str:
        parts = [self.cause] if self.remedy is None else [self.cause, self.remedy]
        return "numaprof: " + clean("; ".join(parts))


def complain(failure: Failure) -> int:
    with suppress(OSError):  # stderr may be a file on the same full disk: the status tells
        print(failure.line(), file=sys.stderr)
    return EXIT_FAILED
