# SPDX-License-Identifier: Apache-2.0
"""Patches: in the style of the file, with the ends of its lines, and only for the text that was recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from making import fix_of, patched, request
from numaprof.source.files import Sources
from numaprof.source.fix import fix_for
from numaprof.source.patch import Change, changes, printed, unified
from numaprof.source.request import Edit, Fix, Form, Wanted
from numaprof.text.source_lines import allow

TEXT = """#include <stdlib.h>
/* {comment} */
void fill(size_t n)
{{
\tdouble *a = malloc(n * sizeof *a); // ALLOC
\tfor (size_t i = 0; i < n; i++)
\t\ta[i] = rand(); // INIT
}}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1251"])
@pytest.mark.parametrize("cut", [0, 1])
def test_the_file_keeps_its_style(end: str, encoding: str, cut: int, tmp_path: Path) -> None:
    comment = {"utf-8": "größer → ∑", "latin-1": "größer", "cp1251": "Больше"}[encoding]
    path = tmp_path / "a.c"
    text = TEXT.format(comment=comment).replace("\n", end)[: -len(end) if cut else None].encode(encoding)
    path.write_bytes(text)
    fix = fix_of(path)
    assert fix.form is Form.FIRST_TOUCH, fix
    patched([fix], tmp_path)
    after = path.read_bytes()
    assert after.count(b"\r\n") in (0, after.count(b"\n"))
    lines = after.split(end.encode())
    added = [line for line in lines if line not in text.split(end.encode())]
    assert all(line.startswith((b"\t", b"#")) and b"    " not in line for line in added), added
    assert end.encode().join(line for line in lines if line not in added) == text


def test_a_patch_names_files_from_the_root_and_the_flags(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    path = tmp_path / "src" / "a.c"
    path.write_text(TEXT.format(comment=""))
    allow(str(tmp_path))
    diff = unified([fix_of(path)], str(tmp_path)).decode().split("\n")
    assert diff[:4] == ["# build with -fopenmp", "--- a/src/a.c", "+++ b/src/a.c", "@@ -3,6 +3,9 @@"]


@pytest.mark.parametrize("name", ["lines", "more lines", "nothing but time"])
def test_contents_tell_whether_a_file_has_changed(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT.format(comment=""))
    allow(str(tmp_path))
    kept = dict(enumerate(path.read_text().split("\n")[3:7], 4))
    if name == "lines":
        path.write_text(path.read_text().replace("n * sizeof", "2 * n * sizeof"))
    elif name == "more lines":
        path.write_text("\n" + path.read_text())
    os.utime(path, (4e9, 4e9))
    sources = Sources(started_at="2026-01-01T00:00:00Z", kept={str(path): kept})
    fix = fix_for(request(path, Wanted.TEAM), sources)
    if name == "nothing but time":
        assert fix.form is Form.FIRST_TOUCH
    else:
        assert fix == Fix(Form.WORDS, reason="a.c has changed since the recording")


@given(some.data())
def test_a_patch_of_any_edits_applies(tmp_path_factory: pytest.TempPathFactory, data: some.DataObject) -> None:
    folder = tmp_path_factory.mktemp("edits")
    path = folder / "a.txt"
    line = some.sampled_from([b"", b"a", b"b", b"    c", b"\t"])
    text = b"\n".join(data.draw(some.lists(line, min_size=1, max_size=30))) + data.draw(some.sampled_from([b"", b"\n"]))
    text = text or b"\n"
    path.write_bytes(text)
    places = sorted(data.draw(some.lists(some.integers(0, len(text)), min_size=2, max_size=8, unique=True)))
    edits, after, at = [], b"", 0
    for start, end in zip(places[::2], places[1::2]):
        new = data.draw(some.sampled_from([b"", b"x", b"x\n", b"\nx", b"x\ny\n"]))
        edits.append(Edit("a.txt", str(path), start, text[start:end], new))
        after += text[at:start] + new
        at = end
    after += text[at:]
    fix = Fix(Form.LOOP, tuple(edits))
    if after == text or not after:
        return
    patched([fix], folder)
    assert path.read_bytes() == after


def test_printed_code_says_where_its_lines_belong(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("one\ntwo\nthree\n")
    edits = (Edit("a.c", str(path), 4, b"", b"added\n"), Edit("a.c", str(path), 8, b"thr", b"f"))
    assert changes(edits) == [
        Change("a.c", str(path), 2, (), (b"added\n",)),
        Change("a.c", str(path), 3, (b"three\n",), (b"fee\n",)),
    ]
    code = printed([Fix(Form.LOOP, edits, ("-fopenmp",))])
    assert code == (
        "// a.c: after line 1, add; build with -fopenmp",
        "added",
        "// a.c: instead of line 3",
        "fee",
    )
