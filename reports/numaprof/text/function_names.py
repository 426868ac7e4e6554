# SPDX-License-Identifier: Apache-2.0
"""Names of functions, made short: templates, arguments and variants of the C library removed."""

from __future__ import annotations

import re

from numaprof.text.format import clean

_WITHIN_BRACKETS = re.compile(r"<[^<>]*>|\([^()]*\)|\[clone[^]]*\]")
# operator new(unsigned long): the arguments of operators say nothing.
_ALLOCATING = re.compile(r"^.*\boperator (new|delete)(\[\])?.*$")
# A procedure of a Fortran module, as gfortran writes it into the symbol table.
_FORTRAN_MODULE = re.compile(r"^__\w+_MOD_(\w+)")
# What libc calls its variants of one function for different CPUs, for itself, or with a check of bounds:
# __memset_avx2_unaligned_erms, __libc_realloc, __GI__IO_fread, __memcpy_chk.
_VARIANT_OF_LIBC = re.compile(
    r"^(?:_IO_|__(?:GI_)?(?:_?IO_)?(?:libc_)?)(\w+?)(?:_chk)?(?:_(?:s?sse\d|avx|evex|erms|sve|neon|generic)\w*)?$"
)
# What compilers put behind the names of variables of one function and of parts and copies of functions: u.3,
# fill.constprop.0, main._omp_fn.0, alloc(int) [clone .isra.0].
_NUMBERED_BY_COMPILER = re.compile(
    r"(?:\.(?:\d+|_omp_fn|omp_outlined\w*|constprop|isra|part|cold|lto_priv|llvm|localalias))+$|(?: \[clone [^]]*\])+$"
)
# std::vector<int>::vector(std::vector<int> const&), operator= as well.
_COPYING = re.compile(r"(.+)::(?:\w+|operator=)\(\1 const&")
_CALL = "\0"  # for operator(), whose brackets are not those of arguments
_DEEPEST = 8  # brackets within brackets; names may be hostile
NAME_LIMIT = 24  # of a function or thread in running text; C++ names fill screens


def without_arguments(function: str) -> str:
    """std::vector::vector of std::vector<double, std::allocator<double> >::vector(unsigned long)."""
    is_template = "<" in function
    function = _ALLOCATING.sub(r"operator \1\2", function)
    function = function.replace("operator()", _CALL)
    for _ in range(_DEEPEST):
        plain = _WITHIN_BRACKETS.sub("", function)
        if "operator" in function or plain in (function, ""):
            break
        function = plain
    function = _FORTRAN_MODULE.sub(r"\1", function.strip().removesuffix(" const"))
    function = function.replace(_CALL, "operator()")
    if is_template and "operator" not in function:
        function = function.rpartition(" ")[2]  # the type that it returns stands before its name
    return function


def function_name(function: str) -> str:
    """The same, and no longer than NAME_LIMIT."""
    function = without_arguments(function)
    if len(function) > NAME_LIMIT and "::" in function and "operator" not in function:
        # A name's end tells more than its namespaces.
        whole = function.find("::", len(function) - NAME_LIMIT - len("::"))
        function = function[whole + 2 :] if whole >= 0 else function.rpartition("::")[2]
    return clean(function, NAME_LIMIT)


def is_copying(function: str) -> bool:
    """True for what makes an object of C++ as a copy of another one of its class."""
    return _COPYING.match(function) is not None


def without_variant(function: str) -> str:
    """memset of __memset_avx2_unaligned_erms: as the user calls it."""
    return _VARIANT_OF_LIBC.sub(r"\1", function)


def in_source(name: str) -> str:
    """fill of fill.constprop.0, u of u.3: as the program's text has it."""
    return _NUMBERED_BY_COMPILER.sub("", name)


def variable_in_source(name: str) -> str:
    """The same of a variable. Clang puts the function before those of functions: u of fill.u."""
    before, colons, last = in_source(_FORTRAN_MODULE.sub(r"\1", name)).rpartition("::")
    return before + colons + last.rpartition(".")[2]
