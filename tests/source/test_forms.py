# SPDX-License-Identifier: Apache-2.0
"""Fixes for other placements and languages: applied as patches, compiled without new warnings, run."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import fix_of, proven
from numaprof.source.request import Form, Wanted

THREADS = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static double *values;
static size_t count = 200000;

static void *work(void *argument)
{
\tsize_t part = (size_t)argument, begin = count * part / THREADS, end = count * (part + 1) / THREADS;

\tfor (int sweep = 0; sweep < 3; sweep++)
\t\tfor (size_t i = begin; i < end; i++)
\t\t\tvalues[i] = 2 * values[i]; // USE
\treturn NULL;
}

int main(void)
{
\tpthread_t threads[THREADS];
\tdouble total = 0;

\tvalues = malloc(count * sizeof *values); // ALLOC
\tfor (size_t i = 0; i < count; i++)
\t\tvalues[i] = rand() % 9; // INIT
\tfor (size_t i = 0; i < THREADS; i++)
\t\tpthread_create(&threads[i], NULL, work, (void *)i);
\tfor (size_t i = 0; i < THREADS; i++)
\t\tpthread_join(threads[i], NULL);
\tfor (size_t i = 0; i < count; i++)
\t\ttotal += values[i];
\tprintf("%.0f\\n", total);
\treturn 0;
}
"""
HEAD = "#include <cstdio>\n#include <cstdlib>\n#include <memory>\n#include <vector>\n"
CXX = """{before}
int main()
{{
    std::size_t n = 100000;
    double total = 0;
    {begin}
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < n; i++)
        a[i] = 2 * a[i]; // USE
    for (std::size_t i = 0; i < n; i++)
        total += a[i];
    std::printf("%.3f\\n", total);
    return 0;
}}
"""
MEMBERS = """struct field {
    std::vector<double> a;
    explicit field(std::size_t n) : a(n, 1.0) // ALLOC INIT
    {
    }
};"""
EACH = "for (std::size_t i = 0; i < n; i++)"
PUSHED = f"std::vector<double> a;\n    {EACH}\n        a.push_back(rand() % 3); // ALLOC INIT"
CPLUSPLUS = {
    "vector": ("", "std::vector<double> a(n, 1.0); // ALLOC INIT", Form.POLICY),
    "grown": ("", PUSHED, Form.POLICY),
    "member": (MEMBERS, "field f(n);\n    std::vector<double> &a = f.a;", Form.POLICY),
    "member on one line": (
        "struct field {\n    std::vector<double> a;\n    field(std::size_t n) : a(n, 1.0) {} // ALLOC INIT\n};",
        "field f(n);\n    std::vector<double> &a = f.a;",
        Form.POLICY,
    ),
    "new": (
        "",
        f"double *a = new double[n]; // ALLOC\n    {EACH} a[i] = i; // INIT",
        Form.LOOP,
    ),
    "zeros of new": ("", "double *a = new double[n](); // ALLOC INIT", Form.POLICY),
    "smart pointer": (
        "",
        f"std::unique_ptr<double[]> a(new double[n]); // ALLOC\n    {EACH} a[i] = rand(); // INIT",
        Form.FIRST_TOUCH,
    ),
    "made unique": ("", "auto a = std::make_unique<double[]>(n); // ALLOC INIT", Form.POLICY),
    "a class of its own": (
        "struct log_of { double v[100000]; int last; double &operator[](std::size_t i) { last = i; return v[i]; } };",
        f"static log_of a;\n    double *b = new double[n]; // ALLOC\n    {EACH} a[i] = b[i] = 1; // INIT",
        Form.FIRST_TOUCH,
    ),
}
FORTRAN = """program p
  implicit none
  integer, parameter :: n = 300
  real(8), allocatable :: a(:,:)
  real(8) :: total
  integer :: i, j
  allocate(a(n, n)) ! ALLOC
{begin}
  !$omp parallel do schedule(static)
  do j = 1, n
    do i = 1, n
      a(i, j) = 2 * a(i, j) ! USE
    end do
  end do
  total = sum(a)
  print '(f12.3)', total
end program
"""
LOOP = "  do j = 1, n\n    do i = 1, n\n{line}\n    end do\n  end do"
FORTRAN_CASES = {
    "own columns": (LOOP.format(line="      a(i, j) = i + sin(0.1d0 * j) ! INIT"), Form.LOOP),
    "private": (LOOP.format(line="      total = i * j\n      a(i, j) = total ! INIT"), Form.LOOP),
    "whole array": ("  a = 1.5d0 ! INIT", Form.FIRST_TOUCH),
    "carried": (
        "  total = 0\n" + LOOP.format(line="      total = total + 1\n      a(i, j) = total ! INIT"),
        Form.FIRST_TOUCH,
    ),
    "random": (LOOP.format(line="      call random_number(total)\n      a(i, j) = 0 * total ! INIT"), Form.FIRST_TOUCH),
    "neighbour": ("  a = 1\n" + LOOP.format(line="      a(i, j) = a(i, max(1, j - 1)) + 1 ! INIT"), Form.FIRST_TOUCH),
}
ROWS = """#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    size_t n = 300, m = 1000;
    double **a = malloc(n * sizeof *a), total = 0;
    for (size_t r = 0; r < n; r++)
        a[r] = malloc(m * sizeof **a); // ALLOC
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < m; c++)
            a[r][c] = rand() % 5; // INIT
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < m; c++)
            total += a[r][c]; // USE
    printf("%.3f\\n", total);
    return 0;
}
"""
VARIABLE = """#include <stdio.h>
#include <stdlib.h>
static double a[300][1000]; // ALLOC
int main(void)
{
    double total = 0;
    for (int r = 0; r < 300; r++)
        for (int c = 0; c < 1000; c++)
            a[r][c] = rand() % 5; // INIT
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int r = 0; r < 300; r++)
        for (int c = 0; c < 1000; c++)
            total += a[r][c]; // USE
    printf("%.3f\\n", total);
    return 0;
}
"""


