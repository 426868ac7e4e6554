# SPDX-License-Identifier: Apache-2.0
"""Long output through a pager, where a person reads it: $PAGER, else less."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from numaprof.terminal.layout import Layout


@contextmanager
def paged() -> Iterator[Layout]:
    """Layout that is shown at the end of the block: at once where it fits the terminal, or where there is none."""
    if not sys.stdout.isatty():
        yield Layout()
        return
    text = io.StringIO()
    yield Layout(text, colour_of=sys.stdout)
    _show(text.getvalue())


def _show(text: str) -> None:
    command = shlex.split(os.environ.get("PAGER") or "less")
    long = text.count("\n") >= shutil.get_terminal_size().lines
    if long and command and command != ["cat"]:
        # -R: colours; -F: no pager for what fits after all; -X: the text stays when less ends.
        environment = {"LESS": "FRX", **os.environ}
        with suppress(OSError):
            subprocess.run(command, input=text, text=True, errors="backslashreplace", env=environment, check=False)
            return
    sys.stdout.write(text)
