// SPDX-License-Identifier: Apache-2.0
#include "core/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/text/utf8.h"

static void json_quote(FILE *file, const char *text)
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

static void json_break(const struct json *json)
{
    fprintf(json->file, "\n%*s", 2 * (int)json->depth, "");
}

// What stands before a value. is_long: it begins a line in an array.
static void json_separate(struct json *json, const char *key, bool is_long)
{
    const uint32_t here = UINT32_C(1) << json->depth;
    const bool is_element = json->lists & here;
    if (json->filled & here)
        putc(',', json->file);
    if (is_element ? is_long : json->depth == 1) {
        json_break(json);
        json->broken |= here;
    } else if (json->filled & here) {
        putc(' ', json->file);
    }
    json->filled |= here;
    if (!key)
        return;
    json_quote(json->file, key);
    fputs(": ", json->file);
}

static void json_open(struct json *json, const char *key, bool is_list)
{
    json_separate(json, key, true);
    putc(is_list ? '[' : '{', json->file);
    const uint32_t here = UINT32_C(1) << ++json->depth;
    json->filled &= ~here;
    json->broken &= ~here;
    json->lists = is_list ? json->lists | here : json->lists & ~here;
}

void json_object(struct json *json, const char *key)
{
    json_open(json, key, false);
}

void json_array(struct json *json, const char *key)
{
    json_open(json, key, true);
}

void json_close(struct json *json)
{
    const uint32_t here = UINT32_C(1) << json->depth--;
    if (json->broken & here)
        json_break(json);
    putc(json->lists & here ? ']' : '}', json->file);
}

struct json json_begin(FILE *file, const char *name, int version)
{
    struct json json = {.file = file};
    char format[64];
    snprintf(format, sizeof format, "numaprof.%s", name);
    json_object(&json, NULL);
    json_text(&json, "format", format);
    json_number(&json, "version", version);
    return json;
}

void json_end(struct json *json)
{
    json_close(json);
    putc('\n', json->file);
}

void json_text(struct json *json, const char *key, const char *text)
{
    json_separate(json, key, json->depth == 2); // remarks: sentences
    if (text)
        json_quote(json->file, text);
    else
        fputs("null", json->file);
}

void json_text_known(struct json *json, const char *key, const char *text)
{
    json_text(json, key, text && *text ? text : NULL);
}

void json_number(struct json *json, const char *key, int64_t value)
{
    json_separate(json, key, false);
    fprintf(json->file, "%" PRId64, value);
}

void json_number_known(struct json *json, const char *key, int64_t value)
{
    if (value < 0)
        json_text(json, key, NULL);
    else
        json_number(json, key, value);
}

void json_real(struct json *json, const char *key, double value)
{
    json_separate(json, key, false);
    if (isfinite(value))
        fprintf(json->file, "%.6g", value);
    else
        fputs("null", json->file);
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
    json_separate(json, key, false);
    fprintf(json->file, "\"0x%" PRIx64 "\"", value);
}

void json_flag(struct json *json, const char *key, bool value)
{
    json_separate(json, key, false);
    fputs(value ? "true" : "false", json->file);
}

char *json_words(const char *const *words, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    struct json json = {.file = out};
    json_array(&json, NULL);
    for (size_t i = 0; i < count; i++)
        json_text(&json, NULL, words[i]);
    json_close(&json);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
