# SPDX-License-Identifier: Apache-2.0
"""Files that reports write into a folder where another user may write too: links of that user are not followed.

Where nothing may be written, that is said before anything is run.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from numaprof.commands.arguments import output_file
from numaprof.commands.writing.output_files import replace, write_bytes
from numaprof.export.csv_tables import write_tables
from numaprof.text.messages import Failure

NOBODY = 65534


@dataclass(frozen=True)
class Single:
    name: str = "x"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "victim"
    file.write_text("mine")
    file.chmod(0o600)
    return file


def assert_whole(victim: Path) -> None:
    assert (victim.read_text(), victim.stat().st_mode & 0o777) == ("mine", 0o600)


def test_a_link_in_place_of_the_file_is_replaced(tmp_path: Path, victim: Path) -> None:
    out = tmp_path / "out.html"
    out.symlink_to(victim)
    write_bytes(str(out), b"page")
    assert not out.is_symlink() and out.read_bytes() == b"page"
    assert_whole(victim)


def test_a_link_in_place_of_a_table_is_replaced(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.csv").symlink_to(victim)
    assert str(tmp_path / "out" / "report.csv") in write_tables(Single(), str(tmp_path / "out"), replace)
    assert_whole(victim)


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
    write_bytes(str(tmp_path / "out.html"), b"page")
    assert_whole(victim)


@pytest.mark.requires("root")
def test_a_link_of_another_user_to_a_device_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    out.symlink_to("/dev/null")
    write_bytes(str(out), b"page")
    os.chown(out, NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(Failure, match="a link that another user made leads to no file"):
        write_bytes(str(out), b"page")


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
