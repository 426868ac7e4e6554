// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/rust_names.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static void read_as(const char *mangled, const char *readable)
{
    char *name = rust_names_read(mangled);
    CHECK_STR(name ? name : "none", readable);
    free(name);
}

static void unescaped(const char *demangled, const char *readable)
{
    char name[256];
    snprintf(name, sizeof name, "%s", demangled);
    rust_names_unescape(name);
    CHECK_STR(name, readable);
}

TEST(a_path_is_read)
{
    read_as("_RNvNtCslNYArtu3iFV_5alloc5alloc5alloc", "alloc::alloc::alloc");
    read_as("_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal", "std::rt::lang_start_internal");
    read_as("_RNvC3app4main.llvm.42", "app::main");
    read_as("_RNvC3app4mainC3lib", "app::main");
}

TEST(closures_have_no_number)
{
    read_as("_RNCNvC3app4main0B3_", "app::main::{closure}");
    read_as("_RNCNvC3app4mains_0", "app::main::{closure}");
}

TEST(generic_arguments_are_left_out)
{
    read_as("_RINvC3app4fillNtC3app4CelljKj8_EB2_", "app::fill");
    read_as("_RNvMs_NtC5alloc3vecINtB4_3VecdE4pushC3app", "alloc::vec::Vec::push");
    read_as("_RINvC3app3runFUKCjhEuDNtC3app3JobEL_TjQL0_SeEAhj8_E", "app::run");
}

TEST(a_method_of_a_trait_is_named_by_the_type)
{
    read_as("_RNvXC3appNtC3app4GridNtC4core5Clone5clone", "app::Grid::clone");
    read_as("_RNvYNtC3app4GridNtC4core5Clone10clone_from", "app::Grid::clone_from");
    read_as("_RNvXC3appShNtC4core4Hash4hash", "[u8]::hash");
    read_as("_RNvXC3appDNtC3app3JobEL_NtC4core4Drop4drop", "dyn app::Job::drop");
}

TEST(what_is_not_a_name_of_rust_is_not_read)
{
    static const char *const others[] = {
        "main", "_R", "_Read", "_RNv", "_RNvC3app", "_RNvC3app9main", "_RC3app!", "_RNvC99999999999999999999app4main",
        "_RB_", "_RNvB_4main", "_RNvB0_4main", "_RIB_IB_IB_E", "_RNvCs-_3app4main", "_RNvBzzzzzzzzzzzzzzzzzzzz_4main",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        read_as(others[i], "none");
}

TEST(a_name_too_deep_is_not_read)
{
    char name[4096];
    memset(name, 'S', sizeof name);
    memcpy(name, "_RY", 3);
    name[sizeof name - 1] = '\0';
    read_as(name, "none");
}

// Each tuple holds the one before it twice.
TEST(a_name_that_multiplies_is_not_read)
{
    char name[1024] = "_RNvYTThhE";
    const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t last = 4; // the position of the tuple, behind _R
    for (int i = 0; i < 20; i++) {
        char more[64], position[8];
        size_t value = last - 1;
        if (value < 62)
            snprintf(position, sizeof position, "%c_", digits[value]);
        else
            snprintf(position, sizeof position, "%c%c_", digits[value / 62], digits[value % 62]);
        last = strlen(name) - 2;
        snprintf(more, sizeof more, "TB%sB%sE", position, position);
        strcat(name, more);
    }
    strcat(name, "EC3app4main");
    read_as(name, "none");
}

TEST(the_older_scheme_loses_hash_and_escapes)
{
    unescaped("r::main::h086b0cfd890a8ea9", "r::main");
    unescaped("r::main::_$u7b$$u7b$closure$u7d$$u7d$::hda2b34f13d4e2c10", "r::main::{{closure}}");
    unescaped("alloc::vec::Vec$LT$T$C$A$GT$::grow::h042a0dd0edd9a7e9", "alloc::vec::Vec<T,A>::grow");
    unescaped("_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..clone..Clone$GT$::clone::h042a0dd0edd9a7e9",
              "alloc::vec::Vec<T>::clone");
    unescaped("_$LT$$RF$mut$u20$F$GT$::call::h042a0dd0edd9a7e9", "&mut F::call");
}

TEST(names_of_cpp_stay)
{
    unescaped("Grid::cell::h086b0cfd890a8ea", "Grid::cell::h086b0cfd890a8ea");
    unescaped("std::vector<int>::size() const", "std::vector<int>::size() const");
    unescaped("::h", "::h");
    unescaped("", "");
}
