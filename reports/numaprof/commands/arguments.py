# SPDX-License-Identifier: Apache-2.0
"""Command lines: argparse, with the messages and exit status of this tool."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from numaprof.commands.writing.outputs import (
    JSON,
    PAGE,
    SCHEMA,
    STDOUT,
    TABLE,
    Format,
    Output,
    WouldBeLost,
    check_output,
)
from numaprof.text.messages import Failure


class Parser(argparse.ArgumentParser):
    """Errors are Failures: one line, exit status 125.

    reads: the argument that names the files that the command reads, if it reads any.
    """

    def __init__(self, command: str, description: str, usage: str, reads: str | None = None) -> None:
        super().__init__(f"numaprof {command}", description=description, usage=usage, allow_abbrev=False)
        self.outputs: dict[str, tuple[str, Format | Callable[[argparse.Namespace], Format]]] = {}
        self._reads = reads
        self._given: tuple[str, ...] = ()

    def add_output(self, option: str, format_: Format | Callable[[argparse.Namespace], Format], **more: Any) -> None:
        """An option that names a file, or a folder of files, to be written. Its value becomes an Output."""
        many = isinstance(format_, Format) and format_.many
        action = self.add_argument(option, metavar="DIR" if many else "OUT", **more)
        self.outputs[action.dest] = (option, format_)

    def parse_known_args(  # type: ignore[override]  # (argparse calls it with these two)
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Every way to parse comes here: an output is refused before anything is read or run."""
        self._given = self._given or tuple(sys.argv[1:] if args is None else args)
        options, rest = super().parse_known_args(args, namespace)
        inputs = self._inputs(options)
        taken: dict[str, str] = {}
        for dest, (option, format_) in self.outputs.items():
            named = getattr(options, dest)
            if named is not None:  # an Output: parse_intermixed_args parses twice, first without the inputs
                path = named.path if isinstance(named, Output) else named
                output = self.output(option, path, format_ if isinstance(format_, Format) else format_(options), inputs)
                setattr(options, dest, output)
                self._check_taken(output, taken)
        return options, rest

    def output(self, option: str, path: str, format_: Format, inputs: Sequence[str]) -> Output:
        """Failure: nothing can be written there, or what stands there would be lost."""
        try:
            (output_folder if format_.many else output_file)(path)
            return check_output(option, path, format_, inputs)
        except argparse.ArgumentTypeError as error:
            self.error(f"argument {option}: {error}")
        except WouldBeLost as lost:
            meant = self._meant_to_read(path, format_) if lost.is_recording and not inputs else None
            raise Failure(lost.cause, meant or lost.remedy) from None

    def _inputs(self, options: argparse.Namespace) -> list[str]:
        files = getattr(options, self._reads or "", None) or []
        return [files] if isinstance(files, str) else list(files)

    def _meant_to_read(self, path: str, format_: Format) -> str | None:
        """Other tools read the file that stands behind such an option: the same command, with the file as its input."""
        if self._reads is None:
            return None
        to = STDOUT if format_.ending == STDOUT else os.path.splitext(path)[0] + format_.ending
        rest = [word.removesuffix(path) + to if word.endswith(path) else word for word in self._given]
        return shlex.join([*self.prog.split(), path, *rest])

    @staticmethod
    def _check_taken(output: Output, taken: dict[str, str]) -> None:
        """Two outputs of one command cannot be one file."""
        if output.is_stdout or (os.path.exists(output.path) and not os.path.isfile(output.path)):
            return
        place = os.path.realpath(output.path)
        if place in taken:
            raise Failure(f"{taken[place]} and {output.option} name the same file", "give each a name of its own")
        taken[place] = output.option

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
    parser.add_output("--html", PAGE, help="write one page that any browser opens, without a network")
    parser.add_argument("--open", action="store_true", help="open the page")
    parser.add_output("--json", JSON, help="write everything that the page shows (docs/json.md); - is stdout")
    parser.add_output("--csv", TABLE, help="write the same as tables, one file each")
    parser.add_output("--schema", SCHEMA, help="write the JSON Schema of --json, and nothing else")


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
