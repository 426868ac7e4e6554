# SPDX-License-Identifier: Apache-2.0
"""The command `numaprof events`: what it plans on every CPU (golden), and what wrong use gets."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Callable

import pytest
from conftest import PROGRAM
from test_catalogue import CPUS


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, "events", *arguments], capture_output=True, text=True, check=False)


def plan(*arguments: str) -> str:
    """All but the long table of events."""
    text = run(*arguments).stdout
    return text[: text.index("\nCLASS")]


@pytest.mark.parametrize("cpu", ["skylake-sp", "zen4", "neoverse-v2"])  # one of each kind of event
def test_plan(cpu: str, golden: Callable[[str, str], None]) -> None:
    golden(f"plan/{cpu}.txt", plan("--cpu", cpu) + "\nSPLIT SOCKETS\n" + plan("--cpu", cpu, "--split-sockets"))


def test_the_list_has_every_cpu() -> None:
    lines = run("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == CPUS
    assert [cpu["name"] for cpu in json.loads(run("--list", "--json").stdout)["cpus"]] == CPUS


def test_alternatives_are_shown_on_request() -> None:
    usual, everything = run("--cpu", "skx").stdout, run("--cpu", "skx", "--all").stdout
    assert "0x63b800001" not in usual and "and 24 alternative encodings" in usual
    assert "0x63b800001" in everything and "alternative encodings" not in everything
    assert "0x63b800001" in run("--cpu", "skx", "--json").stdout


def test_every_note_that_is_shown_is_used() -> None:
    usual = run("--cpu", "skx").stdout
    notes = [line.split()[0] for line in usual[usual.index("\nNOTES") :].splitlines()[2:]]
    assert notes and all(usual.count(note) > 1 for note in notes)
    assert "published" not in notes


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("SKX", "skylake-sp"),
        ("Sky Lake", "skylake-sp"),
        ("granite_rap", "graniterapids"),
        ("Zen-4", "zen4"),
        ("ivt", "ivybridge-ep"),
    ],
)
def test_names_may_be_short(given: str, found: str) -> None:
    assert run("--cpu", given).stdout.startswith(f"{found}: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--cpu", "zen9"], ['called "zen9"', "try zen1, zen2"]),
        (["--cpu", "zen"], ["several", "try zen1, zen2"]),
        (["--cpu", "i486"], ["--list"]),
        (["--cpu", "\x1b[31m\n"], ["\\x1b[31m\\x0a"]),
        (["--cpu"], ["no value given for --cpu", "--help"]),
        (["--frobnicate"], ["unknown option --frobnicate", "--help"]),
        (["skylake-sp"], ["unexpected argument skylake-sp", "--help"]),
        (["--check", "--cpu", "nope"], ["nope"]),
    ],
)
def test_wrong_use_gets_one_line(arguments: list[str], words: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (125, "", 1)
    assert all(word in done.stderr for word in words), done.stderr


def test_help() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("--cpu", "--list", "--json", "--all", "--check", "--split-sockets"))


def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [PROGRAM, "events", "--list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 125
    assert "No space left" in done.stderr


def test_json_has_the_documented_members() -> None:
    shown = json.loads(run("--cpu", "amd-10h", "--json").stdout)
    names = ["format", "version", "machine", "cpu", "split_sockets", "local", "answers", "groups", "events", "notes"]
    assert list(shown) == names
    assert (shown["format"], shown["version"]) == ("numaprof.events", 1)
    assert shown["machine"] is None
    assert shown["cpu"]["node_wide"] is True and shown["cpu"]["offcore"] is None
    assert len(shown["groups"]) == 3  # local and remote, then eight target nodes on four counters
    assert {event["config"] for event in shown["events"]} >= {"0x98e9", "0x1000080e0"}


@pytest.mark.parametrize(("cpu", "said"), [("nehalem-ep", True), ("westmere-ep", False), ("zen4", False)])
def test_what_fewer_classes_gain_is_said_where_one_register_counts_all(cpu: str, said: bool) -> None:
    text = run("--cpu", cpu).stdout
    assert ("With record --events demand_rd" in text) == said
