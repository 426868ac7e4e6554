# SPDX-License-Identifier: Apache-2.0
"""Vega, Vega-Lite and vega-embed as one script, from vl-convert, which carries them. The only user of vl-convert.

Putting the script together takes seconds, so it is kept beside the installed packages; `make` runs this file for that.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from numaprof.diag import Failure

_EXPORT = "window.vegaEmbed = vegaEmbed;"


def script() -> str:
    try:
        kept = Path(sys.prefix) / "share" / "numaprof" / f"vega-of-vl-convert-{version('vl-convert-python')}.js"
    except PackageNotFoundError:
        raise Failure("the page needs the Python package vl-convert-python", "pip install vl-convert-python") from None
    with suppress(OSError):
        return kept.read_text(encoding="utf-8")
    made = _made()
    with suppress(OSError):  # an installation that may not be written to makes it each time
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(made, encoding="utf-8")
    return made


def _made() -> str:
    import vl_convert  # noqa: PLC0415 (80 MB, needed once)

    text: str = vl_convert.javascript_bundle(_EXPORT)
    # What would end the script element, or begin a comment in it, in spellings that mean the same to JavaScript.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


if __name__ == "__main__":
    script()
