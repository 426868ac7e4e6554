// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/rust_names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names come from files that anybody may have made: what takes more is not read.
enum { LENGTH_MAX = 512, DEPTH_MAX = 64, STEPS_MAX = 2000, HASH_DIGITS = 16 };

struct rust_names {
    const char *text, *at; // behind _R; the next character
    char out[LENGTH_MAX];
    size_t used;
    int depth, steps, silent; // silent: more than 0 while nothing is written
    bool failed;
};

static void path(struct rust_names *n);
static void type(struct rust_names *n);

static bool taken(struct rust_names *n, char wanted)
{
    if (*n->at != wanted || n->failed)
        return false;
    n->at++;
    return true;
}

static char next(struct rust_names *n)
{
    if (n->failed || !*n->at) {
        n->failed = true;
        return '\0';
    }
    return *n->at++;
}

static void write_bytes(struct rust_names *n, const char *bytes, size_t length)
{
    if (n->silent || n->failed)
        return;
    if (length >= sizeof n->out - n->used) {
        n->failed = true;
        return;
    }
    memcpy(n->out + n->used, bytes, length);
    n->used += length;
}

static void write_text(struct rust_names *n, const char *text)
{
    write_bytes(n, text, strlen(text));
}

static void silently(struct rust_names *n, void part(struct rust_names *))
{
    n->silent++;
    part(n);
    n->silent--;
}

// "_" is 0, "0_" is 1. Hashes of crates may be larger than any number here: they are not printed.
static uint64_t base_62(struct rust_names *n)
{
    uint64_t value = 0;
    if (taken(n, '_'))
        return 0;
    for (char c = next(n); c != '_'; c = next(n)) {
        static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit) {
            n->failed = true;
            return 0;
        }
        value = value > UINT32_MAX ? UINT32_MAX : value * 62 + (uint64_t)(digit - digits);
    }
    return value + 1;
}

static void disambiguator(struct rust_names *n)
{
    if (taken(n, 's'))
        base_62(n);
}

// Its bytes; names that are not ASCII stay encoded.
static const char *identifier(struct rust_names *n, size_t *length)
{
    disambiguator(n);
    taken(n, 'u');
    *length = 0;
    if (!isdigit((unsigned char)*n->at))
        n->failed = true;
    else if (!taken(n, '0'))
        while (isdigit((unsigned char)*n->at) && *length < LENGTH_MAX)
            *length = *length * 10 + (size_t)(next(n) - '0');
    taken(n, '_');
    if (n->failed || strnlen(n->at, *length) < *length) {
        n->failed = true;
        *length = 0;
    }
    const char *bytes = n->at;
    n->at += *length;
    return bytes;
}

// What a part says once more: it stands before.
static void back(struct rust_names *n, void part(struct rust_names *))
{
    const char *reference = n->at - 1;
    uint64_t position = base_62(n);
    if (position >= (uint64_t)(reference - n->text))
        n->failed = true;
    if (n->failed || n->silent)
        return;
    const char *after = n->at;
    n->at = n->text + position;
    part(n);
    n->at = after;
}

static void nested(struct rust_names *n)
{
    char kind = next(n);
    size_t length;
    path(n);
    const char *bytes = identifier(n, &length);
    if (isupper((unsigned char)kind)) {
        write_text(n, kind == 'C' ? "::{closure}" : "::{shim}");
    } else if (length) {
        write_text(n, "::");
        write_bytes(n, bytes, length);
    }
}

static void constant(struct rust_names *n)
{
    if (taken(n, 'p'))
        return;
    if (taken(n, 'B')) {
        base_62(n);
        return;
    }
    if (!strchr("abcehijlmnostxy", next(n)))
        n->failed = true;
    taken(n, 'n');
    while (isxdigit((unsigned char)*n->at))
        n->at++;
    if (!taken(n, '_'))
        n->failed = true;
}

static void generic_argument(struct rust_names *n)
{
    if (taken(n, 'L'))
        base_62(n);
    else if (taken(n, 'K'))
        constant(n);
    else
        type(n);
}

static bool deeper(struct rust_names *n)
{
    if (n->depth >= DEPTH_MAX || n->steps++ >= STEPS_MAX)
        n->failed = true;
    return !n->failed;
}

static void path_inner(struct rust_names *n)
{
    size_t length;
    char tag = next(n);
    switch (tag) {
    case 'C': {
        const char *bytes = identifier(n, &length);
        write_bytes(n, bytes, length);
        return;
    }
    case 'M':
    case 'X':
        disambiguator(n);
        silently(n, path);
        type(n);
        if (tag == 'X')
            silently(n, path);
        return;
    case 'Y':
        type(n);
        silently(n, path);
        return;
    case 'N':
        nested(n);
        return;
    case 'I':
        path(n);
        while (!n->failed && !taken(n, 'E'))
            silently(n, generic_argument);
        return;
    case 'B':
        back(n, path);
        return;
    default:
        n->failed = true;
    }
}

static void path(struct rust_names *n)
{
    if (!deeper(n))
        return;
    n->depth++;
    path_inner(n);
    n->depth--;
}

