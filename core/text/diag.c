// SPDX-License-Identifier: Apache-2.0
#include "core/text/diag.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/text/utf8.h"

enum { DIAG_LINE_BYTES = 1024 };

// Length of the UTF-8 sequence at text if it is fit for a terminal (no C0, DEL or C1 controls), else 0.
static size_t diag_printable(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    bool c0 = s[0] < 0x20 || s[0] == 0x7f;
    bool c1 = s[0] == 0xc2 && s[1] < 0xa0;
    // U+202A..202E and U+2066..2069 turn the direction of what follows: a name could forge a line.
    bool turns = s[0] == 0xe2 &&
        ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
    return c0 || c1 || turns ? 0 : utf8_length(text);
}

char *diag_clean(char *out, size_t size, const char *text)
{
    size_t used = 0;
    while (*text && size > 0) {
        size_t n = diag_printable(text);
        char escaped[5];
        const char *piece = text;
        size_t length = n;
        if (n == 0) {
            length = (size_t)snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
            piece = escaped;
        }
        if (used + length + 1 > size)
            break;
        memcpy(out + used, piece, length);
        used += length;
        text += n ? n : 1;
    }
    if (size > 0)
        out[used] = '\0';
    return out;
}

// One write(2) a line, so that lines of several threads or processes do not mix.
static void diag_line(const char *label, const char *remedy, const char *format, va_list arguments)
{
    char cause[DIAG_LINE_BYTES], line[2 * DIAG_LINE_BYTES];
    vsnprintf(cause, sizeof cause, format, arguments);
    int n = remedy ? snprintf(line, sizeof line, "numaprof: %s%s; %s\n", label, cause, remedy)
                   : snprintf(line, sizeof line, "numaprof: %s%s\n", label, cause);
    size_t length = (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    line[length - 1] = '\n';
    if (write(STDERR_FILENO, line, length) < 0)
        return; // nowhere left to complain
}

void diag_error(const char *remedy, const char *cause_format, ...)
{
    va_list arguments;
    va_start(arguments, cause_format);
    diag_line("", remedy, cause_format, arguments);
    va_end(arguments);
}

void diag_warn(const char *remedy, const char *cause_format, ...)
{
    va_list arguments;
    va_start(arguments, cause_format);
    diag_line("warning: ", remedy, cause_format, arguments);
    va_end(arguments);
}

void diag_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diag_line("", NULL, format, arguments);
    va_end(arguments);
}
