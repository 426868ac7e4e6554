# SPDX-License-Identifier: Apache-2.0
"""Every printed snippet is put in its place, compiled, run, and the program's output compared."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from apply import apply
from numaprof.fixes import c_allocation, c_schedule, edit, find, fortran_allocation, schedule
from numaprof.fixes.edit import agreed
from numaprof.fixes.memory import Memory
from numaprof.fixes.snippets import Snippet, by_node, edits_of, huge_pages, interleaved, printed, zeros_in_parallel
from numaprof.placement.settings.stay_on_node import leave, stay

C_HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n#include <sys/mman.h>\n"
CXX_HEAD = "#include <vector>\n#include <memory>\n" + C_HEAD
BODY = """struct body {{ double x, y; int n; }};
struct field {{ double *data; size_t n; }};
{before}
int main(void)
{{
    size_t n = 100000, m = 16, i = 0;
    double total = 0;
    (void)m; (void)i;
{allocation}
{use}
    printf("%.3f\\n", total);
    return 0;
}}
"""
SUM = "    for (size_t k = 0; k < n; k++) a[k] = k;\n    for (size_t k = 0; k < n; k++) total += a[k];"
ROWS = "    for (size_t r = 0; r < n / 100; r++) for (size_t c = 0; c < m; c++) { a[r][c] = r + c; total += a[r][c]; }"
BODIES = "    for (size_t k = 0; k < n; k++) a[k].x = k;\n    for (size_t k = 0; k < n; k++) total += a[k].x;"
FILLED = "    for (size_t k = 0; k < a.size(); k++) total += a[k];"

# Memory of the heap that was used before, and what is read without being written.
DIRTY = "{ double *d = new double[n / 100]; for (size_t k = 0; k < n / 100; k++) d[k] = 9; delete[] d; }"
LOOK = "    for (size_t k = 0; k < n / 100; k++) total += a[k];"

# The allocation (the line with ALLOC is the one recorded), its use, and what stands before main.
C = {
    "malloc": ("double *a = malloc(n * sizeof *a); //ALLOC", SUM, ""),
    "size_first": ("double *a = malloc(sizeof(double) * n); //ALLOC", SUM, ""),
    "cast": ("double *a = (double *)malloc(n * sizeof(double)); //ALLOC", SUM, ""),
    "bytes": ("double *a = malloc(n * 8); //ALLOC", SUM, ""),
    "sum_of_terms": ("float *a = malloc((n + 2) * sizeof(float)); //ALLOC", SUM, ""),
    "unary_terms": ("float *a = malloc(sizeof(float) * n + 64); //ALLOC", SUM, ""),
    "calloc": ("long *a = calloc(n, sizeof *a); //ALLOC", SUM, ""),
    "calloc_one": ("long *a = calloc(1, n * sizeof(long)); //ALLOC", SUM, ""),
    "aligned": ("double *a = aligned_alloc(64, n * sizeof *a); //ALLOC", SUM, ""),
    "through_a_pointer": ("double *a, **q = &a;\n    *q = malloc(n * sizeof **q); //ALLOC", SUM, ""),
    "posix_memalign": (
        "double *a;\n    if (posix_memalign((void **)&a, 64, n * sizeof *a)) //ALLOC\n        return 1;",
        SUM,
        "",
    ),
    "checked": (
        'double *a = malloc(n * sizeof *a); //ALLOC\n    if (!a) {\n        puts("no");\n        return 1;\n    }',
        SUM,
        "",
    ),
    "unbraced_if": (
        "double *a = 0;\n    if (n > 3)\n        a = malloc(n * sizeof *a); //ALLOC\n    else\n        return 1;",
        SUM,
        "",
    ),
    "counted_wrapper": (
        "double *a = get(n, sizeof *a); //ALLOC",
        SUM,
        "static void *get(size_t n, size_t s) { return malloc(n * s); }",
    ),
    "checked_null": ("double *a = malloc(n * sizeof *a); //ALLOC\n    if (a == NULL)\n        return 1;", SUM, ""),
    "advised": (
        "double *a = aligned_alloc(4096, n * sizeof *a); //ALLOC\n    if (!a)\n        return 1;\n"
        "    madvise(a, n * sizeof *a, MADV_HUGEPAGE);",
        SUM,
        "",
    ),
    "in_condition": ("double *a;\n    if (!(a = malloc(n * sizeof *a))) //ALLOC\n        return 1;", SUM, ""),
    "in_condition_block": (
        "double *a;\n    if ((a = malloc(n * sizeof *a)) == NULL) { //ALLOC\n        return 1;\n    }",
        SUM,
        "",
    ),
    "two_at_once": (
        "double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b); //ALLOC\n    if (!a || !b)\n        return 1;",
        SUM + "\n    for (size_t k = 0; k < n; k++) { b[k] = a[k]; total += b[k]; }",
        "",
    ),
    "two_in_a_braced_list": (
        "struct body one = {.n = 1}; struct two f = {malloc(n * sizeof *f.x), calloc(n, sizeof *f.y), one}; //ALLOC\n"
        "    if (f.x == NULL || f.y == NULL)\n        return 1;\n    double *a = f.x;",
        SUM + "\n    for (size_t k = 0; k < n; k++) total += f.y[k][1];",
        "struct two { double *x; float (*y)[2]; struct body one; };",
    ),
    "two_in_designated_lists": (
        "struct bands f = {.count = 2,\n        .band = {malloc(n * 8), malloc(n * 8)}, //ALLOC\n"
        '        .name = "{"};\n    double *a = f.band[1];',
        SUM + "\n    for (size_t k = 0; k < n; k++) { f.band[0][k] = 1; total += f.band[0][k]; }",
        "struct bands { int count; double *band[2]; const char *name; };",
    ),
    "returned_list": (
        "struct field f = make(n, malloc(8));\n    double *a = f.data;",
        SUM,
        "static struct field make(size_t n, void *beside)\n{\n    free(beside);\n"
        "    return (struct field){(double *)malloc(n * sizeof(double)), n}; //ALLOC\n}",
    ),
    "several_lines": ("double *a =\n        malloc(n * //ALLOC\n               sizeof *a);", SUM, ""),
    "structs": ("struct body *a = malloc(n * sizeof *a); //ALLOC", BODIES, ""),
    "member": (
        "struct field f = { 0, n };\n    f.data = malloc(f.n * sizeof(double)); //ALLOC\n    double *a = f.data;",
        SUM,
        "",
    ),
    "pointed_member": (
        "struct field g, *f = &g;\n    f->n = n;\n    f->data = malloc(f->n * sizeof *f->data); //ALLOC\n"
        "    double *a = f->data;",
        SUM,
        "",
    ),
    "void": ("void *v = malloc(n * sizeof(double)); //ALLOC\n    double *a = v;", SUM, ""),
    "mmap": (
        "double *a = mmap(NULL, n * sizeof *a, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); //ALLOC",
        SUM,
        "",
    ),
    "array_of_arrays": ("double (*a)[16] = malloc(n / 100 * sizeof *a); //ALLOC", ROWS, ""),
    "rows": (
        "double **a = malloc(n / 100 * sizeof *a);\n    for (size_t r = 0; r < n / 100; r++)\n"
        "        a[r] = malloc(m * sizeof **a); //ALLOC",
        ROWS,
        "",
    ),
    "rows_in_block": (
        "double **a = malloc(n / 100 * sizeof *a);\n    for (size_t r = 0; r < n / 100; r++) {\n"
        "        a[r] = malloc(m * sizeof(double)); //ALLOC\n        if (!a[r])\n            return 1;\n    }",
        ROWS,
        "",
    ),
    "rows_filled_at_once": (
        "double **a = malloc(n / 100 * sizeof *a);\n    for (size_t r = 0; r < n / 100; r++) {\n"
        "        a[r] = malloc(m * sizeof(double)); //ALLOC\n        for (size_t c = 0; c < m; c++)\n"
        "            a[r][c] = 1;\n    }",
        ROWS,
        "",
    ),
    "rows_of_two": (
        "double **a = malloc(n / 100 * sizeof *a), **b = malloc(n / 100 * sizeof *b);\n"
        "    for (size_t r = 0; r < n / 100; r++) {\n        a[r] = malloc(m * sizeof **a);\n"
        "        a[r][0] = 1;\n        b[r] = malloc(m * sizeof **b); //ALLOC\n        b[r][1] = 2;\n    }",
        ROWS + "\n    total += b[7][1];",
        "",
    ),
    "rows_from_one": (
        "double **a = malloc((n / 100 + 1) * sizeof *a);\n    a[0] = calloc(m, 8);\n"
        "    for (size_t r = 1; r <= n / 100; r++)\n        a[r] = malloc(m * sizeof **a); //ALLOC",
        ROWS,
        "",
    ),
    "planes_of_rows": (
        "double ***u = malloc(9 * sizeof *u);\n    for (int k = 0; k < 9; k++) {\n"
        "        u[k] = malloc(9 * sizeof **u);\n        for (int j = 0; j < 9; j++)\n"
        "            u[k][j] = calloc(m, sizeof ***u); //ALLOC\n    }\n    double **a = u[3];",
        "    a[2][1] = 5;\n    total = a[2][1] + u[8][8][3];",
        "",
    ),
    "tiles": (
        "float *t[8][8];\n    for (int i = 0; i < 8; i++)\n        for (int j = 0; j < 8; j++)\n"
        "            t[i][j] = malloc(5000 * sizeof(float)); //ALLOC",
        "    t[3][4][4999] = 2;\n    total = t[3][4][4999];",
        "",
    ),
    "counted_once": (
        "double *a = malloc(count() * sizeof *a); //ALLOC",
        SUM + "\n    total += count();",
        "static size_t count(void) { static size_t n = 99999; return ++n; }",
    ),
    "counted_by_itself": ("double *a = malloc(sizeof *a * (n++ + 1)); //ALLOC\n    n--;", SUM, ""),
    "filled_on_its_line": (
        "double *a = malloc(n * sizeof *a); for (size_t k = 0; k < n; k++) a[k] = 3; //ALLOC",
        "    for (size_t k = 0; k < n; k++) total += a[k];",
        "",
    ),
    "two_filled_on_their_line": (
        "double *a = malloc(n * 8), *b; if (!a) return 1; b = malloc(m * 8); b[3] = 5; //ALLOC",
        SUM + "\n    total += b[3];",
        "",
    ),
    "function_on_one_line": (
        "double *a = make(n);",
        "    total = a[0] + a[n - 1];",
        "static double *make(size_t n) { double *p = malloc(n * 8); p[0] = 7; p[n - 1] = 2; return p; } //ALLOC",
    ),
    "blocks_of_planes": (
        "struct { int id; double ***plane; } all[9];\n    for (int b = 0; b < 9; b++) {\n        all[b].id = b;\n"
        "        all[b].plane = MY_ALLOC(2 * sizeof(double **));\n        for (int v = 0; v < 2; v++) {\n"
        "            all[b].plane[v] = MY_ALLOC(7 * sizeof(double *));\n            for (int i = 0; i < 7; i++)\n"
        "                all[b].plane[v][i] = MY_ALLOC(m * sizeof(double)); //ALLOC\n        }\n    }\n"
        "    double **a = all[3].plane[1];",
        "    a[2][1] = 5;\n    total = a[2][1] + all[8].id + all[8].plane[0][6][15];",
        "#define MY_ALLOC(size) get(size, __LINE__)\n"
        "static void *get(size_t s, int line) { return line ? calloc(1, s) : 0; }",
    ),
    "two_arrays_of_arrays": (
        "double(*a)[16] = malloc(n / 100 * sizeof *a), (*b)[16] = malloc(n / 100 * sizeof *b); //ALLOC",
        ROWS + "\n    b[9][15] = 4;\n    total += b[9][15];",
        "",
    ),
    "array_of_arrays_of_type": ("float(*a)[16] = malloc(n / 100 * sizeof *a); //ALLOC", ROWS, ""),
    "macro": (
        "double *a = MAKE_ARRAY(double, n); //ALLOC",
        SUM,
        "#define MAKE_ARRAY(type, count) ((type *)malloc((count) * sizeof(type)))",
    ),
    "macro_that_assigns": (
        "double *a;\n    ALLOC_ARRAY(a, n); //ALLOC",
        SUM,
        "#define ALLOC_ARRAY(p, count) \\\n    do { \\\n        (p) = malloc((size_t)(count) * sizeof *(p)); \\\n"
        "        if (!(p)) \\\n            exit(1); \\\n    } while (0)",
    ),
    "macro_of_a_member": (
        "struct field f;\n    GET(f.data, double, n); //ALLOC\n    double *a = f.data;",
        SUM,
        "#define GET(p, type, count) p = (type *)calloc(count, sizeof(type))",
    ),
    "two_pointers": ("double *a, *b;\n    a = b = malloc(n * sizeof *a); //ALLOC", SUM, ""),
    "two_pointers_declared": ("double *b, *a = b = malloc(n * sizeof *a); //ALLOC", SUM, ""),
    "one_cell": ("double *a[4];\n    a[2] = malloc(n * sizeof **a); //ALLOC", SUM.replace("a[k]", "a[2][k]"), ""),
    "index_in_size": ("i = 100000;\n    double *a = malloc(i * sizeof *a); //ALLOC", SUM, ""),
    "given_to_a_function": (
        "double **a = rows_over(malloc(m * n / 100 * sizeof(double)), n / 100, m); //ALLOC",
        ROWS,
        "static double **rows_over(double *all, size_t rows, size_t columns) {\n"
        "    double **row = malloc(rows * sizeof *row);\n    for (size_t i = 0; i < rows; i++)\n"
        "        row[i] = all + i * columns;\n    return row;\n}",
    ),
    "given_twice_in_one_block": (
        "double *b = sure(malloc(n * sizeof *b));\n    double *a = sure(malloc(n * sizeof *a)); //ALLOC",
        SUM + "\n    total += b != a;",
        "static void *sure(void *p) { return p; }",
    ),
    "given_and_another_declared": (
        "double *a = sure(malloc(n * sizeof *a)), *b = a; //ALLOC",
        SUM + "\n    total += b != a;",
        "static void *sure(void *p) { return p; }",
    ),
    "in_a_function_that_returns_an_array": (
        "double (*a)[4] = rows_of(n / 400);",
        "    total = a[n / 400 - 1][3];",
        "static double (*rows_of(size_t count))[4]\n{\n    double (*a)[4] = malloc(count * sizeof *a); //ALLOC\n"
        "    a[count - 1][3] = 2;\n    return a;\n}",
    ),
    "cast_and_given_second": (
        "double *a;\n    int placed = keep(&a, (double *)calloc(n, sizeof(double))); //ALLOC",
        SUM + "\n    total += placed;",
        "static int keep(double **at, double *new) { *at = new; return 1; }",
    ),
    "wrapper": (
        "double *a = xmalloc(n * sizeof *a); //ALLOC",
        SUM,
        "static void *xmalloc(size_t s) { return malloc(s); }",
    ),
    "counting_wrapper": (
        "double *a = new_doubles(n); //ALLOC",
        SUM,
        "static double *new_doubles(size_t c) { return malloc(c * sizeof(double)); }",
    ),
    "count_of_two": ("double *a = malloc((n > 5 ? n : 5) * sizeof *a); //ALLOC", SUM, ""),
    "masked_count": ("double *a = calloc((n + 7) & ~7ul, sizeof *a); //ALLOC", SUM, ""),
    "filled_in_a_condition": (
        "double *a = malloc(n * sizeof *a); //ALLOC\n    if (!fill(n, a))\n        return 1;",
        LOOK,
        "static int fill(size_t n, double *p) { p[n / 100 - 1] = 4; return 1; }",
    ),
    "filled_where_there_is_memory": (
        "double *a = malloc(n * sizeof *a); //ALLOC\n    if (a)\n        a[0] = 3;\n    if (a != NULL) {\n"
        "        a[5] = 2;\n    }",
        "    total = a[0] + a[5];",
        "",
    ),
    "one_name_of_two_types": (
        "struct body *a = malloc(n * sizeof *a); //ALLOC",
        BODIES,
        "static inline double first(double *a) { return a[0]; }",
    ),
    "comment_and_text": (
        'puts("a = malloc(1);"); /* double *b = malloc(2); */ double *a = malloc(n * sizeof *a); //ALLOC',
        SUM,
        "",
    ),
}
CXX = {
    "vector_of_one_of_two_sizes": ("std::vector<double> a(n > 3 ? n : 3); //ALLOC", FILLED, ""),
    "two_on_a_line": (
        "std::vector<double> a;\n    a.resize(n); std::vector<int> b(n, 3); // the fields //ALLOC",
        FILLED + "\n    total += b[4];",
        "",
    ),
    "zeroed_rows": (
        "double **a = new double *[n / 100];\n    for (size_t r = 0; r < n / 100; ++r)\n"
        "        a[r] = new double[m](); //ALLOC",
        "    total = a[7][3] + a[999][15];",
        "",
    ),
    "assigned_by_value": ("std::vector<double> a;\n    a = std::vector<double>(n); //ALLOC", FILLED, ""),
    "rows_assigned_by_value": (
        "std::vector<std::vector<int>> a(n / 100);\n    for (size_t r = 0; r < n / 100; r++)\n"
        "        a[r] = std::vector<int>(m, 2); //ALLOC",
        "    total = a[7][3] + a[999][15];",
        "",
    ),
    "constructor_of_a_template": (
        "holder<double> h(n);\n    auto &a = h.a;",
        FILLED,
        "template <typename T> struct holder {\n    holder(size_t n);\n    std::vector<T> a, b;\n};\n"
        "template <typename T>\nholder<T>::holder(size_t n)\n    : a(n), //ALLOC\n      b(3)\n{\n    a[1] = 4;\n}",
    ),
    "qualified_wrapper": (
        "double *a = memory::pool::take_new<double>(n); //ALLOC",
        SUM,
        "namespace memory { struct pool { template <typename T> static T *take_new(size_t c) "
        "{ return static_cast<T *>(malloc(c * sizeof(T))); } }; }",
    ),
    "vector_of_a_cast": (
        "std::vector<char> a(static_cast<size_t>(ask())); //ALLOC",
        FILLED + "\n    total += ask();",
        "static long ask() { static long asked = 9; return ++asked; }",
    ),
    "resized_by_what_is_asked": (
        "std::vector<double> a;\n    a.resize(ask()); //ALLOC",
        FILLED + "\n    total += ask();",
        "static size_t ask() { static size_t asked = 9; return ++asked; }",
    ),
    "reserved_by_what_is_asked": (
        "std::vector<double> a;\n    a.reserve(ask()); //ALLOC\n    a.resize(7);",
        FILLED + "\n    total += ask();",
        "static size_t ask() { static size_t asked = 9; return ++asked; }",
    ),
    "resized_through_a_pointer": (
        "std::vector<double> of, *a = &of;\n    a->resize(n); //ALLOC",
        "    for (size_t k = 0; k < n; k++) total += (*a)[k];",
        "",
    ),
    "new": ("double *a = new double[n]; //ALLOC", SUM, ""),
    "new_sum": ("double *a = new double[n + m]; //ALLOC", SUM, ""),
    "new_pointers": ("double **a = new double *[n]; //ALLOC", "    a[3] = 0; total = n;", ""),
    "new_of_typedef": ("number *a = new number[n]; //ALLOC", SUM, "typedef double number;"),
    "new_of_a_parameter": (
        "holder<double> h(n);\n    double *a = h.first;\n    holder<std::string> words(9);\n"
        "    total += words.last - words.first;",
        SUM,
        "#include <string>\ntemplate <typename T_> struct holder {\n    T_ *first, *last;\n"
        "    explicit holder(size_t n)\n    {\n"
        "        first = new T_[n]; //ALLOC\n        last = first + n;\n    }\n    ~holder() { delete[] first; }\n};",
    ),
    "new_of_a_parameter_in_a_list": (
        "holder<long> a(n);",
        "    for (size_t k = 0; k < n; k++) a[k] = k;\n    for (size_t k = 0; k < n; k++) total += a[k];",
        "template <class T> class holder {\n    T *_data;\n    size_t _size;\npublic:\n"
        "    holder(size_t size) : _data(new T[size]), _size(size) {} //ALLOC\n"
        "    ~holder() { delete[] _data; }\n    T &operator[](size_t k) { return _data[k]; }\n};",
    ),
    "new_of_alias": ("real *a = new real[n]; //ALLOC", SUM, "using real = float;"),
    "new_of_structs": ("body *a = new body[n], *b = new body[m]; //ALLOC", BODIES + "\n    (void)b;", ""),
    "shared_ptr": ("std::shared_ptr<double[]> a(new double[n]); //ALLOC", SUM, ""),
    "assigned_shared_ptr": (
        "std::shared_ptr<double[]> a;\n    a = std::shared_ptr<double[]>(new double[n]); //ALLOC",
        SUM,
        "",
    ),
    "zeroed_new_at_used_addresses": (f"{DIRTY}\n    double *a = new double[n / 100](); //ALLOC", LOOK, ""),
    "made_unique_at_used_addresses": (f"{DIRTY}\n    auto a = std::make_unique<double[]>(n / 100); //ALLOC", LOOK, ""),
    "constructor_on_one_line": (
        "grid h(n);\n    double *a = h.a;",
        "    total = a[1] + a[n - 1];",
        "struct grid {\n    double *a;\n    grid(size_t n) { a = new double[n]; a[1] = 7; a[n - 1] = 2; } //ALLOC\n};",
    ),
    "pointer_of_a_constructor": (
        "grid h(n);\n    double *a = h.a;",
        SUM,
        "class grid {\npublic:\n    explicit grid(size_t m) : count(m), a(new double[m + 1]) {} //ALLOC\n"
        "    size_t count;\n    double *a;\n};",
    ),
    "zeroed_pointer_of_a_constructor": (
        f"{DIRTY}\n    grid h(n / 100);\n    char *a = h.a.get();",
        LOOK,
        "struct grid {\n    std::unique_ptr<char[]> a;\n    size_t count;\n"
        "    grid(size_t m)\n        : a(new char[m * 8]()), count(m) //ALLOC\n    {\n        a[1] = 7;\n    }\n};",
    ),
    "constructed_pointer_of_a_constructor": (
        "grid h(n);\n    auto &a = h.a;",
        "    for (size_t k = 0; k < n; k++) total += a[k].imag() + (a[k] = {1.0 * k, 2}).real();",
        "#include <complex>\nusing amplitude = std::complex<double>;\n"
        "struct grid {\n    std::unique_ptr<amplitude[]> a;\n    size_t count;\n"
        "    grid(size_t m)\n        : a(new amplitude[m]()), count(m) //ALLOC\n    {\n        a[1] = 7;\n    }\n};",
    ),
    "constructing_new": (
        "spot *a = new spot[n]; //ALLOC",
        "    for (size_t k = 0; k < n; k++) total += a[k].y + (a[k].x = k);",
        "struct spot { double x = 0, y = 1; int n; };",
    ),
    "vector_below_an_access_specifier": (
        "holder h(n);\n    std::vector<double> &a = h.v;",
        FILLED,
        "class holder {\npublic:\n    explicit holder(size_t n) : v(n) {} //ALLOC\n    std::vector<double> v;\n};",
    ),
    "vector_of_structs": ("std::vector<body> a(n); //ALLOC", BODIES, ""),
    "vectors_in_vector": (
        "std::vector<std::vector<double>> a(n / 100);\n    for (size_t r = 0; r < a.size(); r++) {\n"
        "        a[r].resize(m); //ALLOC\n        a[r][3] = 1;\n    }",
        ROWS,
        "",
    ),
    "vectors_in_vector_alone": (
        "std::vector<std::vector<double>> a(n / 100);\n    for (size_t r = 0; r < a.size(); ++r)\n"
        "        a[r].assign(m, 2); //ALLOC",
        ROWS,
        "",
    ),
    "initialiser_list": (
        "holder<double> h(n);\n    std::vector<double> &a = h.a;",
        FILLED,
        "template <typename T> struct holder {\n    explicit holder(size_t n)\n"
        "        : count(n), a(n + 1), b(n, 7) //ALLOC\n    {\n        a[0] = 3;\n    }\n"
        "    size_t count;\n    std::vector<T> a, b;\n};",
    ),
    "initialiser_list_on_one_line": (
        "holder h(n);\n    std::vector<int> &a = h.a;",
        FILLED,
        "struct holder {\n    std::vector<int> a;\n    holder(size_t n) : a(n) { a[1] = 4; } //ALLOC\n};",
    ),
    "aligned_new": ("double *a = new (std::align_val_t(64)) double[n]; //ALLOC", SUM, ""),
    "reset": ("std::unique_ptr<double[]> a;\n    a.reset(new double[n]); //ALLOC", SUM, ""),
    "new_rows": ("auto a = new double[n / 100][16]; //ALLOC", ROWS, ""),
    "bytes_of_an_arena": (
        "arena all(n);\n    std::byte *b = all.memory.get();\n    double *a = new (b) double[n];",
        SUM,
        "struct arena {\n    explicit arena(size_t n) : memory(new std::byte[n * 8]), size(n) {} //ALLOC\n"
        "    std::unique_ptr<std::byte[]> memory;\n    size_t size;\n};",
    ),
    "returned_in_a_list": (
        "block f = make(n);\n    double *a = f.x;\n    f.y[n - 1][3] = 2; total += f.y[n - 1][3];",
        SUM,
        "struct block { size_t n; double *x; float (*y)[4]; };\n"
        "static block make(size_t n)\n{\n    return {n, new double[n], new float[n][4]}; //ALLOC\n}",
    ),
    "list_of_two": (
        "block f{new double[n], new int[n]}; //ALLOC\n    double *a = f.x;",
        SUM + "\n    f.y[3] = 2; total += f.y[3];",
        "struct block { static const int z = 3; double *x; int *y; };",
    ),
    "made_unique": ("auto a = std::make_unique<double[]>(n); //ALLOC", SUM, ""),
    "constant_vector": ("const std::vector<double> a(n, 2.5); //ALLOC", LOOK, ""),
    "static_vector": ("static std::vector<double> a(n); //ALLOC", SUM, ""),
    "two_constant_vectors": ("const std::vector<double> a(n, 1.5), b(n / 2); //ALLOC", LOOK + " total += b[7];", ""),
    "made_unique_of_complex": (
        "auto a = std::make_unique<std::complex<double>[]>(n); //ALLOC",
        "    for (size_t k = 0; k < n; k++) total += a[k].imag() + (a[k] = {1.0 * k, 2}).real();",
        "#include <complex>",
    ),
    "two_made_unique_with_values": (
        "auto a = std::make_unique<spot[]>(n), b = std::make_unique<spot[]>(n / 2); //ALLOC",
        "    for (size_t k = 0; k < n / 2; k++) total += a[k].y + b[k].y + b[k].x;",
        "struct spot { double x = 0, y = 1; int n; };",
    ),
    "returned_by_a_lambda": (
        "auto made = [n] { return std::unique_ptr<double[]>(new double[n]); }; //ALLOC\n    auto a = made();",
        SUM,
        "",
    ),
    "returned_with_zeros": (
        f"{DIRTY}\n    auto a = numbers(n / 100);",
        LOOK,
        "static std::unique_ptr<double[]> numbers(size_t n)\n{\n    return std::make_unique<double[]>(n); //ALLOC\n}",
    ),
    "given_to_an_aggregate": (
        f"{DIRTY}\n    holder h{{n, std::make_unique<double[]>(n / 100)}}; //ALLOC\n    auto &a = h.data;",
        LOOK,
        "struct holder { size_t n; std::unique_ptr<double[]> data; };",
    ),
    "given_to_a_function": (
        "auto a = kept(std::unique_ptr<float[]>(new float[n]), 3); //ALLOC",
        SUM,
        "static std::unique_ptr<float[]> kept(std::unique_ptr<float[]> a, int first) { a[0] = first; return a; }",
    ),
    "two_given_to_an_aggregate": (
        "pair_of h{std::make_unique<int[]>(n), std::make_unique<double[]>(2 * n)}; //ALLOC\n    auto &a = h.second;",
        SUM + "\n    total += h.first[7];",
        "struct pair_of { std::unique_ptr<int[]> first; std::unique_ptr<double[]> second; };",
    ),
    "made_unique_member": (
        "struct { std::unique_ptr<float[]> a; } s;\n    s.a = std::make_unique<float[]>(n); //ALLOC",
        SUM.replace("a[k]", "s.a[k]"),
        "",
    ),
    "vector_of_vectors": ("std::vector<std::vector<double>> a(n / 100, std::vector<double>(m)); //ALLOC", ROWS, ""),
    "vector_of_vectors_of_value": (
        "std::vector<std::vector<int>> a(n / 100, std::vector<int>(m, 3)); //ALLOC",
        "    total = a[7][9] + a.size();",
        "",
    ),
    "vector_of_vectors_of_braces": (
        "std::vector<std::vector<body>> a(n / 100, std::vector<body>(m, body{1, 2, 3})); //ALLOC",
        "    total = a[7][9].x + a.size();",
        "",
    ),
    "vectors_in_an_initialiser_list": (
        "holder a(n / 100, m);",
        "    total = a.rows[7][9] + a.rows.size() + a.few.size();",
        "struct holder {\n    std::vector<std::vector<double>> rows;\n    std::vector<int> few;\n"
        "    holder(size_t n, size_t m) : rows(n, std::vector<double>(m, 2.5)), few(n, 1) { few[0] = 2; } //ALLOC\n};",
    ),
    "static_cast": ("auto *a = static_cast<double *>(std::malloc(n * sizeof(double))); //ALLOC", SUM, ""),
    "unique": ("std::unique_ptr<double[]> a(new double[n]); //ALLOC", SUM, ""),
    "vector": ("std::vector<double> a(n); //ALLOC", FILLED, ""),
    "vector_of_value": ("std::vector<double> a(n, 2.5); //ALLOC", FILLED, ""),
    "vector_by_its_value": ("auto a = std::vector<double>(n, 2.5); //ALLOC", FILLED, ""),
    "made_unique_in_a_list": (
        f"{DIRTY}\n    grid h(n / 100);\n    double *a = h.a.get();",
        LOOK,
        "class grid {\n    size_t count;\npublic:\n    std::unique_ptr<double[]> a;\n"
        "    explicit grid(size_t m) : count(m), a(std::make_unique<double[]>(count)) { a[1] = 7; } //ALLOC\n};",
    ),
    "made_unique_in_the_list_of_a_template": (
        f"{DIRTY}\n    column<int> h(n / 100);\n    column<word> s(3);\n    auto *a = h.all.get();",
        LOOK + "\n    total += s.all[2].length;",
        "struct word {\n    double length = 3;\n};\ntemplate <class T>\nclass column {\n    size_t count;\n"
        "public:\n    std::unique_ptr<T[]> all;\n    explicit column(size_t m)\n"
        "        : count(m), all(std::make_unique<T[]>(m)) {} //ALLOC\n};",
    ),
    "list_with_braces": (
        "grid h{n};\n    double *a = h.a.get();",
        SUM,
        "struct grid {\n    size_t count;\n    std::unique_ptr<double[]> a;\n"
        "    grid(size_t m)\n        : count{m}, a{new double[m]} //ALLOC\n    {\n        a[1] = 7;\n    }\n};",
    ),
    "two_vectors": ("std::vector<double> a(n, 1.0), b(2 * n); //ALLOC", FILLED + "\n    total += b.size() + b[n];", ""),
    "beside_an_empty_one": (
        "std::vector<float> b, a(n, 1), c; //ALLOC",
        FILLED + "\n    total += b.size() + c.size();",
        "",
    ),
    "on_one_line": ("std::vector<long> a; { a.resize(n); m = 3; } //ALLOC", FILLED, ""),
    "resize": ("std::vector<long> a;\n    a.resize(n); //ALLOC", FILLED, ""),
    "resize_of_some": ("std::vector<long> a;\n    a.push_back(7);\n    a.resize(n, 3); //ALLOC", FILLED, ""),
    "assign": ("std::vector<int> a;\n    a.assign(n, 4); //ALLOC", FILLED, ""),
    "zeroed_new": ("double *a = new double[n](); //ALLOC", SUM, ""),
    "of_complex": (
        "std::vector<std::complex<double>> a(n); //ALLOC",
        "    for (auto &each : a) total += each.real() + 1;",
        "#include <complex>",
    ),
    "alias": ("Values a(n); //ALLOC", FILLED, "using Values = std::vector<double>;"),
    "reserve": (
        "std::vector<double> a;\n    a.push_back(2);\n    a.reserve(n); //ALLOC\n"
        "    for (size_t k = 1; k < n; k++) a.push_back(k);",
        FILLED,
        "",
    ),
}
STATIC = {
    "aligned": ("static double a[100000] __attribute__((aligned(64)));", SUM, "a"),
    "aligned_as": ("_Alignas(64) static double a[100000];", SUM, "a"),
    "of_zeros": ("static double a[1000][16] = {{0}};", ROWS, "a"),
    "flat": ("static double a[100000];", SUM, "a"),
    "grid": ("double a[1000][16];", ROWS, "a"),
    "bodies": ("struct body a[100000];", BODIES, "a"),
    "struct": ("static struct { double v[100000]; } a;", SUM.replace("a[k]", "a.v[k]"), "a"),
}
FORTRAN = {
    "one": "allocate(a(n)) !ALLOC",
    "bounds": "allocate(a(0:n - 1)) !ALLOC",
    "two": "allocate(a(n), b(n, 4)) !ALLOC",
    "typed": "allocate(real(8) :: a(n)) !ALLOC",
    "copied": "block\n  real(8), allocatable :: c(:, :)\n  allocate(b(4, 0:n), source=2.5d0)\n"
    "  allocate(c, source=b) !ALLOC\n  ierr = nint(c(3, n) + lbound(c, 2))\n  allocate(a(n))\n  end block",
    "like_another": "block\n  real(8), allocatable :: c(:, :)\n  allocate(b(4, 0:n))\n"
    "  allocate(c, mold=b) !ALLOC\n  ierr = ubound(c, 2)\n  allocate(a(n))\n  end block",
    "component_of_an_element": "block\n  type part\n    real(8), allocatable :: d(:, :)\n  end type\n"
    "  type(part) :: all(3)\n  allocate(all(2)%d(n, 3)) !ALLOC\n  all(2)%d = 4\n  a = all(2)%d(:, 2)\n  end block",
    "stat": "allocate(a(n), stat=ierr) !ALLOC",
    "source": "allocate(a(n), b(2, n), source=1.5d0) !ALLOC",
    "continued": "allocate(a(n), & !ALLOC\n           b(4, n))",
    "continued_behind_a_comment": "allocate(a(n), & ! first\n    ! and the second\n           & b(4, n)) !ALLOC",
}
FORTRAN_BODY = """program main
  implicit none
  integer :: n = 100000, ierr = 0, i
  real(8), allocatable :: a(:), b(:, :)
  {allocation}
  do i = lbound(a, 1), ubound(a, 1)
    a(i) = i
  end do
  print *, sum(a), ierr
