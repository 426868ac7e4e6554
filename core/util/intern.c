// SPDX-License-Identifier: Apache-2.0
#include "core/util/intern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/table.h"

struct intern_item {
    struct intern_item *next;
    uint64_t hash;
    char text[];
};

enum { INTERN_BUCKETS = 1024 };

struct intern {
    struct intern_item *buckets[INTERN_BUCKETS];
};

const char *intern_text(struct intern **texts, const char *text)
{
    if (!*text)
        return "";
    if (!*texts && !(*texts = calloc(1, sizeof **texts)))
        return "";
    uint64_t hash = table_mix_text(0, text);
    struct intern_item **bucket = &(*texts)->buckets[hash % INTERN_BUCKETS];
    for (struct intern_item *item = *bucket; item; item = item->next)
        if (item->hash == hash && strcmp(item->text, text) == 0)
            return item->text;
    size_t length = strlen(text) + 1;
    struct intern_item *added = malloc(sizeof *added + length);
    if (!added)
        return "";
    *added = (struct intern_item){.next = *bucket, .hash = hash};
    memcpy(added->text, text, length);
    *bucket = added;
    return added->text;
}

void intern_free(struct intern *texts)
{
    for (size_t i = 0; texts && i < INTERN_BUCKETS; i++) {
        for (struct intern_item *item = texts->buckets[i], *next; item; item = next) {
            next = item->next;
            free(item);
        }
    }
    free(texts);
}
