# SPDX-License-Identifier: Apache-2.0
"""Every option that writes: nothing that was there is lost, links of other users are not followed.

What cannot be written is refused before anything is read or run. Of the C program's options: test_outputs.py.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import PROGRAM, TREE
from jobs import job_directory
from numaprof.commands import cli
from numaprof.commands.arguments import Parser, output_file
from numaprof.commands.writing.outputs import PAGE, PATCH, TABLE, Output, WouldBeLost, check_output, write, write_all
from numaprof.export.csv_tables import csv_files
from numaprof.text.messages import EXIT_FAILED, Failure
from scenarios import SCENARIOS

NOBODY = 65534
OLD_PAGE = b'<!doctype html>\n<meta name="generator" content="numaprof">old'


@dataclass(frozen=True)
class Single:
    name: str = "x"


# --- the table of all outputs

# A command line of each command that reads or runs something, without its outputs.
REQUIRED = {
    "report": ["READ"],
    "diff": ["READ", "READ"],
    "check": ["READ", "--max-remote", "99%"],
    "export": ["READ", "--format", "folded"],
    "merge": ["job"],
    "sweep": ["-t", "1", "-n", "1", "--no-record", "--", "true"],
    "policies": ["-n", "1", "--no-record", "--", "true"],
    "try": ["READ", "-n", "1", "--", "true"],
    "topology": [],
}
WITHOUT_OUTPUTS = {"summarize", "top"}
# Options with a name of a file or folder that is read, or that the command refuses unless it is empty.
OTHER_NAMES = {("report", "--source"), ("try", "--keep")}
# Each format of export is an output of its own.
FORMATS = ("pprof", "folded", "perfetto", "openmetrics", "parquet")


class Asked(Exception):
    """Holds the parser of a command instead of running it."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser


def parser_of(command: str) -> Parser:
    def ask(parser: Parser, *_: object) -> None:
        raise Asked(parser)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("parse_args", "parse_known_args", "parse_intermixed_args"):
            patch.setattr(Parser, name, ask)
        with pytest.raises(Asked) as caught:
            cli.run([command, "--max-remote", "1%"])
    return caught.value.parser


def options_of(command: str) -> Iterator[tuple[str, str]]:
    """Options that take a value, and what their help calls it."""
    for action in parser_of(command)._actions:  # (argparse has no public list)
        if action.option_strings and action.nargs != 0:
            yield action.option_strings[0], str(action.metavar or action.choices or "")


OUTPUTS = [
    pytest.param(command, option, rest, id=" ".join((command, option, *rest)))
    for command in cli.COMMANDS
    if command not in WITHOUT_OUTPUTS
    for option in (name for name, _ in parser_of(command).outputs.values())
    for rest in ([("--format", name) for name in FORMATS] if command == "export" else [()])
]


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_option_that_names_a_file_is_an_output_or_known_to_be_none(command: str) -> None:
    """A new option that writes has to be made by add_output, and so is in the table below."""
    outputs = {option for option, _ in parser_of(command).outputs.values()}
    named = {option for option, value in options_of(command) if re.fullmatch("(OUT|DIR|FILE|PATH)", value)}
    assert named - outputs == {option for name, option in OTHER_NAMES if name == command}
    assert bool(outputs) == (command not in WITHOUT_OUTPUTS)


# Files that a command makes without being told a name, or for itself.
WRITERS = {
    "commands/writing/outputs.py": "every output",
    "commands/try_fix.py": "the placement file: opened with x, never over a file",
    "experiments/trials/stored_trial.py": "the result beside the recording: opened with x, then renamed over its own",
    "experiments/trials/trial_runs.py": "into a folder of its own, or an empty one",
    "job/kept_summaries.py": "the hidden file of summaries in a job's directory, replaced when it is whole",
    "page/vega_bundle.py": "the script that pages need, in the folder of the environment",
    "recording/commit.py": "a temporary copy",
}


def test_no_other_code_writes_a_file() -> None:
    writing = re.compile(
        r"""open\([^)]*, *["'][rbt]*[wax+]|O_CREAT|write_text\(|write_bytes\(|os\.(replace|rename)\(|mkstemp"""
        "|NamedTemporaryFile|copyfile"
    )
    package = TREE / "reports" / "numaprof"
    found = {str(path.relative_to(package)) for path in package.rglob("*.py") if writing.search(path.read_text())}
    assert found == set(WRITERS)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    SCENARIOS["serial_init"]().write(folder / "read.numaprof")
    SCENARIOS["parallel_init"]().write(folder / "lost.numaprof")
    job_directory(folder / "job", {1}, 2)
    return folder