end program
"""

SNIPPETS: dict[str, Snippet] = {
    "zeros": zeros_in_parallel,
    "zeros_of_each": lambda memory: zeros_in_parallel(replace(memory, divide_each=True)) if memory.nest else [],
    "interleaved": interleaved,
    "by_node": lambda memory: by_node(memory, (0, 0)),
}
# The same text as `interleaved` but for the header and the call (see `on_request`), so a few cases are compiled.
HUGE_PAGES: dict[str, Snippet] = {
    "huge": lambda memory: huge_pages(memory, wanted=True),
    "small": lambda memory: huge_pages(memory, wanted=False),
}
COMPILED_WITH_HUGE_PAGES = ("malloc", "two_at_once", "rows", "new", "vector", "vectors_in_vector", "flat", "grid")
COMPILER = {".c": ["gcc", "-std=gnu17"], ".cpp": ["g++", "-std=c++17", "-fopenmp"], ".f90": ["gfortran"]}
if shutil.which("ld.gold"):  # reads the libraries of C++ and Fortran in half of the time
    COMPILER = {suffix: [*command, "-fuse-ld=gold"] for suffix, command in COMPILER.items()}
# Compiled each by itself: the headers that a snippet names are enough.
COMPILED_ALONE = ("malloc", "rows", "structs")
# The name of a structure or function that a C text defines.
OUTSIDE = re.compile(r"^(?:struct (?=\w+ \{)|static .*?(?=\w+\()|int (?=\w+\())(\w+)", re.MULTILINE)
CHOOSE = "\nint main(int count, char **names) {{ (void)count; switch (atoi(names[1])) {{ {cases} }} return 2; }}\n"
# Cases that are compiled together: most of the time goes into headers, libraries and processes.
TOGETHER = 12


@pytest.fixture(scope="module")
def cxx_head(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Flags that make g++ read CXX_HEAD compiled: it takes most of the time."""
    head = tmp_path_factory.mktemp("head") / "head.hpp"
    head.write_text(CXX_HEAD)
    subprocess.run([*COMPILER[".cpp"], "-x", "c++-header", head], check=True)
    return ["-include", str(head)]