static void function_type(struct rust_names *n)
{
    if (taken(n, 'G'))
        base_62(n);
    taken(n, 'U');
    if (taken(n, 'K') && !taken(n, 'C')) {
        size_t length;
        identifier(n, &length);
    }
    while (!n->failed && !taken(n, 'E'))
        silently(n, type);
    silently(n, type);
    write_text(n, "fn");
}

static void dynamic_type(struct rust_names *n)
{
    size_t length;
    write_text(n, "dyn ");
    if (taken(n, 'G'))
        base_62(n);
    for (int traits = 0; !n->failed && !taken(n, 'E'); traits++) {
        n->silent += traits > 0;
        path(n);
        n->silent -= traits > 0;
        while (taken(n, 'p')) {
            identifier(n, &length);
            silently(n, type);
        }
    }
    if (!taken(n, 'L'))
        n->failed = true;
    base_62(n);
}

static void type_inner(struct rust_names *n)
{
    static const char *const basic[26] = {"i8",  "bool", "char", "f64",  "str", "f32", NULL, "u8",  "isize",
                                          "usize", NULL, "i32",  "u32",  "i128", "u128", "_",  NULL, NULL,
                                          "i16", "u16",  "()",   "...",  NULL,  "i64", "u64", "!"};
    char tag = next(n);
    switch (tag) {
    case 'A':
    case 'S':
        write_text(n, "[");
        type(n);
        write_text(n, "]");
        if (tag == 'A')
            constant(n);
        return;
    case 'T':
        write_text(n, "(");
        for (int parts = 0; !n->failed && !taken(n, 'E'); parts++) {
            write_text(n, parts ? ", " : "");
            type(n);
        }
        write_text(n, ")");
        return;
    case 'R':
    case 'Q':
        if (taken(n, 'L'))
            base_62(n);
        write_text(n, "&");
        type(n);
        return;
    case 'P':
    case 'O':
        write_text(n, "*");
        type(n);
        return;
    case 'F':
        function_type(n);
        return;
    case 'D':
        dynamic_type(n);
        return;
    case 'B':
        back(n, type);
        return;
    default:
        break;
    }
    if (!islower((unsigned char)tag)) {
        n->at -= !n->failed;
        path(n);
    } else if (basic[tag - 'a']) {
        write_text(n, basic[tag - 'a']);
    } else {
        n->failed = true;
    }
}

static void type(struct rust_names *n)
{
    if (!deeper(n))
        return;
    n->depth++;
    type_inner(n);
    n->depth--;
}

char *rust_names_read(const char *mangled)
{
    if (strncmp(mangled, "_R", 2) != 0)
        return NULL;
    struct rust_names n = {.text = mangled + 2, .at = mangled + 2};
    path(&n);
    if (*n.at && *n.at != '.')
        silently(&n, path); // the crate that made the instance
    if (n.failed || (*n.at && *n.at != '.') || !n.used)
        return NULL;
    return strndup(n.out, n.used);
}

// --- the older scheme

// $LT$ and so on; $u7b$ is the character 0x7b. Returns the length of the escape, 0: it is none.
static size_t escape_read(const char *text, char *character)
{
    static const struct {
        const char *escape;
        char character;
    } known[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
                 {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(text, known[i].escape, strlen(known[i].escape)) == 0) {
            *character = known[i].character;
            return strlen(known[i].escape);
        }
    unsigned code;
    int length = 0;
    if (sscanf(text, "$u%2x$%n", &code, &length) != 1 || length != (int)strlen("$u7b$") || code < ' ' || code > '~')
        return 0;
    *character = (char)code;
    return (size_t)length;
}

// <X as Trait>::f becomes X::f.
static void trait_remove(char *name)
{
    int depth = 0;
    char *as = NULL, *end = name;
    for (; *end; end++) {
        depth += *end == '<';
        depth -= *end == '>' && end[-1] != '-';
        if (depth == 1 && !as && strncmp(end, " as ", 4) == 0)
            as = end;
        if (!depth)
            break;
    }
    if (!*end)
        return;
    size_t kept = (size_t)((as ? as : end) - name) - 1;
    memmove(name, name + 1, kept);
    memmove(name + kept, end + 1, strlen(end + 1) + 1);
}

void rust_names_unescape(char *name)
{
    size_t length = strlen(name);
    char *hash = length > HASH_DIGITS + 3 ? name + length - HASH_DIGITS - 3 : name;
    if (strncmp(hash, "::h", 3) != 0 || strspn(hash + 3, "0123456789abcdef") != HASH_DIGITS)
        return;
    *hash = '\0';
    char *out = name;
    for (const char *in = name; *in;) {
        size_t escaped = *in == '$' ? escape_read(in, out) : 0;
        if (escaped) {
            in += escaped;
            out++;
        } else if (in[0] == '.' && in[1] == '.') {
            *out++ = ':';
            *out++ = ':';
            in += 2;
        } else if (*in == '_' && in[1] == '$' && (in == name || in[-1] == ':')) {
            in++; // a component begins with a letter or _
        } else {
            *out++ = *in++;
        }
    }
    *out = '\0';
    if (*name == '<')
        trait_remove(name);
}
