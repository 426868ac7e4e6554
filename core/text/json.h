// SPDX-License-Identifier: Apache-2.0
// A writer of one JSON value. It places commas and line breaks: every member of a document begins a line, and in arrays
// every object, every array, and every text of a document's own. key: the member's name; NULL in an array.
#ifndef CORE_TEXT_JSON_H
#define CORE_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *file;
    unsigned depth;                  // open objects and arrays, at most 31
    // A bit for each depth: is an array; holds something; holds something on a line of its own.
    uint32_t lists, filled, broken;
};

// A document: an object whose first members are "format", "numaprof.NAME", and "version".
struct json json_begin(FILE *file, const char *name, int version);
void json_end(struct json *json);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_close(struct json *json);

// A byte that is not valid UTF-8 becomes \udcXX, from which Python's surrogateescape gets it back. NULL becomes null.
void json_text(struct json *json, const char *key, const char *text);
void json_text_known(struct json *json, const char *key, const char *text); // an empty one becomes null too
void json_number(struct json *json, const char *key, int64_t value);
void json_number_known(struct json *json, const char *key, int64_t value); // a negative one becomes null
void json_real(struct json *json, const char *key, double value);          // six digits; NaN becomes null
void json_hex(struct json *json, const char *key, uint64_t value);         // as a text: "0x1b7"
void json_flag(struct json *json, const char *key, bool value);

// The words as an array, on one line. NULL: out of memory. The caller frees it.
char *json_words(const char *const *words, size_t count);

#endif
