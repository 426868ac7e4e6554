// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/running.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "core/text/diag.h"

// --- what /proc/PID/stat says

struct running_stat {
    char state;
    unsigned long flags;         // PF_* of include/linux/sched.h
    unsigned long long started;  // in clock ticks since boot
};

enum { RUNNING_KERNEL_THREAD = 0x00200000 }; // PF_KTHREAD

// "pid (comm) state ppid pgrp session tty tpgid flags ... starttime", fields 3, 9 and 22 of proc(5).
static int running_read_stat(pid_t pid, struct running_stat *stat)
{
    char text[1024];
    int status = sysfile_text("", text, sizeof text, "/proc/%d/stat", pid);
    if (status < 0)
        return status;
    const char *end = strrchr(text, ')');
    int found = end ? sscanf(end + 1, " %c %*d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                             &stat->state, &stat->flags, &stat->started)
                    : 0;
    return found == 3 ? 0 : -EINVAL;
}

static int64_t running_age(const struct running_stat *stat)
{
    const int64_t second = INT64_C(1000000000);
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot); // starttime counts suspended time too
    int64_t age = boot.tv_sec * second + boot.tv_nsec - (int64_t)stat->started * (second / sysconf(_SC_CLK_TCK));
    return age > 0 ? age : 0;
}

// --- refusals

static int running_refuse(pid_t pid, int exit_status, const char *remedy, const char *why)
{
    diag_error(remedy, "process %d %s", pid, why);
    return exit_status;
}

static bool running_is_thread(pid_t pid)
{
    char text[4096], own[32];
    if (sysfile_text("", text, sizeof text, "/proc/%d/status", pid) < 0)
        return false;
    snprintf(own, sizeof own, "\nTgid:\t%d\n", pid);
    return !strstr(text, own);
}

// The same right that perf_event_open and move_pages want: PTRACE_MODE_READ.
static int running_refuse_rights(pid_t pid)
{
    char path[64];
    struct stat owner;
    snprintf(path, sizeof path, "/proc/%d", pid);
    bool is_ours = stat(path, &owner) == 0 && owner.st_uid == geteuid();
    if (is_ours)
        return running_refuse(pid, DIAG_EXIT_CANNOT_RUN, "run numaprof as root",
                              "cannot be looked into: a security module or a sandbox forbids it");
    return running_refuse(pid, DIAG_EXIT_CANNOT_RUN, "run numaprof as its owner, or as root",
                          "belongs to another user, or runs with other rights than its user (setuid, capabilities)");
}

static int running_check(struct running_process *process)
{
    char maps[2];
    struct running_stat stat;
    pid_t pid = process->pid;
    int status = running_read_stat(pid, &stat);
    if (status < 0)
        return running_refuse(pid, DIAG_EXIT_NOT_FOUND, "pgrep NAME finds it", "does not exist");
    if (running_is_thread(pid))
        return running_refuse(pid, DIAG_EXIT_CANNOT_RUN, "give the number of its process: Tgid in /proc/TID/status",
                              "is a thread");
    if (stat.flags & RUNNING_KERNEL_THREAD)
        return running_refuse(pid, DIAG_EXIT_CANNOT_RUN, "give a program", "is a thread of the kernel");
    if (stat.state == 'Z' || stat.state == 'X')
        return running_refuse(pid, DIAG_EXIT_CANNOT_RUN, "start it again", "has ended (its parent has not asked how)");
    if (pid == getpid())
        return running_refuse(pid, DIAG_EXIT_CANNOT_RUN, "give another one", "is numaprof itself");
    status = sysfile_head("", maps, sizeof maps, "/proc/%d/maps", pid);
    if (status < 0)
        return status == -ENOENT || status == -ESRCH
                   ? running_refuse(pid, DIAG_EXIT_NOT_FOUND, "start it again", "has just ended")
                   : running_refuse_rights(pid);
    process->age_ns = running_age(&stat);
    return 0;
}

// --- what it runs

// The words of /proc/PID/cmdline; where a process has overwritten them by nothing, its name.
static int running_read_command(struct running *running, pid_t pid)
{
    char path[64];
    size_t used = 0, size = 4096, words = 0;
    ssize_t n = 0;
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    running->command = malloc(size);
    while (fd >= 0 && running->command && (n = read(fd, running->command + used, size - used - 1)) > 0) {
        used += (size_t)n;
        if (used + 1 < size)
            continue;
        char *larger = realloc(running->command, size *= 2);
        if (!larger)
            break; // what came so far
        running->command = larger;
    }
    if (fd >= 0)
        close(fd);
    if (!running->command)
        return -ENOMEM;
    while (used > 0 && running->command[used - 1] == '\0')
        used--; // a process that sets its title pads it
    if (used == 0) {
        n = sysfile_text("", running->command, size, "/proc/%d/comm", pid);
        used = n > 0 ? (size_t)n : 0;
    }
    running->command[used] = '\0';
    for (size_t i = 0; i <= used; i++)
        words += running->command[i] == '\0';
    running->arguments = calloc(words + 1, sizeof *running->arguments);
    if (!running->arguments)
        return -ENOMEM;
    char *at = running->command;
    for (size_t i = 0; i < words; i++, at += strlen(at) + 1)
        running->arguments[i] = at;
    return 0;
}

static int running_describe(struct running *running)
{
    char link[64];
    struct target *target = &running->target;
    pid_t pid = running->processes[0].pid;
    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    int kind = elf_kind_of_path(link, target->program);
    target->kind = kind > 0 ? (enum elf_kind)kind : ELF_KIND_UNKNOWN;
    if (sysfile_link("", target->path, sizeof target->path, "/proc/%d/exe", pid) < 0)
        target->path[0] = '\0';
    snprintf(target->program, sizeof target->program, "%s", target->path);
    if (sysfile_link("", running->cwd, sizeof running->cwd, "/proc/%d/cwd", pid) < 0)
        running->cwd[0] = '\0';
    return running_read_command(running, pid);
}

// --- the list

static int running_parse(struct running *running, const char *list)
{
    char clean[64], *end;
    for (const char *at = list;; at = end + 1) {
        errno = 0;
        long pid = strtol(at, &end, 10);
        if (end == at || errno || pid <= 0 || pid > INT_MAX || (*end && *end != ',')) {
            diag_error("give process ids such as 4711 or 4711,4712", "-p %s: no list of process ids",
                       diag_clean(clean, sizeof clean, list));
            return DIAG_EXIT_FAILED;
        }
        running->processes[running->count++] = (struct running_process){.pid = (pid_t)pid, .age_ns = -1};
        for (size_t i = 0; i + 1 < running->count; i++)
            if (running->processes[i].pid == pid)
                running->count--; // named twice
        if (!*end)
            return 0;
    }
}

int running_find(struct running *running, const char *list)
{
    *running = (struct running){.processes = calloc(strlen(list) / 2 + 1, sizeof *running->processes)};
    int status = running->processes ? running_parse(running, list) : DIAG_EXIT_FAILED;
    for (size_t i = 0; i < running->count && status == 0; i++)
        status = running_check(&running->processes[i]);
    if (status == 0 && running_describe(running) < 0)
        status = DIAG_EXIT_FAILED;
    return status;
}

void running_free(struct running *running)
{
    free(running->processes);
    free(running->command);
    free(running->arguments);
    *running = (struct running){0};
}

int64_t running_oldest_s(const struct running *running)
{
    int64_t oldest = 0;
    for (size_t i = 0; i < running->count; i++)
        oldest = running->processes[i].age_ns > oldest ? running->processes[i].age_ns : oldest;
    return (oldest + 999999999) / 1000000000;
}
