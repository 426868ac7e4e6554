# SPDX-License-Identifier: Apache-2.0
"""Vega, Vega-Lite and vega-embed as one script, from vl-convert, which carries them. The only user of vl-convert.

Putting the script together takes seconds, so it is kept: `make` runs this file for that, and `make install` installs
the script and not the 80 MB that it comes from.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from numaprof.text.messages import Failure

INSTALLED = "vega.js"  # beside this file, where make install put it
_EXPORT = "window.vegaEmbed = vegaEmbed;"


def script() -> str:
    with suppress(OSError):
        return (Path(__file__).parent / INSTALLED).read_text(encoding="utf-8")
    with suppress(OSError):
        return kept().read_text(encoding="utf-8")
    made = _made()
    with suppress(OSError):  # an environment that may not be written to makes it each time
        kept().parent.mkdir(parents=True, exist_ok=True)
        kept().write_text(made, encoding="utf-8")
    return made


def kept() -> Path:
    """In the environment, by the version of what it comes from."""
    try:
        found = version("vl-convert-python")
    except PackageNotFoundError:
        raise Failure("the page needs the Python package vl-convert-python", "pip install vl-convert-python") from None
    return Path(sys.prefix) / "share" / "numaprof" / f"vega-of-vl-convert-{found}.js"


def _made() -> str:
    import vl_convert  # noqa: PLC0415 (80 MB, needed once)

    text: str = vl_convert.javascript_bundle(_EXPORT)
    # What would end the script element, or begin a comment in it, in spellings that mean the same to JavaScript.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


if __name__ == "__main__":
    script()
