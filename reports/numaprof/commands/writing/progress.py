# SPDX-License-Identifier: Apache-2.0
"""What the tool is doing, on stderr, once that takes longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from types import TracebackType

PATIENCE = 1.0  # seconds


class Progress:
    """`with Progress() as say: say("reading")`: silent while all is quick, then one line for each step."""

    def __init__(self) -> None:
        self._step = ""
        self._start = time.monotonic()
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        with suppress(RuntimeError):  # no thread can be made (ulimit -u, ulimit -v): then each step tells the time
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._timer.cancel()

    def __call__(self, step: str) -> None:
        self._step = step
        if time.monotonic() - self._start > PATIENCE:
            self._show()

    def _show(self) -> None:
        if self._step:
            print(f"numaprof: {self._step} …", file=sys.stderr, flush=True)
