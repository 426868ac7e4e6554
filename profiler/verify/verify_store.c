// SPDX-License-Identifier: Apache-2.0
#include "profiler/verify/verify_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/system/sysfile.h"
#include "profiler/measure/result/machine_cache.h"
#include "profiler/measure/result/result_identity.h"

static const char store_first[] = "numaprof verification 1", store_kind[] = "verified";

char *verify_store_microcode(char *out, size_t size)
{
    char text[4096];
    out[0] = '\0';
    if (sysfile_head("", text, sizeof text, "/proc/cpuinfo") < 0)
        return out;
    const char *line = strstr(text, "\nmicrocode"), *colon = line ? strchr(line, ':') : NULL;
    if (colon)
        snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    return out;
}

// The machine's, with what changes the meaning of its events. The caller frees *text.
static int store_identity(char **text, const struct topology *t)
{
    char *machine = NULL, microcode[VERIFY_TEXT_BYTES];
    struct utsname system = {0};
    int status = result_identity_make(&machine, t);
    if (status < 0)
        return status;
    uname(&system);
    status = asprintf(text, "%s|Linux %s|microcode %s", machine, system.release,
                      verify_store_microcode(microcode, sizeof microcode)) < 0
                 ? -ENOMEM
                 : 0;
    free(machine);
    return status;
}

// --- writing

struct store_content {
    const struct verify *verify;
    const char *identity;
};

static void store_write(FILE *out, const void *what)
{
    const struct store_content *content = what;
    const struct verify *verify = content->verify;
    fprintf(out, "%s\nmachine %s\nat %s\nlocal %s\npartial %d\n", store_first, content->identity, verify->at,
            verify->local, verify->partial);
    for (size_t i = 0; i < verify->event_count; i++) {
        const struct verify_event *event = &verify->events[i];
        fprintf(out, "event %s %s %#" PRIx64 " %#" PRIx64 " %d %s\n", event->class,
                *event->placement ? event->placement : "-", event->config, event->config1, event->word, event->why);
    }
    fputs("end\n", out);
}

int verify_store_save(const struct verify *verify, const struct topology *t, char *path, size_t size)
{
    char *identity = NULL;
    path[0] = '\0';
    int status = store_identity(&identity, t);
    if (status == 0)
        status = machine_cache_path(path, size, store_kind, identity);
    if (status == 0)
        status =
            machine_cache_write(path, store_write, &(struct store_content){.verify = verify, .identity = identity});
    free(identity);
    return status;
}

// --- reading

// The text behind a word and a blank; NULL: the line begins otherwise.
static const char *store_after(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return line && strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static int store_read_event(struct verify *verify, const char *text)
{
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

// The head's lines stand in this order; then events, then "end": a file without it was cut off.
static int store_read(struct verify *verify, char *text, const char *identity)
{
    static const char *const words[] = {"machine", "at", "local", "partial"};
    const char *values[sizeof words / sizeof *words];
    char *rest = text, *line = strsep(&rest, "\n");
    if (!line || strcmp(line, store_first) != 0)
        return -EINVAL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!(values[i] = store_after(line = strsep(&rest, "\n"), words[i])))
            return -EINVAL;
    if (strcmp(values[0], identity) != 0)
        return -ENOENT; // another machine with the same key
    snprintf(verify->at, sizeof verify->at, "%s", values[1]);
    snprintf(verify->local, sizeof verify->local, "%s", values[2]);
    verify->partial = strcmp(values[3], "0") != 0;
    int status = 0;
    while (status == 0 && (line = strsep(&rest, "\n")) && strcmp(line, "end") != 0)
        status = store_read_event(verify, store_after(line, "event"));
    return status < 0 ? status : line ? 0 : -EINVAL;
}

int verify_store_load(struct verify *verify, const struct topology *t, char *path, size_t size)
{
    char *identity = NULL, *text = NULL;
    *verify = (struct verify){0};
    path[0] = '\0';
    int status = store_identity(&identity, t);
    if (status == 0)
        status = machine_cache_path(path, size, store_kind, identity);
    if (status == 0)
        status = sysfile_whole("", &text, "%s", path);
    if (status >= 0)
        status = store_read(verify, text, identity);
    if (status < 0)
        *verify = (struct verify){0};
    free(text);
    free(identity);
    return status;
}
