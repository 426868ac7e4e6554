// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collectors/protocol/channel.h"
#include "core/text/diag.h"

enum { PROGRAMS_MOST_NOTES = 64 };

static bool programs_is_forbidden(int kind)
{
    return kind == -EPERM || kind == -EACCES;
}

static void programs_note(const struct programs *programs, const struct process *process, int kind, const char *path)
{
    char clean[PATH_MAX];
    diag_clean(clean, sizeof clean, path);
    if (programs_is_forbidden(kind))
        RECORD(programs->tasks->queue, RECORDING_PROCESS_FOLLOWED, RECORD_NUMBER(process->id), RECORD_TEXT("no"));
    if (programs->unconnected->notes == PROGRAMS_MOST_NOTES) {
        programs->unconnected->not_noted++;
        return;
    }
    programs->unconnected->notes++;
    if (programs_is_forbidden(kind)) {
        note_write(programs->tasks, "not_followed", 1, elf_kind_remedy(kind),
                     "%s %s: the kernel does not allow it to be measured, so nothing was recorded of it", clean,
                     elf_kind_obstacle(kind));
        return;
    }
    const char *seen =
        !programs->tasks->has_kernel_records ? "its threads are not seen"
        : programs->sets->counts_cpus        ? "its threads are pinned a moment after their start, counted by CPU"
        : programs->sets->usable ? "its threads are pinned and counted from a moment after their start"
                                 : "its threads are pinned a moment after their start";
    note_write(programs->tasks, "not_followed", 1, elf_kind_remedy(kind), "%s %s: %s", clean, elf_kind_obstacle(kind),
               seen);
}

void programs_announce(const struct programs *programs, struct process *process, int kind, const char *path)
{
    snprintf(process->exec_path, sizeof process->exec_path, "%s", path);
    process->announced_kind = kind;
    // What follows cannot tell: it will not be measured at all, or nothing here measures.
    if (programs_is_forbidden(kind) || (!programs->tasks->has_kernel_records && elf_kind_obstacle(kind)))
        programs_note(programs, process, kind, process->exec_path);
}

void programs_announce_target(struct process *process, const struct target *target)
{
    size_t length = strlen(target->program), room = sizeof process->exec_path;
    const char *end = target->program + (length < room ? 0 : length - room + 1);
    process->announced_kind = (int)target->kind;
    memcpy(process->exec_path, end, strlen(end) + 1);
}

void programs_ended(const struct programs *programs, struct process *process)
{
    if (process->awaits_library && programs->unconnected->count++ == 0)
        programs->unconnected->exe = process->exe;
    process->awaits_library = false;
}

void programs_gave_up(const struct programs *programs, struct process *process)
{
    process->has_library = false; // it is there, and does nothing
    RECORD(programs->tasks->queue, RECORDING_PROCESS_FOLLOWED, RECORD_NUMBER(process->id), RECORD_TEXT("late"));
    if (programs->unconnected->gave_up++ == 0)
        programs->unconnected->gave_up_exe = process->exe;
}

static void programs_note_gave_up(const struct programs *programs)
{
    const struct programs_unconnected *u = programs->unconnected;
    char clean[PATH_MAX];
    if (u->gave_up > 0)
        note_write(programs->tasks, "not_followed", (int64_t)u->gave_up,
                   "fewer threads or ranks on this host, so that numaprof gets a CPU",
                   "%s%s waited %d s for numaprof, and went on alone: threads are not pinned, allocations have no "
                   "names", diag_clean(clean, sizeof clean, u->gave_up_exe ? u->gave_up_exe : "a program"),
                   u->gave_up > 1 ? " and other programs" : "", CHANNEL_PATIENCE_MS / 1000);
}

void programs_finish(const struct programs *programs, const char *library, const char *why_not)
{
    const struct programs_unconnected *u = programs->unconnected;
    char remedy[PATH_MAX + 160], clean[PATH_MAX];
    programs_note_gave_up(programs);
    note_count(programs->tasks, "not_noted", u->not_noted, NULL,
               "later exec of a program without the preload library has no note of its own",
               "later execs of programs without the preload library have no notes of their own");
    if (u->count == 0)
        return;
    if (why_not || !*library)
        snprintf(remedy, sizeof remedy, "%s", why_not ? why_not : "install numaprof with its preload library");
    else
        snprintf(remedy, sizeof remedy,
                 "let LD_PRELOAD reach the program and its user read %s; in a sandbox or network namespace "
                 "of its own, start numaprof inside", library);
    note_write(programs->tasks, "not_followed", (int64_t)u->count, remedy,
               "%s%s never connected to numaprof: threads are not pinned, allocations have no names",
               diag_clean(clean, sizeof clean, u->exe ? u->exe : "a program"),
               u->count > 1 ? " and other programs" : "");
}

void programs_executed(const struct programs *programs, struct process *process)
{
    char interpreter[ELF_KIND_INTERPRETER], link[64];
    int kind = process->announced_kind;
    process->announced_kind = 0;
    if (kind == 0) {
        snprintf(link, sizeof link, "/proc/%d/exe", process->shown);
        kind = elf_kind_of_path(link, interpreter);
    }
    process->exec_kind = kind > 0 ? kind : 0;
    process->awaits_library = kind == ELF_KIND_GLIBC;
    process->kind_unread = kind == -ENOENT || kind == -ESRCH;
    if (kind > 0 && elf_kind_obstacle(kind))
        programs_note(programs, process, kind, process->exe ? process->exe : process->exec_path);
}

// A library that dlmopen(3) loads into a name space of its own has a C library of its own, whose malloc and
// pthread_create are not ours.
static void programs_see_second_c_library(const struct programs *programs, const struct process *process,
                                          const struct mapping *mapping)
{
    const char *slash = strrchr(mapping->path, '/');
    char clean[PATH_MAX];
    bool is_second = false;
    if (!slash || (strcmp(slash, "/libc.so.6") != 0 && strncmp(slash, "/libc-2.", 8) != 0))
        return;
    for (size_t i = 0; i < process->space.count; i++) {
        const struct mapping *other = &process->space.items[i];
        is_second |= other->executable && other->start != mapping->start && strcmp(other->path, mapping->path) == 0;
    }
    if (is_second && programs->unconnected->second_libraries++ == 0)
        note_write(programs->tasks, "not_followed", 1, "load the library with dlopen",
                   "%s loaded a second C library (dlmopen): threads and allocations of the libraries that use it are "
                   "not followed", diag_clean(clean, sizeof clean, process->exe ? process->exe : "a program"));
}

void programs_mapped(const struct programs *programs, struct process *process, const struct mapping *mapping)
{
    const char *path = mapping->path;
    programs_see_second_c_library(programs, process, mapping);
    if (!process->kind_unread || !elf_kind_is_glibc_loader(path))
        return;
    process->exec_kind = ELF_KIND_GLIBC;
    process->awaits_library = !process->has_library;
    process->kind_unread = false;
}

bool programs_is_outside(const struct process *process)
{
    return !process->has_library && elf_kind_obstacle(process->exec_kind) != NULL;
}
