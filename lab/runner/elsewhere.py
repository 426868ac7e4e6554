# SPDX-License-Identifier: Apache-2.0
"""Files that the command wrote outside of the working and the scratch folder: each goes to its place on the host."""

from __future__ import annotations

import shutil
from pathlib import Path

MOST_NAMED = 3


def put_in_place(brought: Path, root: Path = Path("/")) -> list[str]:
    """Moves the files below `brought` to the same paths below `root`. Returns what is lost of them, and why.

    A file that is there is the host's, and stays."""
    lost = [
        f"{place} ({why})"
        for path in sorted(brought.rglob("*"))
        if path.is_file()
        for place in [root / path.relative_to(brought)]
        if (why := _move(path, place))
    ]
    shutil.rmtree(brought, ignore_errors=True)
    return lost


def _move(path: Path, place: Path) -> str | None:
    """Why not, if not."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as copy, path.open("rb") as file:
            shutil.copyfileobj(file, copy)
        shutil.copymode(path, place)
    except FileExistsError:
        return "it is there already"
    except OSError as error:
        return error.strerror or str(error)
    return None


def in_words(lost: list[str]) -> str:
    more = len(lost) - MOST_NAMED
    return ", ".join(lost[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