@pytest.fixture
def place(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder one stands in: recordings to read and to lose, a source file, a job."""
    for name in ("read.numaprof", "lost.numaprof", "job"):
        os.symlink(source / name, tmp_path / name)
    for name in ("lost.numaprof", "read.numaprof"):
        (tmp_path / name).unlink()
        (tmp_path / name).write_bytes((source / name).read_bytes())
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "data.csv").write_text("1;2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMAPROF_PROGRAM", str(PROGRAM))
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def command_line(command: str, option: str, value: str, rest: tuple[str, ...]) -> list[str]:
    words = [word.replace("READ", "read.numaprof") for word in REQUIRED[command]]
    if command == "export":
        words = words[:1]
    end = words.index("--") if "--" in words else len(words)
    return [command, *words[:end], option, value, *rest, *words[end:]]


@pytest.mark.parametrize(("command", "option", "rest"), OUTPUTS)
@pytest.mark.parametrize("victim", ["lost.numaprof", "main.c", "data.csv", "read.numaprof"])
def test_an_output_replaces_no_file_of_another_format(  # noqa: PLR0917 (the case's)
    place: Path, capsys: pytest.CaptureFixture[str], command: str, option: str, rest: tuple[str, ...], victim: str
) -> None:
    before = contents(place)
    assert cli.run(command_line(command, option, victim, rest)) == EXIT_FAILED
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("numaprof: ") and victim in err and option in err
    assert contents(place) == before


@pytest.mark.parametrize(("command", "option", "rest"), OUTPUTS)
def test_an_output_replaces_its_like(place: Path, command: str, option: str, rest: tuple[str, ...]) -> None:
    """Twice: what a command has written it recognises."""
    many = option == "--csv" or "parquet" in rest
    name = "out.ranks" if command == "merge" else "out"
    for _ in range(2):
        if command == "try":  # its runs are made by tests/place; the page is one of the same template
            (place / name).write_bytes(OLD_PAGE)
            assert parser_of("try").output(option, name, PAGE, []) == Output(option, name, PAGE)
            continue
        if option == "--patch":  # tests/source writes one: these recordings have no source to edit
            (place / name).write_text("# build with -fopenmp\n--- a/sum.c\n+++ b/sum.c\n")
            assert parser_of("report").output(option, name, PATCH, []) == Output(option, name, PATCH)
            continue
        assert cli.run(command_line(command, option, name, rest)) == 0
        assert (place / name).is_dir() == many
        assert (place / name).stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("report --json lost.numaprof", "report lost.numaprof --json -"),
        ("report --json=lost.numaprof --full", "report lost.numaprof --json=- --full"),
        ("report --html lost.numaprof", "report lost.numaprof --html lost.html"),
        ("export --format pprof -o lost.numaprof", "export lost.numaprof --format pprof -o lost.pb.gz"),
        ("export --format folded -olost.numaprof", "export lost.numaprof --format folded -olost.folded"),
    ],
)
def test_the_command_that_was_meant_is_named_and_works(
    place: Path, capsys: pytest.CaptureFixture[str], words: str, meant: str
) -> None:
    assert cli.run(words.split()) == EXIT_FAILED
    cause, _, remedy = capsys.readouterr().err.rstrip("\n").partition("; ")
    assert "lost.numaprof: this recording would be lost" in cause
    assert remedy == f"numaprof {meant}"
    assert cli.run(shlex.split(remedy)[1:]) == 0


def test_a_file_that_is_read_is_not_replaced_though_its_format_is_right(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["merge", "job", "-o", "all.ranks"]) == 0
    before = contents(place)
    capsys.readouterr()
    assert cli.run(["merge", "all.ranks", "job", "-o", "./all.ranks"]) == EXIT_FAILED
    assert "-o ./all.ranks: this file would be lost: the command reads it" in capsys.readouterr().err
    assert contents(place) == before


def test_two_outputs_are_not_one_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["report", "read.numaprof", "--json", "x", "--html", "./x"]) == EXIT_FAILED
    assert "--html and --json name the same file" in capsys.readouterr().err
    assert not (place / "x").exists()
    assert cli.run(["report", "read.numaprof", "--json", "/dev/null", "--html", "/dev/null"]) == 0


def test_a_default_name_replaces_nothing_either(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "read.folded").write_text("notes\n")
    assert cli.run(["export", "read.numaprof", "--format", "folded"]) == EXIT_FAILED
    assert "-o read.folded: this file would be lost: it is not folded stacks" in capsys.readouterr().err


def test_one_foreign_table_keeps_all_tables_back(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "tables").mkdir()
    (place / "tables" / "threads.csv").write_text("notes\n")
    assert cli.run(["report", "read.numaprof", "--csv", "tables"]) == EXIT_FAILED
    assert "--csv tables/threads.csv: this file would be lost: it is not a table of numaprof" in capsys.readouterr().err
    assert os.listdir(place / "tables") == ["threads.csv"]


def test_a_page_of_a_rank_replaces_no_other_page(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "job_ranks").mkdir()
    (place / "job_ranks" / "rank-1.html").write_text("<!doctype html>mine")
    assert cli.run(["report", "job", "--html", "job.html"]) == EXIT_FAILED
    assert "job_ranks/rank-1.html: this file would be lost: it is not a page of numaprof" in capsys.readouterr().err


def test_trials_keep_their_files_in_an_empty_folder(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "kept").mkdir()
    (place / "kept" / "advice-1.placement").write_text("mine")
    assert cli.run(["try", "read.numaprof", "--keep", "kept", "--", "true"]) == EXIT_FAILED
    assert "--keep kept: there are files in this folder" in capsys.readouterr().err


def test_an_empty_file_and_what_is_no_file_are_written_to(place: Path) -> None:
    (place / "empty").touch()
    assert cli.run(["report", "read.numaprof", "--html", "empty", "--json", "/dev/null"]) == 0
    assert (place / "empty").stat().st_size > 1000


# --- folders where another user may write


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "victim"
    file.write_bytes(OLD_PAGE)
    file.chmod(0o600)
    return file


def page(path: Path) -> Output:
    return check_output("--html", str(path), PAGE, ())


def assert_whole(victim: Path) -> None:
    assert (victim.read_bytes(), victim.stat().st_mode & 0o777) == (OLD_PAGE, 0o600)


def test_a_link_in_place_of_the_file_is_replaced(tmp_path: Path, victim: Path) -> None:
    out = tmp_path / "out.html"
    out.symlink_to(victim)
    write(page(out), b"page")
    assert not out.is_symlink() and out.read_bytes() == b"page"
    assert_whole(victim)


def test_a_link_in_place_of_a_table_is_replaced(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "out").mkdir()
    victim.write_bytes(b"name,value\r\n")
    (tmp_path / "out" / "report.csv").symlink_to(victim)
    write_all(check_output("--csv", str(tmp_path / "out"), TABLE, ()), csv_files(Single()))
    assert not (tmp_path / "out" / "report.csv").is_symlink()
    assert (victim.read_bytes(), victim.stat().st_mode & 0o777) == (b"name,value\r\n", 0o600)


def test_a_link_to_a_file_of_another_format_is_left_alone(tmp_path: Path, victim: Path) -> None:
    """The link is to read the recording by another name, not to be lost."""
    victim.write_text("mine")
    out = tmp_path / "out.html"
    out.symlink_to(victim)
    with pytest.raises(WouldBeLost, match="it is not a page"):
        page(out)
    assert out.is_symlink()


def test_a_file_that_came_since_the_check_is_left_alone(tmp_path: Path) -> None:
    out = page(tmp_path / "out.html")
    (tmp_path / "out.html").write_text("mine")
    with pytest.raises(WouldBeLost):
        write(out, b"page")
    assert (tmp_path / "out.html").read_text() == "mine"


def test_a_link_in_place_of_the_temporary_file_changes_no_rights(
    tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who may write to the folder exchanges it at the worst moment."""
    make = tempfile.mkstemp

    def exchanged(**options: str) -> tuple[int, str]:
        descriptor, name = make(**options)  # type: ignore[call-overload]
        os.unlink(name)
        os.symlink(victim, name)
        return descriptor, name

    monkeypatch.setattr(tempfile, "mkstemp", exchanged)
    write(page(tmp_path / "out.html"), b"page")
    assert_whole(victim)


@pytest.mark.requires("root")
def test_a_link_of_another_user_to_a_device_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    out.symlink_to("/dev/null")
    write(page(out), b"page")
    os.chown(out, NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(Failure, match="a link that another user made leads to no file"):
        write(page(out), b"page")


@pytest.mark.requires("root")
def test_a_folder_that_one_may_not_write_to_is_refused_before_anything_is_run(public_place: Path) -> None:
    folder, device = public_place / "mine", public_place / "device"
    folder.mkdir(0o755)
    os.mkfifo(device, 0o600)
    os.seteuid(NOBODY)
    try:
        for out in (folder / "out.html", device):
            with pytest.raises(argparse.ArgumentTypeError, match="you may not write to"):
                output_file(str(out))
        assert output_file("/dev/null") == "/dev/null"
    finally:
        os.seteuid(0)