@pytest.mark.requires("gcc", "libnuma")
def test_each_thread_moves_its_part_in_front_of_its_loops(tmp_path: Path) -> None:
    path = tmp_path / "threads.c"
    path.write_text(THREADS)
    fix = fix_of(path, Wanted.THREADS)
    assert fix.form is Form.THREAD
    text = proven(path, fix)
    assert "\tmove_here(&values[begin], &values[end]);\n\tfor (int sweep" in text


@pytest.mark.requires("gcc", "libnuma")
def test_pages_are_interleaved_where_they_are_allocated(tmp_path: Path) -> None:
    path = tmp_path / "threads.c"
    path.write_text(THREADS)
    text = proven(path, fix_of(path, Wanted.INTERLEAVED))
    assert "\tspread_over_nodes(values, count * sizeof *values);\n" in text


@pytest.mark.requires("g++", "libnuma")
@pytest.mark.parametrize("name", CPLUSPLUS)
def test_cplusplus(name: str, tmp_path: Path) -> None:
    before, begin, form = CPLUSPLUS[name]
    path = tmp_path / "program.cpp"
    path.write_text(HEAD + CXX.format(before=before, begin=begin))
    fix = fix_of(path)
    assert fix.form is form, fix
    proven(path, fix)


@pytest.mark.requires("gfortran")
@pytest.mark.parametrize("name", FORTRAN_CASES)
def test_fortran(name: str, tmp_path: Path) -> None:
    begin, form = FORTRAN_CASES[name]
    path = tmp_path / "program.f90"
    path.write_text(FORTRAN.format(begin=begin))
    fix = fix_of(path)
    assert fix.form is form, fix
    proven(path, fix)


@pytest.mark.requires("gfortran")
def test_a_value_of_source_is_written_in_parallel(tmp_path: Path) -> None:
    path = tmp_path / "program.f90"
    text = FORTRAN.format(begin="").replace("allocate(a(n, n)) ! ALLOC", "allocate(a(n, n), source=1.5d0) ! ALLOC INIT")
    path.write_text(text)
    fix = fix_of(path)
    assert fix.form is Form.FIRST_TOUCH, fix
    assert "allocate(a(n, n)) ! ALLOC INIT\n  block\n" in proven(path, fix)


@pytest.mark.requires("gcc", "libnuma")
def test_rows_are_allocated_by_the_threads_that_use_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    path.write_text(ROWS)
    fix = fix_of(path, Wanted.PIECES)
    assert fix.form is Form.LOOP, fix
    text = proven(path, fix)
    assert "        memset(a[r], 0, m * sizeof **a);\n    }\n" in text


@pytest.mark.requires("gcc", "libnuma")
def test_variables_are_touched_where_main_begins(tmp_path: Path) -> None:
    path = tmp_path / "variable.c"
    path.write_text(VARIABLE)
    fix = fix_of(path, name="a")
    assert fix.form is Form.FIRST_TOUCH, fix
    assert "byte < sizeof a" in proven(path, fix)
