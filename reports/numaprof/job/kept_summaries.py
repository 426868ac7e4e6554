# SPDX-License-Identifier: Apache-2.0
"""Summaries that an earlier report of a job's directory made, in a file of that directory.

A line is a list: name, size and modification time of a recording, and its summary. A recording that changed has none.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress

from numaprof.job.summary_line import MOST_TEXT, from_line, to_line
from numaprof.model.rank_model import RankSummary
from numaprof.text.regular_file import open_regular

NAME = ".summaries"


def kept(folder: str) -> dict[str, RankSummary]:
    """Summaries by the path of their recording."""
    with suppress(OSError):
        return dict(_lines(folder))
    return {}


def _lines(folder: str) -> Iterator[tuple[str, RankSummary]]:
    with open_regular(os.path.join(folder, NAME)) as file:
        while line := file.readline(MOST_TEXT + 2):
            with suppress(ValueError, TypeError, OSError, RecursionError):  # damaged, or its recording has gone
                name, *state, text = json.loads(line)
                path = os.path.join(folder, os.path.basename(name))
                if state == _state(path):
                    yield path, from_line(text)


def keep(folder: str, summaries: Mapping[str, RankSummary]) -> None:
    """Where this user may write and nobody else can: a report of another user's directory leaves no file there."""
    file, own = os.path.join(folder, NAME), os.stat(folder)
    if own.st_uid != os.geteuid() or own.st_mode & stat.S_IWOTH or (os.path.lexists(file) and not os.path.isfile(file)):
        return
    with suppress(OSError):
        descriptor, temporary = tempfile.mkstemp(prefix=NAME, dir=folder)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as new:
                for path, summary in summaries.items():
                    new.write(json.dumps([os.path.basename(path), *_state(path), to_line(summary)]) + "\n")
            os.replace(temporary, file)  # a report at the same time reads the old file or the new one
        except BaseException:
            os.unlink(temporary)
            raise


def _state(path: str) -> list[int]:
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns]
