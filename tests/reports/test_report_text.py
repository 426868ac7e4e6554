# SPDX-License-Identifier: Apache-2.0
"""Foreign text stays text, and numbers say what they are."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numaprof.analysis.naming import first_touch_at, list_of_sites, positions
from numaprof.evidence.machine import parse_list
from numaprof.evidence.source_location import Site
from numaprof.text.format import (
    clean,
    cpus_in_text,
    duration,
    either,
    number,
    number_list,
    percent,
    plural,
    round_percent,
    size,
    words,
)
from numaprof.text.function_names import function_name, in_source, without_variant

NASTY = [
    ("\x1b[31mred", "\\x1b[31mred"),
    ("a\nb\tc", "a\\x0ab\\x09c"),
    ("\u202egnp.exe", "\\xe2\\x80\\xaegnp.exe"),  # turns the direction of what follows
    ("\u2066x\u2069\u200f", "\\xe2\\x81\\xa6x\\xe2\\x81\\xa9\\xe2\\x80\\x8f"),
    ("\x9b31m", "\\xc2\\x9b31m"),  # an 8-bit escape
    ("\u2028", "\\xe2\\x80\\xa8"),  # a line end of Unicode's
    ("caf\udce9", "caf\\xe9"),  # a byte of a name that is not UTF-8, as Python hands it over
    ("\ud800", "\\xed\\xa0\\x80"),
    ("größe 漢字", "größe 漢字"),
    ("[red]x[/red] :smile:", "[red]x[/red] :smile:"),
]


@pytest.mark.parametrize(("text", "shown"), NASTY)
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text())
def test_clean_leaves_only_what_can_be_seen(text: str) -> None:
    shown = clean(text)
    assert all(unicodedata.category(character)[0] not in "CZ" or character == " " for character in shown)
    assert clean(shown) == shown


@given(st.text(), st.integers(min_value=8, max_value=60))
def test_clean_keeps_its_limit(text: str, limit: int) -> None:
    shown = clean(text, limit)
    assert len(shown) <= limit
    assert shown == clean(text) or "…" in shown


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_clean_does_not_touch_plain_text(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (11, "11"),
        (9412, "9 412"),
        (9999.4, "9 999"),
        (9999.6, "10 k"),
        (13_107, "13.1 k"),
        (131_082, "131 k"),
        (999_499, "999 k"),
        (999_600, "1 M"),
        (1_048_576, "1.05 M"),
        (5.2e10, "52 G"),
    ],
)
def test_number(value: float, shown: str) -> None:
    assert number(value) == shown


@given(st.floats(min_value=0, max_value=1e18))
def test_number_is_right_to_three_digits(value: float) -> None:
    shown = number(value)
    factor = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}.get(shown[-1], 1.0)
    digits = float(shown.rstrip("kMGTPE").replace(" ", ""))
    assert abs(digits * factor - value) <= max(0.5, 0.005 * value)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0 B"),
        (4096, "4 KiB"),
        (32 << 20, "32 MiB"),
        (1.5 * (1 << 30), "1.5 GiB"),
        (1023, "1 KiB"),
        (68_198, "66.6 KiB"),
    ],
)
def test_size(value: float, shown: str) -> None:
    assert size(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [(None, "n/a"), (0.0, "0.0 %"), (1e-9, "<0.1 %"), (0.501, "50.1 %"), (0.99996, ">99.9 %"), (1.0, "100.0 %")],
)
def test_percent_says_none_and_all_only_of_none_and_all(share: float | None, shown: str) -> None:
    assert percent(share) == shown


@given(st.floats(min_value=0, max_value=1))
def test_percent_never_lies_about_the_ends(share: float) -> None:
    assert (percent(share) == "0.0 %") == (share == 0)
    assert (percent(share) == "100.0 %") == (share == 1)


def test_other_words() -> None:
    assert round_percent(1 / 3) == "33 %"
    assert round_percent(0.002) == "0.2 %"
    assert [duration(value) for value in (12, 1_500, 35e6, 2.1e9, 99.96e9, 250e9, 7.5e12)] == [
        "12 ns",
        "1.50 us",
        "35.0 ms",
        "2.10 s",
        "100 s",
        "4 min 10 s",
        "2 h 5 min",
    ]
    assert plural(1, "thread") == "1 thread"
    assert plural(8, "thread") == "8 threads"
    assert plural(1.2, "request") == "1 request", "an estimate that is printed as 1"
    assert [either(count, "was", "were") for count in (0, 1, 2)] == ["were", "was", "were"]
    assert words([]) == ""
    assert words(["a"]) == "a"
    assert words(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("cpus", "text"),
    [((), "?"), ((3,), "3"), ((0, 4), "0,4"), ((0, 1, 2, 3), "0-3"), (tuple(range(0, 16, 2)), "8 CPUs")],
)
def test_cpus_of_a_thread(cpus: tuple[int, ...], text: str) -> None:
    assert cpus_in_text(cpus) == text


@given(st.sets(st.integers(min_value=0, max_value=300)))
def test_number_list_can_be_read_back(numbers: set[int]) -> None:
    assert set(parse_list(number_list(list(numbers)))) == numbers


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("main", "main"),
        ("main._omp_fn.0", "main._omp_fn.0"),
        ("Field::sum(unsigned long) const", "Field::sum"),
        ("std::vector<double, std::allocator<double> >::vector(unsigned long)", "std::vector::vector"),
        ("spmv(Csr const&, double const*) [clone ._omp_fn.0]", "spmv"),
        ("Map::operator<", "Map::operator<"),
        ("(anonymous namespace)", "(anonymous namespace)"),
        ("Domain::AllocateNodePersistent(int)", "AllocateNodePersistent"),
        ("app::mesh::Domain::allocate(int)", "mesh::Domain::allocate"),
        ("__field_module_MOD_build_field", "build_field"),
        ("operator new(unsigned long)", "operator new"),
        ("void generate<Csr<double, int> >(Csr<double, int>&, int)", "generate"),
        ("Apply<Csr<double> >::operator()(Csr<double>&) [clone ._omp_fn.0]", "Apply::operator()"),
        ("~sum list.js:3", "~sum list.js:3"),
    ],
)
def test_functions_without_their_arguments(function: str, name: str) -> None:
    assert function_name(function) == name


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("__memset_avx2_unaligned_erms", "memset"),
        ("__memset_sse2_unaligned_erms", "memset"),
        ("__memmove_ssse3", "memmove"),
        ("__libc_calloc", "calloc"),
        ("__GI__IO_fread", "fread"),
        ("_IO_file_read", "file_read"),
        ("__memcpy_chk", "memcpy"),
        ("_start", "_start"),
        ("fread", "fread"),
        ("std::vector<int>::resize(unsigned long)", "std::vector::resize"),
    ],
)
def test_functions_of_libraries_as_they_are_called(function: str, name: str) -> None:
    assert function_name(without_variant(function)) == name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("fill.constprop.0.isra.0", "fill"),
        ("main._omp_fn.0", "main"),
        ("main.omp_outlined_debug__", "main"),
        ("alloc(int) [clone .constprop.0] [clone .cold]", "alloc(int)"),
        ("u1.3", "u1"),
        ("sum2", "sum2"),
    ],
)
def test_names_as_the_text_has_them(symbol: str, name: str) -> None:
    assert in_source(symbol) == name


def test_a_variant_in_libc_is_called_as_the_user_calls_it() -> None:
    assert Site("__memset_avx2_unaligned_erms", module="/lib/libc.so.6").position == "memset in libc.so.6"
    assert Site("__memset_mine", module="/lib/libmine.so").position == "__memset_mine in libmine.so"


def test_a_place_without_lines_is_named_without_arguments() -> None:
    assert Site("os::malloc(unsigned long, MEMFLAGS)", module="/lib/libjvm.so").position == "os::malloc in libjvm.so"


def test_places_of_one_function_stand_together() -> None:
    sites = [
        Site("fill", "/src/a.c", 9),
        Site("main", "/src/b.c", 3),
        Site("fill", "/src/a.c", 7),
        Site("f", module="m"),
    ]
    assert list_of_sites(sites) == "a.c:7 and 9 fill, b.c:3 main and f in m"
    assert list_of_sites(sites, 1) == "a.c:7 and 9 fill and 2 more places"
    assert positions([*sites, Site("other", "/src/a.c", 9)]) == "f in m, a.c:7, 9 and b.c:3"


def test_instances_of_a_template_are_one_place() -> None:
    sites = [Site(f"Pool<{each}>::add<{each} const&>({each} const&)", "/src/a.cpp", 50) for each in ("int", "Motion")]
    assert first_touch_at(sites) == "a.cpp:50 Pool::add first touches"
    assert (
        first_touch_at([*sites, Site("main", "/src/a.cpp", 60)]) == "a.cpp:50 Pool::add and a.cpp:60 main first touch"
    )


@pytest.mark.parametrize("function", ["::" * 100_000, "(" * 100_000, "<" * 5_000 + ">" * 5_000, "[clone" * 1000, ""])
def test_hostile_functions_have_a_name(function: str) -> None:
    assert len(function_name(function)) <= 24