def chosen(calls: Sequence[str]) -> str:
    """A main that calls what its argument numbers."""
    cases = " ".join(f"case {number}: return {call}();" for number, call in enumerate(calls))
    return CHOOSE.format(cases=cases)


def headers_and_rest(text: str) -> tuple[list[str], list[str]]:
    lines = text.split("\n")
    headers = [line for line in lines if line.startswith("#include")]
    return headers, [line for line in lines if line not in headers]


def c_source(texts: Sequence[str]) -> str:
    """All texts in one file: what a text defines outside of functions gets a name of its own."""
    headers: dict[str, None] = {}
    parts = []
    for number, text in enumerate(texts):
        mine, rest = headers_and_rest(text)
        headers.update(dict.fromkeys(mine))
        names = dict.fromkeys(OUTSIDE.findall("\n".join(rest)))
        parts += [f"#define {name} {name}_{number}" for name in names]
        parts += [*rest, *(f"#undef {name}" for name in names)]
    return "\n".join([*headers, *parts, chosen([f"main_{number}" for number in range(len(texts))])])


def cxx_source(texts: Sequence[str]) -> str:
    """All texts in one file, each in a namespace: its headers are read once."""
    headers: dict[str, None] = {}
    spaces = []
    for number, text in enumerate(texts):
        mine, rest = headers_and_rest(text)
        headers.update(dict.fromkeys(mine))
        spaces.append("\n".join([f"namespace text_{number} {{", *rest, "}"]))
    return "\n".join([*headers, *spaces, chosen([f"text_{number}::main" for number in range(len(texts))])])


