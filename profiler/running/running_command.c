// SPDX-License-Identifier: Apache-2.0
#include "profiler/running/running_command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/process/process_stat.h"
#include "core/system/sysfile.h"

// True for "nginx: master process /usr/sbin/nginx", which a process wrote over its arguments: a word with spaces that
// is no file.
static bool running_command_is_title(pid_t pid, const char *word, const char *program)
{
    char path[PATH_MAX];
    const char *file = strrchr(program, '/');
    if (!strchr(word, ' ') || !file || strcmp(word, program) == 0 || strcmp(word, file + 1) == 0)
        return false;
    int length = snprintf(path, sizeof path, "/proc/%d/%s/%s", pid, *word == '/' ? "root" : "cwd", word);
    return length >= (int)sizeof path || access(path, F_OK) < 0;
}

// The words of /proc/PID/cmdline; where a process has overwritten them by nothing, its name; by a title,
// the first word of that and "...": the file it runs may have another name (redis-server is a link to redis-check-rdb).
static int running_command_read_words(struct running *running, pid_t pid)
{
    size_t words = 0;
    int used = sysfile_whole("", &running->command, "/proc/%d/cmdline", pid);
    while (used > 0 && running->command[used - 1] == '\0')
        used--; // a process that sets its title pads it
    if (used <= 0) {
        free(running->command);
        running->command = NULL;
        used = sysfile_whole("", &running->command, "/proc/%d/comm", pid);
    }
    if (!running->command && !(running->command = calloc(1, 1)))
        return -ENOMEM;
    used = used < 0 ? 0 : used; // it has ended
    running->command[used] = '\0';
    for (int i = 0; i <= used; i++)
        words += running->command[i] == '\0';
    running->arguments = calloc(words + 2, sizeof *running->arguments);
    if (!running->arguments)
        return -ENOMEM;
    char *at = running->command;
    for (size_t i = 0; i < words; i++, at += strlen(at) + 1)
        running->arguments[i] = at;
    if (words == 1 && running_command_is_title(pid, running->arguments[0], running->target.path)) {
        static char some[] = "...";
        running->arguments[0][strcspn(running->arguments[0], " :")] = '\0';
        if (!*running->arguments[0])
            running->arguments[0] = running->target.path;
        running->arguments[1] = some;
    }
    return 0;
}

int running_command_read(struct running *running)
{
    char link[64];
    struct target *target = &running->target;
    pid_t pid = process_stat_shown(running->processes[0].pid);
    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    int kind = elf_kind_of_path(link, target->program);
    target->kind = kind > 0 ? (enum elf_kind)kind : ELF_KIND_UNKNOWN;
    if (sysfile_link("", target->path, sizeof target->path, "/proc/%d/exe", pid) < 0)
        target->path[0] = '\0';
    snprintf(target->program, sizeof target->program, "%s", target->path);
    if (sysfile_link("", running->cwd, sizeof running->cwd, "/proc/%d/cwd", pid) < 0)
        running->cwd[0] = '\0';
    return running_command_read_words(running, pid);
}
