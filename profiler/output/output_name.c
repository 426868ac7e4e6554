// SPDX-License-Identifier: Apache-2.0
#include "profiler/output/output_name.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/rank.h"
#include "core/text/diag.h"

struct output_name_text {
    char *out;
    size_t size, used;
};

static int output_name_append(struct output_name_text *text, const char *piece, size_t length)
{
    if (text->used + length + 1 > text->size)
        return -ENAMETOOLONG;
    memcpy(text->out + text->used, piece, length);
    text->used += length;
    text->out[text->used] = '\0';
    return 0;
}

static int output_name_append_number(struct output_name_text *text, long number)
{
    char digits[24];
    return output_name_append(text, digits, (size_t)snprintf(digits, sizeof digits, "%ld", number));
}

// A container may have any name.
void output_name_host(char host[HOST_NAME_MAX + 1])
{
    memset(host, 0, HOST_NAME_MAX + 1);
    gethostname(host, HOST_NAME_MAX);
    for (char *c = host; *c; c++)
        if (*c == '/' || (unsigned char)*c <= ' ' || *c == 0x7f)
            *c = '_';
}

static int output_name_append_host(struct output_name_text *text)
{
    char host[HOST_NAME_MAX + 1];
    output_name_host(host);
    return output_name_append(text, host, strlen(host));
}

static int output_name_append_rank(struct output_name_text *text)
{
    struct rank rank;
    return rank_read(&rank) ? output_name_append_number(text, rank.number) : -EINVAL;
}

// %q{VAR}; at stands on the brace. Returns how many characters it took.
static int output_name_append_variable(struct output_name_text *text, const char *at)
{
    const char *end = *at == '{' ? strchr(at, '}') : NULL;
    char variable[256];
    if (!end || (size_t)(end - at) > sizeof variable)
        return -EINVAL;
    snprintf(variable, sizeof variable, "%.*s", (int)(end - at - 1), at + 1);
    const char *value = getenv(variable);
    if (!value)
        return -EINVAL;
    int status = output_name_append(text, value, strlen(value));
    return status < 0 ? status : (int)(end - at + 1);
}

// What follows a %. Returns how many characters it took.
static int output_name_expand(struct output_name_text *text, const char *at, const struct output_name *name)
{
    int status = -EINVAL;
    switch (*at) {
    case 'p':
        status = output_name_append_number(text, name->pid);
        break;
    case 'r':
        status = output_name_append_number(text, name->repeat);
        break;
    case 'R':
        status = output_name_append_rank(text);
        break;
    case 'h':
        status = output_name_append_host(text);
        break;
    case '%':
        status = output_name_append(text, "%", 1);
        break;
    case 'q':
        status = output_name_append_variable(text, at + 1);
        return status < 0 ? status : status + 1;
    default:
        break;
    }
    return status < 0 ? status : 1;
}

static int output_name_from_pattern(struct output_name_text *text, const struct output_name *name)
{
    bool has_repeat = false;
    for (const char *at = name->pattern; *at;) {
        size_t plain = strcspn(at, "%");
        int status = output_name_append(text, at, plain);
        at += plain;
        if (status == 0 && *at == '%') {
            has_repeat |= at[1] == 'r' || at[1] == 'p';
            status = output_name_expand(text, at + 1, name);
            if (status == -EINVAL)
                snprintf(text->out, text->size, "%.32s", at);
            at += status > 0 ? status + 1 : 0;
        }
        if (status < 0)
            return status;
    }
    // Repeats need names of their own: before the last dot of the file's name.
    if (name->repeats < 2 || has_repeat)
        return 0;
    char tail[NAME_MAX + 1] = "";
    char *slash = strrchr(text->out, '/'), *dot = strrchr(slash ? slash : text->out, '.');
    if (dot) {
        snprintf(tail, sizeof tail, "%s", dot);
        text->used = (size_t)(dot - text->out);
    }
    int status = output_name_append(text, ".", 1);
    if (status == 0)
        status = output_name_append_number(text, name->repeat);
    return status < 0 ? status : output_name_append(text, tail, strlen(tail));
}

static int output_name_default(struct output_name_text *text, const struct output_name *name)
{
    const char *slash = strrchr(name->program, '/');
    const char *program = slash ? slash + 1 : name->program;
    int status = output_name_append(text, program, strlen(program));
    if (status == 0)
        status = output_name_append(text, ".", 1);
    if (status == 0)
        status = output_name_append_number(text, name->pid);
    return status < 0 ? status : output_name_append(text, ".numaprof", strlen(".numaprof"));
}

int output_name_make(char *out, size_t size, const struct output_name *name)
{
    struct output_name_text text = {.out = out, .size = size};
    if (size > 0)
        out[0] = '\0';
    return name->pattern ? output_name_from_pattern(&text, name) : output_name_default(&text, name);
}

int output_name_for(char *out, size_t size, const struct output_name *name)
{
    int status = output_name_make(out, size, name);
    if (status == 0 && !*out)
        status = -EINVAL;
    if (status == -EINVAL)
        diag_error("use %p, %h, %r, %R (in a job of MPI or Slurm), %q{VARIABLE} (which must be set) or %%",
                   "-o: cannot make a name from \"%s\"", out);
    else if (status < 0)
        diag_error("choose a shorter name", "-o: the name is too long");
    return status;
}

const char *output_name_remedy(int error)
{
    switch (error) {
    case -EEXIST:
        return "recordings are never overwritten: remove it, or choose another name with -o";
    case -EAGAIN: // of a thread: pthread_create(3)
        return OUTPUT_NAME_MORE_PROCESSES;
    case -EFBIG:
        return "ulimit -f unlimited";
    case -ENOMEM:
        return "ulimit -v unlimited, or free memory";
    case -ENOSPC:
    case -EDQUOT:
        return "free some space, or choose another place with -o";
    default:
        return "choose a place you can write to with -o";
    }
}

const char *output_name_cause(int error)
{
    return error == -EAGAIN ? "the limit of processes is used up" : strerror(-error);
}

int output_name_create(struct recording_queue **queue, const char *path)
{
    char clean[512];
    int status = recording_queue_create(queue, path);
    if (status == 0)
        return 0;
    diag_error(output_name_remedy(status), "cannot create %s: %s", diag_clean(clean, sizeof clean, path),
               output_name_cause(status));
    return DIAG_EXIT_FAILED;
}