def built(source: Path, text: str, flags: Sequence[str]) -> Path:
    source.write_text(text)
    program = source.with_suffix(".out")
    command = [*COMPILER[source.suffix], "-o", program, source, *flags]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=source.parent)
    assert done.returncode == 0, text + done.stderr
    return program


def outputs(source: Path, texts: Sequence[str], flags: Sequence[str], alone: bool) -> list[str]:
    """What a program of each text prints. alone: for texts with functions that run before main."""
    if alone:
        commands = [[str(built(source.with_stem(f"built_{number}"), text, flags))] for number, text in enumerate(texts)]
    else:
        together = {".c": c_source, ".cpp": cxx_source}[source.suffix]
        program = str(built(source.with_stem("built"), together(texts), flags))
        commands = [[program, str(number)] for number in range(len(texts))]
    environment = {"OMP_NUM_THREADS": "4"}
    done = [subprocess.run(each, capture_output=True, text=True, check=True, env=environment) for each in commands]
    assert not any(each.stderr for each in done), done  # libnuma says there what the kernel refuses
    return [each.stdout for each in done]


def on_request(interleaving: Sequence[str], advice: str) -> tuple[str, ...]:
    """Printed code that interleaves the pages of memory -> the code that asks for huge pages of it, or for none."""
    call = f"madvise((void *)page_first, page_end - page_first, {advice});"
    replaced = {
        "#include <numa.h>": "#include <sys/mman.h>",
        "; build with -lnuma": "",
        "numa_interleave_memory((void *)page_first, page_end - page_first, numa_all_nodes_ptr);": call,
    }
    text = "\n".join(interleaving)
    for old, new in replaced.items():
        assert old in text, text
        text = text.replace(old, new)
    return tuple(text.split("\n"))


def changed(
    source: Path, memories: list[Memory], found: int, snippets: Iterable[Snippet] = SNIPPETS.values()
) -> tuple[list[str], list[str]]:
    """The text in `source`, and that with each snippet alone; the flags that these need."""
    assert len(memories) == found, memories
    texts = [source.read_text()]
    if memories[0].size:
        for snippet, advice in zip(HUGE_PAGES.values(), ("MADV_HUGEPAGE", "MADV_NOHUGEPAGE")):
            assert printed(memories, snippet) == on_request(printed(memories, interleaved), advice)
    needed = []
    for snippet in snippets:
        if snippet is not zeros_in_parallel and not memories[0].size:
            continue  # the pieces have no address in common
        if snippet is SNIPPETS["zeros_of_each"] and any(memory.nest is None for memory in memories):
            continue  # for what loops allocate
        source.write_text(texts[0])
        done = apply(printed(memories, snippet), source.parent)
        texts.append(source.read_text())
        assert texts[-1] != texts[0]
        assert ("-lnuma" in done.flags) == ("numa_" in texts[-1])
        assert ("-fopenmp" in done.flags) == (texts[-1].count("omp parallel") > texts[0].count("omp parallel"))
        needed += done.flags
    return texts, needed


def alike(source: Path, cases: Sequence[tuple[list[str], list[str]]], flags: Sequence[str], alone: bool) -> None:
    """All texts of a case print the same. alone: they have functions that run before main."""
    flags = [*dict.fromkeys([*flags, *(flag for _, needed in cases for flag in needed)])]
    done = iter(outputs(source, [text for texts, _ in cases for text in texts], flags, alone))
    for (texts, _), expected in zip(cases, done):
        for text in texts[1:]:
            assert next(done) == expected, text


def compared(
    source: Path,
    memories: list[Memory],
    found: int,
    snippets: Iterable[Snippet] = SNIPPETS.values(),
    flags: Sequence[str] = (),
    *,
    alone: bool = False,
) -> None:
    case = changed(source, memories, found, snippets)
    alike(source, [case], flags, alone or memories[0].static or source.suffix == ".f90")


def batches(names: Iterable[str], alone: Sequence[str] = ()) -> list[list[str]]:
    """The names of cases that are compiled together."""
    others = [name for name in names if name not in alone]
    return [*([name] for name in alone), *(others[at : at + TOGETHER] for at in range(0, len(others), TOGETHER))]


def snippets_of(name: str) -> list[Snippet]:
    return [*SNIPPETS.values(), *(HUGE_PAGES.values() if name in COMPILED_WITH_HUGE_PAGES else ())]


def recorded(text: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if re.search("[/!]ALLOC", line))


@pytest.mark.requires("gcc", "libnuma")
@pytest.mark.parametrize("names", batches(C, COMPILED_ALONE), ids="+".join)
def test_c_in_its_place(names: list[str], tmp_path: Path) -> None:
    source, cases = tmp_path / "a.c", []
    for name in names:
        allocation, use, before = C[name]
        text = C_HEAD + BODY.format(allocation="    " + allocation, use=use, before=before)
        source.write_text(text)
        found = c_allocation.allocations(text.split("\n"), str(source), recorded(text))
        several = name.startswith("two_") and "pointers" not in name
        cases.append(changed(source, found, 2 if several else 1, snippets_of(name)))
    alike(source, cases, [], alone=names[0] in COMPILED_ALONE)


@pytest.mark.requires("g++", "libnuma")
@pytest.mark.parametrize("names", batches(CXX), ids="+".join)
def test_cxx_in_its_place(names: list[str], cxx_head: list[str], tmp_path: Path) -> None:
    source, cases = tmp_path / "a.cpp", []
    for name in names:
        allocation, use, before = CXX[name]
        text = CXX_HEAD + BODY.format(allocation="    " + allocation, use=use, before=before)
        source.write_text(text)
        found = c_allocation.allocations(text.split("\n"), str(source), recorded(text))
        several = name in (
            *("two_vectors", "new_of_structs", "initialiser_list", "two_on_a_line", "constructor_of_a_template"),
            *("two_made_unique_with_values", "two_constant_vectors", "two_given_to_an_aggregate"),
            *("vectors_in_an_initialiser_list", "returned_in_a_list", "list_of_two"),
        )
        cases.append(changed(source, found, 2 if several else 1, snippets_of(name)))
    alike(source, cases, cxx_head, alone=False)


