# SPDX-License-Identifier: Apache-2.0
"""Command lines: argparse, with the messages and exit status of this tool."""

from __future__ import annotations

import argparse
import difflib
import os
import re
from typing import NoReturn

from numaprof.text.messages import Failure


class Parser(argparse.ArgumentParser):
    """Errors are Failures: one line, exit status 125."""

    def __init__(self, command: str, description: str, usage: str) -> None:
        super().__init__(f"numaprof {command}", description=description, usage=usage, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise Failure(message, self._meant(message) or f"see {self.prog} --help")

    def _meant(self, message: str) -> str | None:
        """The option that a mistyped one resembles."""
        mistyped = re.match(r"unrecognized arguments: (--[^\s=]+)", message)
        near = (
            difflib.get_close_matches(mistyped.group(1), self._option_string_actions, n=1, cutoff=0.75)
            if mistyped
            else []
        )
        return f"did you mean {near[0]}?" if near else None


def add_documents(parser: Parser) -> None:
    """The options of what report and diff write."""
    parser.add_argument(
        "--html", type=output_file, metavar="OUT", help="write one page that any browser opens, without a network"
    )
    parser.add_argument("--open", action="store_true", help="open the page")
    parser.add_argument(
        "--json",
        type=output_file,
        metavar="OUT",
        help="write everything that the page shows (docs/json.md); - is stdout",
    )
    parser.add_argument("--csv", type=output_folder, metavar="DIR", help="write the same as tables, one file each")
    parser.add_argument(
        "--schema", type=output_file, metavar="OUT", help="write the JSON Schema of --json, and nothing else"
    )


def percentage(text: str) -> float:
    """10% or 10 -> 0.1. A share between 0 and 1 would be read as a hundredth of what was meant: refused below 1 %."""
    digits = text[:-1] if text.endswith("%") else text
    try:
        value = float(digits)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage such as 10%") from None
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0% and 100%")
    if 0 < value < 1 and not text.endswith("%"):
        raise argparse.ArgumentTypeError(
            f"{text!r} could mean a fraction or a percentage: write {value:g}% or {value * 100:g}%"
        )
    return value / 100


def positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 1 << 20:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def natural(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) >= 1 << 20:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return int(text)


def thread_list(text: str) -> list[int]:
    """1,2,4-8: in this order, each once."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low, high = positive(first), positive(last if dash else first)
        if high < low or high - low > 4096:
            raise argparse.ArgumentTypeError(f"{part!r} is not a range of thread counts")
        numbers += range(low, high + 1)
    return list(dict.fromkeys(numbers))


def output_file(text: str) -> str:
    """Where a file can be made, or what can be written to; - is stdout. Refused before anything is read or run."""
    parent = os.path.dirname(_name(text)) or "."
    if os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; name a file")
    if text != "-" and not os.path.exists(text) and not os.path.isdir(parent):
        raise argparse.ArgumentTypeError(f"{text!r}: there is no folder {parent!r}")
    # A regular file is replaced; what is none, /dev/null say, is written to.
    written = text if os.path.exists(text) and not os.path.isfile(text) else parent
    if text != "-" and not os.access(written, os.W_OK, effective_ids=True):
        raise argparse.ArgumentTypeError(f"{text!r}: you may not write to {written!r}")
    return text


def output_folder(text: str) -> str:
    """It may be there already."""
    if os.path.lexists(_name(text)) and not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return text


def folder(text: str) -> str:
    if not os.path.isdir(_name(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a folder")
    return text


def part_of_name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("part of a name is needed, not nothing")
    return text


def pin_policy(text: str) -> str:
    """As run_options.c takes it. Whether the CPUs of a list are there, the recorder says."""
    if text not in ("compact", "scatter", "none") and not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text, re.ASCII):
        raise argparse.ArgumentTypeError(
            f"{text!r} is none of compact, scatter, none, or a list of CPUs such as 0,2,4-7"
        )
    return text


def _name(text: str) -> str:
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not a file name")
    return text
