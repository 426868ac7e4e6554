// SPDX-License-Identifier: Apache-2.0
#include "core/text/json.h"

#include <inttypes.h>

#include "core/text/utf8.h"

void json_text(FILE *file, const char *text)
{
    putc('"', file);
    while (*text) {
        size_t length = utf8_length(text);
        unsigned char byte = (unsigned char)*text;
        if (length == 0)
            fprintf(file, "\\udc%02x", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(file, "\\u%04x", byte);
        else if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else
            fwrite(text, 1, length, file);
        text += length ? length : 1;
    }
    putc('"', file);
}

void json_number(FILE *file, int64_t value, int64_t unknown)
{
    if (value == unknown)
        fputs("null", file);
    else
        fprintf(file, "%" PRId64, value);
}