OF_EACH = {
    "pointers": "for (auto *each : {&a, &b})\n        each->resize(n, 2); //ALLOC",
    "references": "for (auto &each : both) {\n        each.resize(n); //ALLOC\n        each[1] = 3;\n    }",
    "members": "for (auto &each : pairs) {\n        each.first.resize(n); //ALLOC\n    }",
    "reserved": "for (auto *each : {&a, &b}) each->reserve(n); //ALLOC",
}


@pytest.mark.requires("g++", "libnuma")
@pytest.mark.parametrize("head", ["", "namespace numbers {\n"])
def test_vectors_outside_of_functions_in_their_place(head: str, cxx_head: list[str], tmp_path: Path) -> None:
    source, end = tmp_path / "a.cpp", "}\nusing namespace numbers;\n" if head else ""
    made = f"const size_t cells = 90000;\n{head}static std::vector<double> a(cells, 1.5), b(cells / 2); //ALLOC\n{end}"
    source.write_text(CXX_HEAD + made + BODY.format(allocation="", use=LOOK + " total += b[7];", before=""))
    text = source.read_text()
    found = c_allocation.allocations(text.split("\n"), str(source), recorded(text))
    compared(source, found, 2, flags=cxx_head, alone=True)


@pytest.mark.requires("g++", "libnuma")
@pytest.mark.parametrize("name", OF_EACH)
def test_of_containers_without_a_number_only_each_is_divided(name: str, cxx_head: list[str], tmp_path: Path) -> None:
    declared = "std::vector<double> a, b, both[2];\n    std::vector<std::pair<std::vector<int>, int>> pairs(3);\n    "
    used = "    for (auto *each : {&a, &b, &both[1]}) for (double one : *each) total += one + pairs[2].first.size();"
    source = tmp_path / "a.cpp"
    source.write_text(CXX_HEAD + BODY.format(allocation=f"    {declared}{OF_EACH[name]}", use=used, before=""))
    lines = source.read_text().split("\n")
    found = c_allocation.allocations(lines, str(source), recorded(source.read_text()))
    assert not any(printed(found, snippet) for snippet in (zeros_in_parallel, lambda memory: by_node(memory, [0, 0])))
    divided = [replace(memory, divide_each=True) for memory in found]
    compared(source, divided, 1, flags=cxx_head)


@pytest.mark.requires("gcc", "libnuma")
@pytest.mark.parametrize("name", STATIC)
def test_variables_in_their_place(name: str, tmp_path: Path) -> None:
    declaration, use, variable = STATIC[name]
    source = tmp_path / "a.c"
    text = C_HEAD + BODY.format(allocation="", use=use, before=f"{declaration} //ALLOC")
    source.write_text(text)
    found = c_allocation.variable(text.split("\n"), str(source), recorded(text), variable)
    compared(source, [found] if found else [], 1, snippets_of(name))


@pytest.mark.requires("gfortran")
@pytest.mark.parametrize("name", FORTRAN)
def test_fortran_in_its_place(name: str, tmp_path: Path) -> None:
    source = tmp_path / "a.f90"
    text = FORTRAN_BODY.format(allocation=FORTRAN[name])
    source.write_text(text)
    found = fortran_allocation.allocations(text.split("\n"), str(source), recorded(text))
    compared(source, found, 2 if name in ("two", "source") or "continued" in name else 1, [zeros_in_parallel])


@pytest.mark.requires("gfortran")
def test_levels_of_a_fortran_array_are_divided_alike(tmp_path: Path) -> None:
    source = tmp_path / "a.f90"
    source.write_text(FORTRAN_BODY.format(allocation="allocate(a(n), b(n, 3)) !ALLOC"))
    found = fortran_allocation.allocations(source.read_text().split("\n"), str(source), recorded(source.read_text()))
    assert [memory.levels for memory in found] == [0, 3]
    divided = [fortran_allocation.each_level(memory) for memory in found]
    assert [memory.zero for memory in divided] == ["a({i}) = 0", "b({i},:) = 0"]
    compared(source, divided, 2, [zeros_in_parallel])


@pytest.mark.requires("gfortran")
@pytest.mark.parametrize("arrays", [2, 3, 7])  # the array has 1000 elements: some leave a rest
def test_each_array_that_one_of_fortran_holds_is_divided(arrays: int, tmp_path: Path) -> None:
    source = tmp_path / "a.f90"
    source.write_text(FORTRAN_BODY.format(allocation="allocate(a(n)) !ALLOC"))
    found = fortran_allocation.allocations(source.read_text().split("\n"), str(source), recorded(source.read_text()))
    divided = [fortran_allocation.each_array(memory, arrays) for memory in found]
    assert divided[0].zero == f"a(lbound(a, 1) + {{i}}::size(a) / {arrays}) = 0"
    compared(source, divided, 1, [zeros_in_parallel])


def test_elements_of_a_list_whose_structure_is_not_understood_have_no_names() -> None:
    lines = ["struct s { void make(); double *x; };", "void f(size_t n)", "{", "    s a{malloc(n)};", "}"]
    assert c_allocation.allocations(lines, "a.cpp", 4) == []
    assert [
        each.pointer for each in c_allocation.allocations(["struct s { double *x; };", *lines[1:]], "a.cpp", 4)
    ] == ["a.x"]


def test_what_a_function_hands_out_to_a_list_is_placed_in_the_function() -> None:
    lines = ["int main(void)", "{", "    float *a[] = {plane(n), plane(n)};", "}"]
    assert c_allocation.allocations(lines, "a.c", 3, "plane") == []
    assert len(c_allocation.allocations([line.replace("plane", "malloc") for line in lines], "a.c", 3)) == 2


@pytest.mark.requires("gfortran")
def test_blocks_of_fortran_are_written_once_each(tmp_path: Path) -> None:
    source = tmp_path / "a.f90"
    made = "do ierr = 1, 6\n  if (allocated(a)) deallocate(a)\n  allocate(a(n)) !ALLOC\n  end do"
    source.write_text(FORTRAN_BODY.format(allocation=made))
    found = fortran_allocation.allocations(source.read_text().split("\n"), str(source), recorded(source.read_text()))
    divided = [replace(memory, blocks=6) for memory in found]
    assert "if (first_touch == mod(blocks_made, 6)) a = 0" in "".join(printed(divided, zeros_in_parallel))
    compared(source, divided, 1, [zeros_in_parallel])


def test_levels_of_an_array_in_an_element_of_others() -> None:
    (memory,) = fortran_allocation.allocations(["allocate(g(i, j)%a(n, 4))"], "a.f90", 1)
    divided = fortran_allocation.each_level(memory)
    assert (divided.count, divided.zero) == ("lbound(g(i,j)%a, 1), ubound(g(i,j)%a, 1)", "g(i,j)%a({i},:) = 0")


FORTRAN_LOOP = """program main
  implicit none
  type part
    integer :: n
    real(8), allocatable :: a(:), b(:, :)
  end type
  type(part), allocatable :: all(:)
  integer :: n = 1000, i
  real(8) :: total = 0
  allocate(all(16))
  do i = 1, size(all)
    {before}
    allocate({allocated}) !ALLOC
    all(i)%a = i
    all(i)%b(2, :) = all(i)%a(:4)
  end do
  do i = 1, size(all)
    total = total + sum(all(i)%a) + sum(all(i)%b(2, :))
  end do
  print *, total
end program
"""
PARTS = "all(i)%a(n), all(i)%b(2, 4)"


@pytest.mark.requires("gfortran")
@pytest.mark.parametrize(
    ("before", "allocated"),
    [("all(i)%n = n ! kept", PARTS), ("allocate(all(i)%a(n))", "all(i)%b(2, 4)")],
)
def test_components_that_a_fortran_loop_allocates(before: str, allocated: str, tmp_path: Path) -> None:
    source = tmp_path / "a.f90"
    source.write_text(FORTRAN_LOOP.format(before=before, allocated=allocated))
    found = fortran_allocation.allocations(source.read_text().split("\n"), str(source), recorded(source.read_text()))
    compared(source, found, 1, [zeros_in_parallel])
    assert "do i = 1, size(all)" in source.read_text().split("!$omp parallel do")[1].split("\n")[1]


@pytest.mark.requires("gfortran")
def test_each_component_that_a_fortran_loop_allocates_is_divided(tmp_path: Path) -> None:
    source = tmp_path / "a.f90"
    source.write_text(FORTRAN_LOOP.format(before="all(i)%n = n", allocated=PARTS))
    found = fortran_allocation.allocations(source.read_text().split("\n"), str(source), recorded(source.read_text()))
    compared(source, [replace(memory, divide_each=True) for memory in found], 1, [zeros_in_parallel])
    assert "do first_touch = lbound(all(i)%b, 2), ubound(all(i)%b, 2)" in source.read_text()


def test_arrays_of_a_derived_type_are_not_set_to_zero() -> None:
    lines = FORTRAN_LOOP.format(before="", allocated=PARTS).replace("allocate(all(16))", "allocate(x(9), all(16))")
    found = fortran_allocation.allocations(lines.split("\n"), "a.f90", recorded(lines) - 3)
    assert [(memory.pointer, memory.derived) for memory in found] == [("x", False), ("all", True)]


@pytest.mark.parametrize(
    ("before", "allocated"),
    [
        ("n = n + 1", PARTS),
        ("allocate(all(i)%a(n))", "all(i)%b(2, size(all(i)%a))"),
        ("all(i)%n = 4", "all(i)%a(all(i)%n), all(i)%b(2, 4)"),
        ("call read_size(n)", PARTS),
        ("if (i == 1) n = 5", PARTS),
        ("", "all(1)%a(n), all(1)%b(2, 4)"),
        ("", PARTS + ", stat=ierr"),
    ],
)
def test_turns_of_a_fortran_loop_that_depend_on_others_stay(before: str, allocated: str) -> None:
    lines = FORTRAN_LOOP.format(before=before, allocated=allocated).split("\n")
    assert fortran_allocation.allocations(lines, "a.f90", recorded("\n".join(lines))) == []


FORTRAN_COMMON = """subroutine work
  implicit none
  real(8) :: a, b
  common /shared/ a(4, 5000), b(4, 5000)
  a = 1
  b(2, :) = a(3, :)
end subroutine

program main
  implicit none
  real(8) :: a, b
  common /shared/ {declared}
  call work
  print *, sum(a) + sum(b(2, :))
end program
"""


@pytest.mark.requires("gfortran")
def test_arrays_of_a_common_block_before_the_program_starts(tmp_path: Path) -> None:
    source = tmp_path / "a.f90"
    source.write_text(FORTRAN_COMMON.format(declared="a(4, 5000), b(4, 5000)"))
    found = fortran_allocation.common(source.read_text().split("\n"), str(source), "shared")
    compared(source, found, 2, [zeros_in_parallel])


@pytest.mark.parametrize("declared", ["a(4, 5000), b(20000)", "a(20000), b"])
def test_arrays_of_a_common_block_that_differ_are_left_alone(declared: str) -> None:
    assert fortran_allocation.common(FORTRAN_COMMON.format(declared=declared).split("\n"), "a.f90", "shared") == []
    block_data = FORTRAN_COMMON.format(declared="a(4, 5000), b(4, 5000)") + "block data\nend"
    assert fortran_allocation.common(block_data.split("\n"), "a.f90", "shared") == []


