# SPDX-License-Identifier: Apache-2.0
"""Opens files that another user may have exchanged for a FIFO or a device: none of these keeps the reader waiting."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_regular(path: str, flags: int = 0) -> BinaryIO:
    """OSError if it is no regular file."""
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | flags), "rb")  # noqa: SIM115
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "not a regular file", path)
