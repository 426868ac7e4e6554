# SPDX-License-Identifier: Apache-2.0
"""Fixes of programs in C: the form that is safe, applied, compiled and run."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import fix_of, proven
from numaprof.source.request import Form

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
{before}
int main(void)
{{
    const size_t n = 100000, m = 16;
    double total = 0;
    (void)m;
{begin}
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        a[i] = 2 * a[i]; // USE
    for (size_t i = 0; i < n; i++)
        total += a[i];
    printf("%.3f\\n", total);
    return 0;
}}
"""
MALLOC = "double *a = malloc(n * sizeof *a); // ALLOC"
RANDOM = "    for (size_t i = 0; i < n; i++)\n        a[i] = rand() % 3; // INIT"
# What stands before main, the begin of main, the form, and a word of the reason or of the edit.
CASES = {
    "own elements": (
        "",
        f"    {MALLOC}\n    for (size_t i = 0; i < n; i++)\n        a[i] = i % 7; // INIT",
        Form.LOOP,
        "",
    ),
    "pure functions": (
        "#include <math.h>\nstatic double shape(double x) { double y = x * x; return sqrt(y); }",
        f"    {MALLOC}\n    for (size_t i = 0; i < n; i++)\n        a[i] = shape(i) + sin(i); // INIT",
        Form.LOOP,
        "",
    ),
    "random": (
        "",
        f"    {MALLOC}\n    for (size_t i = 0; i < n; i++)\n        a[i] = rand() % 7; // INIT",
        Form.FIRST_TOUCH,
        "calls `rand`",
    ),
    "carried": (
        "",
        f"    {MALLOC}\n    unsigned state = 1;\n    for (size_t i = 0; i < n; i++) {{\n"
        "        state = state * 1103515245u + 12345u;\n        a[i] = state % 7; // INIT\n    }",
        Form.FIRST_TOUCH,
        "`state` is carried",
    ),
    "neighbour": (
        "",
        f"    {MALLOC}\n    a[0] = 1;\n    for (size_t i = 1; i < n; i++)\n        a[i] = a[i - 1] + 1; // INIT",
        Form.FIRST_TOUCH,
        "may share `a[i",
    ),
    "private index": (
        "",
        "    double *a = malloc(n * sizeof *a); // ALLOC\n    size_t j;\n    for (size_t i = 0; i < n / 100; i++)\n"
        "        for (j = 0; j < 100; j++)\n            a[i * 100 + j] = i + j; // INIT",
        Form.LOOP,
        "private(j)",
    ),
    "too many columns": (
        "",
        "    double *a = malloc((n + 20) * sizeof *a); // ALLOC\n    for (size_t i = 0; i < n / 100; i++)\n"
        "        for (size_t j = 0; j < 101; j++)\n            a[i * 100 + j] = i + j; // INIT",
        Form.FIRST_TOUCH,
        "may share",
    ),
    "alias": (
        "static void set(double *x, double *y, size_t n)\n{\n    for (size_t i = 0; i < n; i++) {\n"
        "        x[i] = i; // INIT\n        y[i] = 1;\n    }\n}",
        f"    {MALLOC}\n    double *b = malloc(n * sizeof *b);\n    set(a, b, n);",
        Form.FIRST_TOUCH,
        "may be the same memory",
    ),
    "restrict": (
        "static void set(double *restrict x, double *restrict y, size_t n)\n{\n    for (size_t i = 0; i < n; i++) {\n"
        "        x[i] = i; // INIT\n        y[i] = 1;\n    }\n}",
        f"    {MALLOC}\n    double *b = malloc(n * sizeof *b);\n    set(a, b, n);",
        Form.LOOP,
        "",
    ),
    "checked": (
        "",
        f"    {MALLOC}\n    if (!a)\n        return 1;\n{RANDOM}",
        Form.FIRST_TOUCH,
        "",
    ),
    "in a condition": (
        "",
        "    double *a;\n    if (!(a = malloc(n * sizeof *a))) // ALLOC\n        return 1;\n"
        "    for (size_t i = 0; i < n; i++)\n        a[i] = rand() % 3; // INIT",
        Form.FIRST_TOUCH,
        "",
    ),
    "without braces": (
        "",
        "    double *a = NULL;\n    if (n > 3)\n        a = malloc(n * 8); // ALLOC\n    else\n        return 1;\n"
        "    for (size_t i = 0; i < n; i++)\n        a[i] = rand() % 3; // INIT",
        Form.FIRST_TOUCH,
        "",
    ),
    "filled on its line": (
        "",
        "    double *a = calloc(n, 8); for (size_t i = 0; i < n; i++) a[i] = rand() % 3; // ALLOC INIT",
        Form.FIRST_TOUCH,
        "",
    ),
    "size with an effect": (
        "",
        "    size_t k = n;\n    double *a = malloc(k++ * sizeof *a); // ALLOC\n    k--;\n"
        "    for (size_t i = 0; i < n; i++)\n        a[i] = rand() % 3; // INIT",
        Form.FIRST_TOUCH,
        "",
    ),
    "aligned": (
        "",
        "    double *a;\n    if (posix_memalign((void **)&a, 64, n * sizeof *a)) // ALLOC\n        return 1;\n"
        "    for (size_t i = 0; i < n; i++)\n        a[i] = rand() % 3; // INIT",
        Form.FIRST_TOUCH,
        "",
    ),
    "a macro hides the call": (
        "#define NEW(p, n) p = malloc((n) * sizeof *(p))",
        f"    double *a;\n    NEW(a, n); // ALLOC\n{RANDOM}",
        Form.POLICY,
        "move_here((char *)a",
    ),
}


@pytest.mark.requires("gcc", "libnuma")
@pytest.mark.parametrize("name", CASES)
def test_the_first_safe_form(name: str, tmp_path: Path) -> None:
    before, begin, form, word = CASES[name]
    path = tmp_path / "program.c"
    path.write_text(PROGRAM.format(before=before, begin=begin))
    fix = fix_of(path)
    assert (fix.form, fix.reason if form is Form.LOOP else "") == (form, ""), fix
    if form is Form.WORDS:
        assert word in fix.reason
        return
    text = proven(path, fix)
    assert word in text or word in fix.reason, fix