ZEROS = {
    "a = 0": True,
    "a(:) = 0.0d0": True,
    "A(i) = 0._dp ! all": True,
    "a(i) = 01": False,
    "b = 0": False,
    "a = 0 + i": False,
}


@pytest.mark.parametrize("statement", ZEROS)
def test_fortran_zeros_after_an_allocation_are_seen(statement: str) -> None:
    lines = ["subroutine f", "allocate(a(n))", "do i = 1, n", statement, "end do", "end subroutine", "a = 0"]
    (memory,) = fortran_allocation.allocations(lines, "a.f90", 2)
    assert fortran_allocation.set_to_zero(lines, memory) == ZEROS[statement]


FORTRAN_VARIABLES = {
    "module": ("m", "real(8) :: a(100000)"),
    "several": ("m", "integer :: b(4), c\n  real(8), dimension(100000), target :: d, a"),
    "program": (None, "real(8), save :: a(100000)"),
}


@pytest.mark.requires("gfortran")
@pytest.mark.parametrize("name", FORTRAN_VARIABLES)
def test_fortran_variables_before_the_program_starts(name: str, tmp_path: Path) -> None:
    module, declaration = FORTRAN_VARIABLES[name]
    source = tmp_path / "a.f90"
    text = f"module m\n  implicit none\n  {declaration if module else ''}\nend module\n"
    body = FORTRAN_BODY.replace("real(8), allocatable :: a(:), b(:, :)", declaration if not module else "! none")
    if module:
        body = body.replace("  implicit none", "  call work\ncontains\nsubroutine work\n  use m\n  implicit none")
        body = body.replace("end program", "end subroutine\nend program")
    source.write_text(text + body.format(allocation=""))
    found = fortran_allocation.variable(source.read_text().split("\n"), str(source), "a", module)
    compared(source, [found] if found else [], 1, [zeros_in_parallel])


def test_fortran_variables_with_values_are_left_alone() -> None:
    for declaration in ("real :: a(3) = 1", "real :: a(9)\ndata a /9*1/", "real :: a", "real, allocatable :: b(:)"):
        lines = f"program p\n{declaration}\nx = 1\nend program".split("\n")
        assert fortran_allocation.variable(lines, "a.f90", "a", None) is None


NOT_UNDERSTOOD = {
    "conditional": "double *a = n ? malloc(n * sizeof *a) : 0; //ALLOC",
    "returned": "return malloc(n); //ALLOC",
    "arguments": "use(malloc(n * sizeof(double)), malloc(n)); //ALLOC",
    "unknown_rows": "for (int r = 0; r < n; r++) {\n        m = f();\n        a[r] = malloc(m); //ALLOC\n    }",
    "grows_in_a_loop": "for (int r = 0; r < n; r++) {\n        k++;\n        a[k] = malloc(m); //ALLOC\n    }",
    "bits": "std::vector<bool> a(n); //ALLOC",
    "objects": "std::string *a = new std::string[n]; //ALLOC",
    "nested": "std::vector<std::vector<double>> a(n, std::vector<float>(m)); //ALLOC",
    "list": "std::vector<double> a{1, 2, 3}; //ALLOC",
    "iterators": "std::vector<double> a(b.begin(), b.end(), c); //ALLOC",
    "realloc": "a = realloc(a, n * sizeof *a); //ALLOC",
    "zeroed_objects": "std::string *a = new std::string[n](); //ALLOC",
    "range": "auto a = std::vector<double>(b.begin(), b.end()); //ALLOC",
    "range_of_pointers": "std::vector<double> a(p, p + n); //ALLOC",
    "copy": "std::vector<double> b;\n    std::vector<double> a(b); //ALLOC",
    "copy_by_its_value": "std::vector<double> b;\n    auto a = std::vector<double>(b); //ALLOC",
    "values": "std::vector<double> a({1.0, 2.0}); //ALLOC",
    "values_by_their_value": "auto a = std::vector<double>({1.0, 2.0}); //ALLOC",
    "assigned_range": "a.assign(b.begin(), b.end()); //ALLOC",
    "assigned_values": "a.assign({1.0, 2.0}); //ALLOC",
    "copies_in_vector": "std::vector<int> b;\n    std::vector<std::vector<int>> a(n, std::vector<int>(b)); //ALLOC",
    "vector_of_what_a_method_reads": "std::vector<double> a(s->next()); //ALLOC",
    "written_between": "double *a = malloc(n * 8); fill(a); double *b = malloc(n * 8); //ALLOC",
    "two_branches": "if (n > 3) { a = malloc(n * 8); } else { a = malloc(80); } //ALLOC",
    "two_containers": "std::vector<double> a(n); fill(a); std::vector<double> b(n); //ALLOC",
    "used_if_there": "double *a;\n    if ((a = malloc(n * 8)) != NULL) { //ALLOC\n        a[3] = 1;\n    }",
    "used_if_aligned": "double *a;\n    if (!posix_memalign((void **)&a, 64, n)) { //ALLOC\n        fill(a);\n    }",
    "checked_or_filled": "double *a;\n    if (!(a = malloc(n))) { n = 0; //ALLOC\n    } else {\n        a[1] = 2; }",
    "filled_by_its_neighbour": "double *a = malloc(n * 8), *b = fill(a, n); //ALLOC",
    "a_file": "double *a = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0); //ALLOC",
    "type_and_variable": "struct point { double x; } *a = malloc(n * sizeof *a); //ALLOC",
    "index_read_later": "int r;\n    for (r = 0; r < n; r++)\n        a[r] = malloc(m); //ALLOC\n    count = r;",
    "macro_that_fills": "ALLOC_ZERO(a, n); //ALLOC",
    "vector_of_what_is_read": "std::vector<double> a(read_count(file)); //ALLOC",
    "new_of_what_is_read": "double *a = new double[next()]; //ALLOC",
    "member_with_a_value": "struct {\n        std::vector<double> a = std::vector<double>(9); //ALLOC\n    } one;",
    "two_given_to_a_call": "use(std::make_unique<int[]>(n), std::make_unique<int[]>(n)); //ALLOC",
    "given_in_a_loop": "for (int r = 0; r < n; r++)\n        rows.push_back(std::make_unique<int[]>(n)); //ALLOC",
    "given_perhaps": "auto a = n ? kept(std::make_unique<int[]>(n)) : nullptr; //ALLOC",
    "given_in_a_lambda": "run([n] { use(std::make_unique<int[]>(n)); }); //ALLOC",
    "returned_objects": "return std::make_unique<std::string[]>(n); //ALLOC",
    "vector_in_an_arena": "std::pmr::vector<double> a(&arena);\n    a.reserve(n); //ALLOC",
    "grows_in_an_arena": "std::pmr::vector<int> a(&arena);\n    while (next())\n        a.push_back(i); //ALLOC",
    "other_loop": "for (node *p = head; p; p = p->next)\n        p->rows[p->i] = malloc(n); //ALLOC",
}


@pytest.mark.parametrize("name", NOT_UNDERSTOOD)
def test_what_is_not_understood_gets_no_code(name: str) -> None:
    macro = "#define ALLOC_ZERO(p, n) do { p = malloc(n); memset(p, 0, n); } while (0)\n"
    text = f"{macro}void f(void)\n{{\n    {NOT_UNDERSTOOD[name]}\n}}\n"
    assert c_allocation.allocations(text.split("\n"), "a.cpp", recorded(text)) == []


@pytest.mark.parametrize("head", ["", "namespace numbers {\n", 'extern "C" {\n', "class holder {\npublic:\n"])
@pytest.mark.parametrize("made", ["static double *a = new double[n];", "std::vector<double> a{n};"])
def test_outside_of_functions_no_code_can_stand(head: str, made: str) -> None:
    text = f"{head}{made} //ALLOC\n{'}' if head else ''};\n"
    assert c_allocation.allocations(text.split("\n"), "a.cpp", recorded(text)) == []


CELLS = """#include <stdio.h>
#include <stdlib.h>
struct cell { int n; double *x, *y; };
static struct cell grid[40][30];
int main(void)
{
    double total = 0;
    for (int j = 0; j < 40; j++)
        for (int i = 0; i < 30; i++) {
            struct cell *c = &grid[j][i];
            c->n = 12 + i % 3;
            const size_t bytes = c->n * sizeof *c->x;
            c->x = malloc(bytes); //ALLOC
            if (!c->x)
                return 1;
            c->y = calloc(c->n, sizeof *c->y);
            for (int k = 0; k < c->n; k++)
                c->x[k] = j + c->y[k];
        }
    for (int j = 0; j < 40; j++)
        for (int k = 0; k < grid[j][7].n; k++)
            total += grid[j][7].x[k];
    printf("%.3f\\n", total);
}
"""


@pytest.mark.requires("gcc", "libnuma")
@pytest.mark.parametrize("small", [True, False])
def test_cells_of_a_loop_are_told_apart_by_its_indices(small: bool, tmp_path: Path) -> None:
    """Small blocks get the node that their thread asks for; else pages have others' blocks in them."""
    source, lines = tmp_path / "a.c", CELLS.split("\n")
    source.write_text(CELLS)
    x, y = (c_allocation.allocations(lines, str(source), at)[0] for at in (recorded(CELLS), recorded(CELLS) + 3))
    assert x.nest is not None and x.nest.heads == ("for (int j = 0; j < 40; j++)", "for (int i = 0; i < 30; i++)")
    assert x.nest.needs == (
        "struct cell *c = &grid[j][i];",
        "c->n = 12 + i % 3;",
        "const size_t bytes = c->n * sizeof *c->x;",
    )
    memories = [replace(memory, small=small) for memory in (x, y)]
    snippets = [lambda memory: by_node(memory, (0, 0, 0, 0)), zeros_in_parallel]
    texts, needed = [CELLS], []
    for snippet in snippets:
        source.write_text(CELLS)
        needed += apply(printed(memories, snippet), source.parent).flags
        texts.append(source.read_text())
    assert ("numa_set_preferred(part_node[(size_t)j * 4 / (size_t)(40)]);" in texts[1]) is small
    assert texts[1].count("numa_set_localalloc();") == small
    expected, *others = outputs(source, texts, [*dict.fromkeys(needed)], True)
    assert others == [expected, expected]


GROWN = """#include <cstdio>
#include <vector>
struct point {{ double x = 1, y = 2; }};
struct cloud {{
    std::vector<point> points;
    explicit cloud(int n)
    {{
        {loop} //ALLOC
    }}
}};
int main()
{{
    cloud c(100000);
    double total = 0;
    for (const point &each : c.points)
        total += each.x + each.y;
    std::printf("%.3f\\n", total);
}}
"""
GROWS = {
    "one_line": "for (int i = 0; i < n; i++) points.push_back({{1.0 * i, 2}});",
    "block": "while (n-- > 0) {{\n            if (n % 3) {{\n                points.emplace_back(); //ALLOC\n"
    "            }}\n        }}",
}


