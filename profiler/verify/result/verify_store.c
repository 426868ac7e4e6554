// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/result/verify_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profiler/measure/result/machine_cache.h"

static const struct machine_cache_kind store_kind = {
    .name = "verified", .first = "numaprof verification 1", .of_software = true};

static void store_write(FILE *out, const void *what)
{
    const struct verify *verify = what;
    fprintf(out, "at %s\nlocal %s\npartial %d\n", verify->at, verify->local, verify->partial);
    for (size_t i = 0; i < verify->event_count; i++) {
        const struct verify_event *event = &verify->events[i];
        fprintf(out, "event %s %s %#" PRIx64 " %#" PRIx64 " %d %s\n", event->class,
                *event->placement ? event->placement : "-", event->config, event->config1, event->word, event->why);
    }
}

int verify_store_save(const struct verify *verify, const struct topology *t, char *path, size_t size)
{
    return machine_cache_save(&store_kind, t, path, size, store_write, verify);
}

// --- reading

static int store_read_event(void *to, const char *line)
{
    struct verify *verify = to;
    const char *text = machine_cache_after(line, "event");
    struct verify_event event = {.word = VERIFY_UNKNOWN};
    int word, used = 0;
    if (!text || verify->event_count == VERIFY_EVENTS ||
        sscanf(text, "%23s %23s %" SCNx64 " %" SCNx64 " %d %n", event.class, event.placement, &event.config,
               &event.config1, &word, &used) != 5 ||
        word < VERIFY_UNKNOWN || word > VERIFY_OTHER)
        return -EINVAL;
    event.word = (enum verify_word)word;
    if (strcmp(event.placement, "-") == 0)
        event.placement[0] = '\0';
    snprintf(event.why, sizeof event.why, "%s", text + used);
    verify->events[verify->event_count++] = event;
    return 0;
}

// The head's lines stand in this order; then events.
static int store_read(struct verify *verify, struct machine_cache_reader *reader)
{
    const char *at = machine_cache_after(machine_cache_line(reader), "at");
    const char *local = machine_cache_after(machine_cache_line(reader), "local");
    const char *partial = machine_cache_after(machine_cache_line(reader), "partial");
    if (!at || !local || !partial)
        return -EINVAL;
    snprintf(verify->at, sizeof verify->at, "%s", at);
    snprintf(verify->local, sizeof verify->local, "%s", local);
    verify->partial = strcmp(partial, "0") != 0;
    return machine_cache_each(reader, store_read_event, verify);
}

int verify_store_load(struct verify *verify, const struct topology *t, char *path, size_t size)
{
    struct machine_cache_reader reader;
    *verify = (struct verify){0};
    int status = machine_cache_open(&reader, &store_kind, t, path, size);
    if (status == 0)
        status = store_read(verify, &reader);
    if (status < 0)
        *verify = (struct verify){0};
    machine_cache_close(&reader);
    return status;
}
