# SPDX-License-Identifier: Apache-2.0
"""numaprof topology --html: a page of this machine. The C program reads and measures; its JSON becomes the page."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Sequence

from numaprof.commands.arguments import Parser
from numaprof.commands.writing.outputs import PAGE, write
from numaprof.experiments.run_once import numaprof_program

USAGE = "numaprof topology --html OUT [options of numaprof topology]"


def main(arguments: Sequence[str]) -> int:
    parser = Parser("topology", "Writes a page: nodes, distances and what was measured.", USAGE)
    parser.add_output("--html", PAGE, required=True, help="the page")
    options, rest = parser.parse_known_args(arguments)
    # Ctrl-C ends the measuring; what was measured so far is still written.
    signal.signal(signal.SIGINT, lambda *_: None)
    done = subprocess.run(
        [numaprof_program(), "topology", "--json", *rest], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.stdout:
        from numaprof.page.topology_page import topology_page  # noqa: PLC0415 (needs more packages than the rest)

        write(options.html, topology_page(json.loads(done.stdout)))
    return done.returncode if done.returncode >= 0 else 128 - done.returncode