@pytest.mark.requires("g++", "libnuma")
@pytest.mark.parametrize("name", GROWS)
def test_a_vector_that_has_grown_is_moved_once_it_is_full(name: str, cxx_head: list[str], tmp_path: Path) -> None:
    text = GROWN.format(loop=GROWS[name].format())
    source = tmp_path / "a.cpp"
    source.write_text(text)
    (memory,) = c_allocation.allocations(text.split("\n"), str(source), recorded(text))
    assert memory.grown and zeros_in_parallel(memory) == [] and interleaved(memory) == []
    code = printed([memory], lambda each: by_node(each, (0, 0, 0)))
    assert any("MPOL_MF_MOVE" in line for line in code)
    done = apply(code, tmp_path)
    assert "-lnuma" in done.flags
    expected, moved = outputs(source, [text, source.read_text()], [*cxx_head, *done.flags], True)
    assert moved == expected


NOT_GROWN = {
    "of_a_turn": "for (int i = 0; i < n; i++) {\n        std::vector<int> a;\n        a.push_back(i); //ALLOC\n    }",
    "of_a_container": "std::vector<int> a;\n    for (auto &a : all)\n        a.push_back(1); //ALLOC",
    "no_loop": "std::vector<int> a;\n    a.push_back(1); //ALLOC",
    "deque": "std::deque<int> a;\n    for (int i = 0; i < n; i++)\n        a.push_back(i); //ALLOC",
    "vectors_by_another_name": "using row = std::vector<int>;\n    std::vector<row> a;\n"
    "    for (int i = 0; i < n; i++)\n        a.emplace_back(n); //ALLOC",
    "strings": "std::vector<std::string> a;\n    for (int i = 0; i < n; i++)\n        a.push_back(name); //ALLOC",
}


@pytest.mark.parametrize("name", NOT_GROWN)
def test_what_does_not_outlive_its_loop_gets_no_code(name: str) -> None:
    text = f"void f(int n)\n{{\n    {NOT_GROWN[name]}\n}}\n"
    assert c_allocation.allocations(text.split("\n"), "a.cpp", recorded(text)) == []


@pytest.mark.parametrize("cell", ["struct cell *c = next(grid);", "c = c->next;", "struct cell *c = list + i;"])
def test_small_blocks_of_turns_without_a_number_get_no_code(cell: str) -> None:
    lines = CELLS.replace("struct cell *c = &grid[j][i];", cell).split("\n")
    (memory,) = c_allocation.allocations(lines, "a.c", recorded(CELLS))
    assert memory.in_loop and memory.nest is None
    small = replace(memory, small=True, unnumbered=True)
    assert by_node(small, (0, 1)) == [] and zeros_in_parallel(small) == []


HANDED_OUT = {
    "at_once": "void *get(size_t n)\n{\n    return malloc(n); //ALLOC\n}\n",
    "checked": "void *get(size_t n)\n{\n    void *p = malloc(n); //ALLOC\n    if (!p)\n        abort();\n"
    "    return p;\n}\n",
    "cast": "long *get(size_t n)\n{\n    void *p = calloc(n, 8); //ALLOC\n    return (long *)p;\n}\n",
    "cast_of_cxx": "long *get(size_t n)\n{\n    void *p = aligned_alloc(64, n); //ALLOC\n"
    "    return static_cast<long *>(p);\n}\n",
}
KEPT = {
    "behind_a_margin": "float *get(size_t n)\n{\n    float *p = malloc((n + 1) * 4); //ALLOC\n    return p + 1;\n}\n",
    "behind_a_header": "void *get(size_t n)\n{\n    char *p = malloc(n + 64); //ALLOC\n    return &p[64];\n}\n",
    "behind_a_number": "long *get(size_t n)\n{\n    char *p = malloc(n + 8); //ALLOC\n    return (long *)p + 1;\n}\n",
    "member": "void make(struct field *f)\n{\n    f->data = malloc(f->n * 8); //ALLOC\n}\n",
    "part": "double **make(int n)\n{\n    double **a = get(n);\n    a[0] = malloc(n); //ALLOC\n    return a;\n}\n",
    "other": "int make(void)\n{\n    double *p = malloc(9); //ALLOC\n    return 0;\n}\n"
    "void *f(void *p)\n{\n    return p;\n}\n",
}


ROWS_BESIDE = """#include <stdlib.h>
struct field { float **height, **water; };
static float *new_row(void)
{
    return malloc(400);
}
int make(struct field *f, int rows)
{
    for (int r = 0; r < rows; r++) {
        f->height[r] = new_row();
        f->water[r] = (float *)new_row();
        f->height[r][0] = f->water[r][1] = 1; //TOUCHED
    }
    return f->water[0] != new_row();
}
"""


def test_rows_that_one_function_hands_out_are_placed_together(tmp_path: Path) -> None:
    """All in the loop around the call; its size is what malloc says, for which a header is needed."""
    lines = ROWS_BESIDE.split("\n")
    assert c_allocation.rows_beside(lines, 11, "new_row") == [10, 11]
    assert c_allocation.rows_beside(lines, 14, "new_row") == []
    memories = [m for at in (10, 11) for m in c_allocation.allocations(lines, "a.c", at, "new_row")]
    assert [memory.pointer for memory in memories] == ["f->height[r]", "f->water[r]"]
    code = "\n".join(printed(memories, zeros_in_parallel))
    assert "#include <string.h>; #include <malloc.h>" in code
    (tmp_path / "a.c").write_text("\n".join(lines))
    done = apply(code.split("\n"), tmp_path)
    assert "-fopenmp" in done.flags
    command = ["gcc", "-Wall", "-Werror", "-fopenmp", "-c", "-o", str(tmp_path / "a.o"), str(tmp_path / "a.c")]
    subprocess.run(command, check=True)


@pytest.mark.parametrize("name", [*HANDED_OUT, *KEPT])
def test_functions_that_allocate_for_their_callers(name: str) -> None:
    text = {**HANDED_OUT, **KEPT}[name]
    assert c_allocation.is_handed_out(text.split("\n"), recorded(text)) == (name in HANDED_OUT)


WRITTEN = {
    "by_index": "    for (size_t k = 0; k < n; k++)\n        p[k] = 1;\n",
    "by_pointer": "    *p = 1;\n",
    "by_a_call": "    memset(p, 1, n * 8);\n",
    "by_another_name": "    double *q = p;\n    q[0] = 1;\n",
}
UNWRITTEN = {
    "nothing": "",
    "checked": "    if (!p || n == 0)\n        return NULL;\n",
    "checked_and_freed": "    if (p == NULL || n > most) {\n        free(p);\n        abort();\n    }\n",
    "other": "    allocated += n;\n    pages[n] = 1;\n",
}


@pytest.mark.parametrize("name", [*WRITTEN, *UNWRITTEN])
@pytest.mark.parametrize("made", ["malloc(n * 8)", "(double *)aligned_alloc(64, n * 8)", "new double[n]"])
def test_functions_that_write_to_what_they_hand_out(name: str, made: str) -> None:
    body = {**WRITTEN, **UNWRITTEN}[name]
    lines = f"double *get(size_t n)\n{{\n    double *p = {made};\n{body}    return p;\n}}\n".split("\n")
    assert c_allocation.is_handed_out(lines, 3)
    assert c_allocation.is_handed_out_unwritten(lines, 3) == (name in UNWRITTEN)


def test_a_template_hands_out_numbers_unwritten_and_objects_made() -> None:
    lines = ["template <typename T> T *alloc(int n) { return new T[n]; }"]
    known = [c_allocation.is_handed_out_unwritten(lines, 1, each) for each in ("double", "std::string", "")]
    assert known == [True, False, False]


@pytest.mark.requires("g++", "libnuma")
def test_blocks_that_no_loop_numbers_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    before = "static double *make(size_t n)\n{\n    double *p;\n    p = new double[n]; //ALLOC\n    return p;\n}\n"
    calls = "    for (size_t k = 0; k < 5; k++) { double *a = make(n); a[k] = k; total += a[k]; delete[] a; }"
    source.write_text(C_HEAD + BODY.format(before=before, allocation="", use=calls))
    lines, line = source.read_text().split("\n"), recorded(source.read_text())
    found = [replace(memory, blocks=5) for memory in c_allocation.allocations(lines, str(source), line)]
    compared(source, found, 1, [lambda memory: by_node(memory, (0,) * 5), lambda memory: by_node(memory, (0, 0))])


@pytest.mark.parametrize(
    ("text", "unwritten"),
    [
        ("return malloc(n);", True),
        ("return (double *)calloc(n, 8);", True),
        ("return new double[n];", True),
        ("return filled(malloc(n), n);", False),
        ("return new std::string[n];", False),
        ("return new field(n);", False),
        ("double *p = make_ones(n); return p;", False),
        ("double *p = malloc(n * 8); p[0] = 1; return p;", False),
        ("f->data = malloc(n * 8); set_up(f); return f->data;", False),
        ("f->data = malloc(n * 8); if (!f->data) abort(); return f->data;", True),
    ],
)
def test_what_is_returned_at_once_is_fresh_memory(text: str, unwritten: bool) -> None:
    lines = ["void *get(struct field *f, size_t n)", "{", text, "}"]
    assert c_allocation.is_handed_out_unwritten(lines, 3) == unwritten


SCHEDULES = {
    "c": (
        """void f(void)
{
#pragma omp parallel for \\
    schedule(monotonic: dynamic, 4)
    for (int i = 0; i < n; i++) {
        a[i] = 0; //USE

// at the margin
#if N
        b[i] = 0; //USE
#endif
        for (int k = 0; k < i; k++)
            c[k] +=
                d[k]; //USE
    }
}""",
        "dynamic, 4",
    ),
    "braces below": ("  #pragma omp for schedule( guided )\n  for (;;)\n  {\n    a[i]++; //USE\n  }", "guided"),
    "one line": ("#pragma omp parallel for schedule(static)\nfor (int i = 0; i < n; i++) a[i]++; //USE", "static"),
    "nest at one indentation": (
        "#pragma omp for collapse(2) schedule(static, 8)\n  // rows\n  for (;;)\n  for (;;) {\n    a[i]++; //USE\n  }",
        "static, 8",
    ),
    "behind one line": ("#pragma omp for schedule(dynamic)\nfor (;;) a[i]++;\nfor (;;)\n    b[i]++; //USE", None),
    "none": ("#pragma omp parallel for\n    for (int i = 0; i < n; i++)\n        a[i]++; //USE", ""),
    "behind": ("#pragma omp for schedule(dynamic)\n  for (;;)\n    a[i]++;\n  for (;;)\n    b[i]++; //USE", None),
    "chunk of a macro": ("#pragma omp for schedule(static,ROWS)\nfor (;;)\n    a[i]++; //USE", "static, ROWS"),
    "chunk of a call": ("#pragma omp for schedule(dynamic, f(n))\nfor (;;)\n    a[i]++; //USE", "dynamic"),
    "macro": ("#pragma omp for schedule SCHEDULE\nfor (;;)\n    a[i]++; //USE", None),
    "serial": ("void f(void)\n{\n    for (;;)\n        a[i]++; //USE\n}", None),
    "tasks": ("#pragma omp taskloop\n    for (;;)\n        a[i]++; //USE", None),
}
FORTRAN_SCHEDULES = {
    "continued": (
        """subroutine f
!$omp parallel do private(i) &
!$omp& schedule(Dynamic)
do j = 1, n
do i = 1, n
a(i) = 0 !USE
end do
b(j) = 1 !USE
end do""",
        "dynamic",
    ),
    "behind": ("!$omp do schedule(guided)\ndo i = 1, n\na(i) = 0\nenddo\ndo i = 1, n\nb(i) = 0 !USE\nend do", None),
    "comment between": ("!$omp do schedule(guided)\n! all rows\ndo i = 1, n\nb(i) = 0 !USE\nend do", "guided"),
    "labelled": ("!$omp do schedule(guided)\ndo 10 i = 1, n\na(i) = 0\n10 continue\nb(i) = 0 !USE", None),
    "another unit": ("!$omp do schedule(guided)\ndo i = 1, n\nend function g\nb(i) = 0 !USE", None),
    "none": ("!$omp parallel do\ndo i = 1, n\nb(i) = 0 !USE\nend do", ""),
}


