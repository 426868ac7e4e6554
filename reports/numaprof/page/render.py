# SPDX-License-Identifier: Apache-2.0
"""From templates to one file that needs nothing beside itself. The only user of Jinja2."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from numaprof.page import filters
from numaprof.page.vega_bundle import script as vega_script
from numaprof.text.format import cpus_in_text, percent, remote_word, round_percent, share_with_error
from numaprof.text.messages import Failure

HERE = Path(__file__).parent

try:
    import jinja2
    from jinja2.utils import htmlsafe_json_dumps
    from markupsafe import Markup
except ImportError:
    raise Failure("the page needs the Python package Jinja2", "pip install jinja2") from None


def page(template: str, data: dict[str, object], **context: object) -> str:
    """`data`: what the page's script reads, by name."""
    vega, own = vega_script(), (HERE / "page.js").read_text(encoding="utf-8")
    found = _environment().get_template(template)
    return found.render(
        **context,
        data={name: value for name, value in data.items() if value},
        policy=_policy(vega, own),
        style=Markup((HERE / "style.css").read_text(encoding="utf-8")),
        vega=Markup(vega),
        script=Markup(own),
    )


@cache  # it keeps the compiled templates: compiling takes most of the time of a page, and a job has many pages
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    named: dict[str, Any] = {
        "percent": percent,
        "round_percent": round_percent,
        "words": filters.words,
        "nodes": filters.nodes,
        "nodes_or_none": filters.nodes_or_none,
        "cpus": cpus_in_text,
        "step": filters.step,
        "sentence": filters.sentence,
        "alternatives": filters.alternatives,
        "unbroken": filters.unbroken,
        "with_error": filters.with_error,
        "remote_word": remote_word,
        "share_with_error": share_with_error,
        "first_word": lambda text: "accesses" if (text or "").startswith("sampled") else "requests",
        "script_json": lambda value: htmlsafe_json_dumps(value, separators=(",", ":")),
    }
    environment.filters.update(named)
    environment.globals.update(marks=filters.marks, legend=filters.LEGEND)
    return environment


def _policy(*scripts: str) -> str:
    """Only these scripts run, and nothing is fetched from anywhere. Vega compiles its expressions: unsafe-eval."""
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