@pytest.mark.parametrize("name", [*SCHEDULES, *(f"fortran {name}" for name in FORTRAN_SCHEDULES)])
def test_the_schedule_of_the_loop_around_a_line(name: str) -> None:
    text, expected = FORTRAN_SCHEDULES[name[8:]] if name.startswith("fortran ") else SCHEDULES[name]
    lines = text.split("\n")
    find_it = schedule.in_fortran if name.startswith("fortran ") else schedule.in_c
    used = [number for number, line in enumerate(lines, 1) if "USE" in line]
    found = [find_it(lines, number) for number in used]
    assert used and {loop and loop.schedule for loop in found} == {expected}


ROW_LOOP = "for (size_t k = 0; k < n / 100; k++) { for (size_t c = 0; c < 100; c++) USE += k; }"
DEALT = {
    "rows": (
        "double (*a)[100] = malloc(n * sizeof(double)); //ALLOC",
        "a[k][c]",
        "schedule(static, 2)",
        "",
        "static, 2",
    ),
    "flat": (
        "double *a = malloc(n * m * sizeof(double)); //ALLOC",
        "a[k * m + c % m]",
        "schedule(static, 1)",
        "m",
        "static, 1",
    ),
    "other_row": (
        "double *a = malloc(n * sizeof(double)); //ALLOC",
        "a[k * m + c % m]",
        "schedule(static, 1)",
        "",
        None,
    ),
    "in_blocks": ("double *a = malloc(n * sizeof(double)); //ALLOC", "a[k]", "schedule(static)", "", None),
    "by_another_index": ("double *a = malloc(n * sizeof(double)); //ALLOC", "a[c]", "schedule(static, 1)", "", None),
    "other_array": ("double *a = malloc(n * sizeof(double)), *d = a; //ALLOC", "d[k]", "schedule(static, 1)", "", None),
}


@pytest.mark.requires("gcc", "libnuma")
@pytest.mark.parametrize("name", DEALT)
def test_rows_are_handed_out_as_the_loop_that_uses_them_does(name: str, tmp_path: Path) -> None:
    allocation, use, schedule, row, expected = DEALT[name]
    pragma = f"#pragma omp parallel for {schedule}"
    loop = f"    memset(a, 0, n * sizeof(double));\n{pragma}\n    {ROW_LOOP.replace('USE', use)}"
    source = tmp_path / "a.c"
    source.write_text(C_HEAD + BODY.format(before="", allocation=allocation, use=loop))
    lines = source.read_text().split("\n")
    line = next(number for number, text in enumerate(lines, 1) if "pragma" in text) + 1
    (memory, *_) = c_allocation.allocations(lines, str(source), recorded(source.read_text()))
    found = c_schedule.dealt(lines, line, memory)
    assert (found and (found.schedule, found.row)) == (expected and (expected, row))
    if found is not None:
        compared(source, [found], 1, [zeros_in_parallel])


@pytest.mark.requires("gcc", "libnuma")
def test_calls_of_a_function_that_allocates_under_any_name(tmp_path: Path) -> None:
    allocation = "double *a = matrix(n), *b = matrix(9); //ALLOC"
    made = "static double *matrix(size_t n) { return malloc(n * sizeof(double)); }"
    source = tmp_path / "a.c"
    source.write_text(C_HEAD + BODY.format(before=made, allocation=allocation, use=SUM + "\n    free(b);"))
    lines, line = source.read_text().split("\n"), recorded(source.read_text())
    assert c_allocation.allocations(lines, str(source), line) == []
    compared(source, c_allocation.allocations(lines, str(source), line, "matrix"), 2)


MEMBERS = {
    "constant": ("const std::vector<double> a;", "a(n)"),
    "reference": ("std::vector<double> &a;", "a(n)"),
    "locks": ("std::vector<std::mutex> a;", "a(n)"),
    "counters": ("std::vector<std::atomic<int>> a;", "a(n)"),
    "named_by_another": ("std::vector<double> a;\n    double *first;", "a(n), first(a.data())"),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_members_that_cannot_be_filled_later_are_left_alone(name: str) -> None:
    declared, made = MEMBERS[name]
    lines = f"struct holder {{\n    {declared}\n    holder(size_t n) : {made} {{}} //ALLOC\n}};".split("\n")
    assert c_allocation.allocations(lines, "a.cpp", recorded("\n".join(lines))) == []


def test_members_that_a_header_declares() -> None:
    lines = ["field::field(size_t n) : m_a(n), m_b(n, 1) {}"]
    header = ["class field {", "    std::vector<double> m_a, m_b; // vector<bool> m_a", "};"]
    assert c_allocation.allocations(lines, "a.cpp", 1) == []
    found = c_allocation.allocations(lines, "a.cpp", 1, headers=header)
    assert [(memory.pointer, memory.zero) for memory in found] == [
        ("m_a.data()", "m_a.data()[{i}] = 0;"),
        ("m_b.data()", "m_b.data()[{i}] = 0;"),
    ]


def test_policies_are_for_whole_pages_of_the_recorded_machine() -> None:
    """mbind refuses an address within a page (EINVAL), and pages have 64 KiB on some machines."""
    text = ["void f(size_t n)", "{", "    double *a = malloc(n * sizeof *a);", "}"]
    found = [replace(memory, page_bytes=65536) for memory in c_allocation.allocations(text, "a.c", 3)]
    for snippet in (interleaved, lambda memory: by_node(memory, (0, 1)), *HUGE_PAGES.values()):
        code = "\n".join(printed(found, snippet))
        assert "65535) / 65536 * 65536;" in code and "4096" not in code


def test_two_changes_of_one_line_are_one_text() -> None:
    """Of two vectors on a line one is interleaved, the other divided: each recommendation has the line with both."""
    text = ["void f(size_t n)", "{", "    std::vector<double> a(n, 1.0), b(n);", "}"]
    found = [
        replace(memory, ordinal=number) for number, memory in enumerate(c_allocation.allocations(text, "a.cpp", 3), 1)
    ]
    changes = [
        edits_of([replace(memory, kept=memory.ordinal != mine) for memory in found], snippet)
        for mine, snippet in ((1, interleaved), (2, zeros_in_parallel))
    ]
    one, other = map(edit.printed, agreed(changes))
    assert one == other
    assert edit.printed(changes[0]) != edit.printed(changes[1])
    assert "numa_interleave_memory" in "".join(one) and "pragma omp" in "".join(one)
    assert "#include <numa.h>" in one[0] and "-lnuma -fopenmp" in one[0]


def test_memory_that_is_made_without_values_is_placed_as_it_is() -> None:
    lines = ["void f(size_t n)", "{", "    auto a = std::make_unique_for_overwrite<float[]>(n);", "}"]
    (memory,) = c_allocation.allocations(lines, "a.cpp", 3)
    assert (memory.pointer, memory.before, memory.zeroed) == ("a.get()", (), False)


def test_a_product_of_ints_behind_a_size_is_no_int() -> None:
    lines = ["void f(int n)", "{", "    double *a = malloc(sizeof(double) * n * n);", "}"]
    assert [memory.count for memory in c_allocation.allocations(lines, "a.c", 3)] == ["(size_t)n * n"]


@pytest.mark.parametrize("declared", ["struct P { double x = 1; };", "struct P { double x; P() : x(2) {} };"])
def test_variables_that_a_constructor_fills_are_left_alone(declared: str) -> None:
    assert c_allocation.variable([declared, "static P a[100];"], "a.cpp", 2, "a") is None


BESIDE = {
    "vectors": ("std::vector<double> a(n), b(n, 3.0); //ALLOC", ""),
    "zeroed": ("double *a = new double[n](), *b; b = new double[n](); // both //ALLOC", ""),
    "members": (
        "holder h(n);\n    double *a = h.a, *b = h.b;",
        "struct holder {\n    double *a, *b;\n"
        "    holder(size_t n) : a(new double[n]()), b(new double[n]()) { b[4] = 7; } //ALLOC\n};",
    ),
}


@pytest.mark.requires("g++", "libnuma")
@pytest.mark.parametrize("name", BESIDE)
def test_one_allocation_of_a_line_alone(name: str, cxx_head: list[str], tmp_path: Path) -> None:
    allocation, before = BESIDE[name]
    source = tmp_path / "a.cpp"
    use = "    for (size_t k = 0; k < n; k++) total += a[k] + b[k];"
    text = CXX_HEAD + BODY.format(allocation="    " + allocation, use=use, before=before)
    found = c_allocation.allocations(text.split("\n"), str(source), recorded(text))
    there = [replace(memory, ordinal=number) for number, memory in enumerate(found, 1)]
    texts, flags = [text], list[str]()
    for number in (1, 2):
        mine = find.chosen(there, (number,))
        source.write_text(text)
        flags += apply(printed(mine[::-1], zeros_in_parallel), tmp_path).flags
        texts.append(source.read_text())
        assert texts[-1].count("omp parallel") == 1
    expected, *others = outputs(source, texts, [*dict.fromkeys([*cxx_head, *flags])], alone=False)
    assert others == [expected] * 2, texts


def test_variables_with_values_are_left_alone() -> None:
    for declaration in ("double a[3] = {1, 2, 3};", "extern double a[100];", "void f(void) { static double a[100]; }"):
        assert c_allocation.variable([declaration], "a.c", 1, "a") is None


def test_what_is_added_above_a_line_outlives_its_replacement(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("one\ntwo\n")
    apply(["// a.c: after line 1, add", "added", "// a.c: instead of line 2", "new"], tmp_path)
    assert (tmp_path / "a.c").read_text() == "one\nadded\nnew\n"


def test_code_that_says_not_where_it_belongs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not usable as printed"):
        apply(["#pragma omp parallel for      above the loop"], tmp_path)


STAYS = """#include <numa.h>
#include <sched.h>
#include <stdio.h>
int main(void)
{{
    struct bitmask *before = numa_get_run_node_mask();
    int node = numa_node_of_cpu(sched_getcpu());
    {stay}
    struct bitmask *on = numa_get_run_node_mask();
    printf("%d %d\\n", numa_bitmask_weight(on), numa_bitmask_isbitset(on, node));
    {leave}
    printf("%d\\n", numa_bitmask_equal(numa_get_run_node_mask(), before));
    return 0;
}}
"""


@pytest.mark.requires("gcc", "libnuma")
def test_a_thread_that_stays_on_its_node_may_leave_it_again(tmp_path: Path) -> None:
    source, program = tmp_path / "stays.c", tmp_path / "stays"
    source.write_text(STAYS.format(stay=stay("").code, leave=leave("").code))
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-Wall", "-Werror", "-o", program, source, "-lnuma"], check=True)
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    assert done.stdout == "1 1\n1\n"
