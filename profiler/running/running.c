// SPDX-License-Identifier: Apache-2.0
#include "profiler/running/running.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/process/process_stat.h"
#include "core/system/clock.h"
#include "core/system/sysfile.h"
#include "core/text/diag.h"
#include "core/util/table.h"
#include "profiler/running/running_command.h"

// --- what /proc/PID/stat says

struct running_stat {
    char state;
    pid_t parent;
    unsigned long flags;         // PF_* of include/linux/sched.h
    int threads;
    unsigned long long started;  // in clock ticks since boot
};

enum { RUNNING_KERNEL_THREAD = 0x00200000 }; // PF_KTHREAD

// "state ppid pgrp session tty tpgid flags ... num_threads itrealvalue starttime", fields 3, 4, 9, 20 and 22 of
// proc(5).
static int running_read_stat(pid_t pid, struct running_stat *stat)
{
    char text[1024];
    const char *fields;
    int status = process_stat_read(text, sizeof text, &fields, pid);
    if (status < 0)
        return status;
    int found = sscanf(fields, "%c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*d %llu",
                       &stat->state, &stat->parent, &stat->flags, &stat->threads, &stat->started);
    return found == 5 ? 0 : -EINVAL;
}

static int64_t running_age(const struct running_stat *stat)
{
    const int64_t second = INT64_C(1000000000);
    const struct timespec boot = clock_read(CLOCK_BOOTTIME); // starttime counts suspended time too
    int64_t age = boot.tv_sec * second + boot.tv_nsec - (int64_t)stat->started * (second / sysconf(_SC_CLK_TCK));
    return age > 0 ? age : 0;
}

// --- refusals

struct running_refusal {
    int exit_status;
    const char *why, *remedy;
};

static const struct running_refusal
    running_missing = {DIAG_EXIT_NOT_FOUND, "does not exist", "pgrep NAME finds it"},
    running_ended = {DIAG_EXIT_NOT_FOUND, "has just ended", "start it again"},
    running_zombie = {DIAG_EXIT_CANNOT_RUN, "has ended (its parent has not asked how)", "start it again"},
    running_thread = {DIAG_EXIT_CANNOT_RUN, "is a thread", "give the number of its process: Tgid in /proc/TID/status"},
    running_kernel = {DIAG_EXIT_CANNOT_RUN, "is a thread of the kernel", "give a program"},
    running_self = {DIAG_EXIT_CANNOT_RUN, "is numaprof itself", "give another one"},
    running_sandboxed = {DIAG_EXIT_CANNOT_RUN, "cannot be looked into: a security module or a sandbox forbids it",
                         "run numaprof as root"},
    running_forbidden = {DIAG_EXIT_CANNOT_RUN,
                         "cannot be looked into, even by root: CAP_SYS_PTRACE is missing, or a security module "
                         "forbids it",
                         "run numaprof as root outside its container"},
    running_foreign = {DIAG_EXIT_CANNOT_RUN,
                       "belongs to another user, or runs with other rights than its user (setuid, capabilities)",
                       "run numaprof as its owner, or as root"};

static int running_refuse(pid_t pid, const struct running_refusal *refusal)
{
    diag_error(refusal->remedy, "process %d %s", pid, refusal->why);
    return refusal->exit_status;
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
static const struct running_refusal *running_check_rights(pid_t pid)
{
    char maps[2], path[64];
    struct stat owner;
    int status = sysfile_head("", maps, sizeof maps, "/proc/%d/maps", process_stat_shown(pid));
    if (status >= 0)
        return NULL;
    if (status == -ENOENT || status == -ESRCH)
        return &running_ended;
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (stat(path, &owner) < 0 || owner.st_uid != geteuid())
        return &running_foreign;
    return geteuid() == 0 ? &running_forbidden : &running_sandboxed;
}

// NULL: the process can be measured.
static const struct running_refusal *running_check(struct running_process *process)
{
    struct running_stat stat;
    pid_t pid = process->pid;
    if (running_read_stat(pid, &stat) < 0)
        return &running_missing;
    if (running_is_thread(pid))
        return &running_thread;
    if (stat.flags & RUNNING_KERNEL_THREAD)
        return &running_kernel;
    if (process_stat_is_ended(stat.state) && process_stat_shown(pid) == pid)
        return &running_zombie;
    if (pid == getpid())
        return &running_self;
    process->age_ns = running_age(&stat);
    return running_check_rights(pid);
}

bool running_is_measurable(struct running_process *process)
{
    return running_check(process) == NULL;
}

static bool running_lacks_rights(const struct running_refusal *refusal)
{
    return refusal == &running_foreign || refusal == &running_sandboxed || refusal == &running_forbidden;
}

bool running_is_foreign(const struct running_process *process)
{
    struct running_process looked = *process;
    return running_lacks_rights(running_check(&looked));
}

// --- a list of processes

static int running_append(struct running *running, pid_t pid)
{
    struct running_process *larger = realloc(running->processes, (running->count + 1) * sizeof *larger);
    if (!larger)
        return -ENOMEM;
    running->processes = larger;
    running->processes[running->count++] = (struct running_process){.pid = pid, .age_ns = -1};
    return 0;
}

static int running_add(struct running *running, pid_t pid)
{
    for (size_t i = 0; i < running->count; i++)
        if (running->processes[i].pid == pid)
            return 0; // named twice
    return running_append(running, pid);
}

static int running_out_of_memory(void)
{
    diag_error(NULL, "out of memory");
    return DIAG_EXIT_FAILED;
}

static int running_parse(struct running *running, const char *list)
{
    char clean[64], *end;
    for (const char *at = list;; at = end + 1) {
        errno = 0;
        long pid = strtol(at, &end, 10);
        if (end == at || errno || pid <= 0 || pid > INT_MAX || (*end && *end != ',')) {
            diag_error("give process ids such as 4711 or 4711,4712", "-p %s: not a list of process ids",
                       diag_clean(clean, sizeof clean, list));
            return DIAG_EXIT_FAILED;
        }
        if (running_add(running, (pid_t)pid) < 0)
            return running_out_of_memory();
        if (!*end)
            return 0;
    }
}

int running_find(struct running *running, const char *list)
{
    *running = (struct running){0};
    int status = running_parse(running, list);
    for (size_t i = 0; i < running->count && status == 0; i++) {
        const struct running_refusal *refusal = running_check(&running->processes[i]);
        status = refusal ? running_refuse(running->processes[i].pid, refusal) : 0;
    }
    return status == 0 && running_command_read(running) < 0 ? running_out_of_memory() : status;
}

// --- what they started

int running_all_processes(struct running *running)
{
    int status = 0;
    DIR *folder = opendir("/proc");
    if (!folder)
        return -errno;
    for (const struct dirent *entry; status == 0 && (entry = readdir(folder));) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && pid != getpid())
            status = running_append(running, pid);
    }
    closedir(folder);
    return status;
}

struct running_child {
    pid_t pid, parent;
};

// Every process of the machine with its parent. -errno.
static int running_read_parents(struct running_child **children, size_t *count)
{
    struct running all = {0};
    int status = running_all_processes(&all);
    *count = 0;
    *children = calloc(all.count + 1, sizeof **children);
    if (!*children)
        status = -ENOMEM;
    for (size_t i = 0; status == 0 && i < all.count; i++) {
        struct running_stat stat;
        if (running_read_stat(all.processes[i].pid, &stat) == 0)
            (*children)[(*count)++] = (struct running_child){all.processes[i].pid, stat.parent};
    }
    running_free(&all);
    return status;
}

static int running_add_descendants(struct running *running)
{
    struct running_child *children;
    struct table family = {0};
    uint64_t unused;
    size_t count, before;
    int status = running_read_parents(&children, &count);
    for (size_t i = 0; status == 0 && i < running->count; i++)
        status = table_put(&family, (uint64_t)running->processes[i].pid, 1);
    do { // a child may have a lower number than its parent
        before = running->count;
        for (size_t i = 0; status == 0 && i < count; i++) {
            const uint64_t pid = (uint64_t)children[i].pid, parent = (uint64_t)children[i].parent;
            if (!table_get(&family, parent, &unused) || table_get(&family, pid, &unused))
                continue;
            status = table_put(&family, pid, 1);
            status = status < 0 ? status : running_append(running, children[i].pid);
        }
    } while (status == 0 && running->count > before);
    table_free(&family);
    free(children);
    return status;
}

static int running_family(const struct running *list, struct running *found)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < list->count; i++)
        status = running_append(found, list->processes[i].pid);
    return status < 0 ? status : running_add_descendants(found);
}

// Leaves out what cannot be measured, from the first-th on. Returns why, of the last of them.
static const struct running_refusal *running_keep_measurable(struct running *running, size_t first)
{
    const struct running_refusal *last = NULL;
    size_t kept = first;
    for (size_t i = first; i < running->count; i++) {
        const struct running_refusal *refusal = running_check(&running->processes[i]);
        if (!refusal)
            running->processes[kept++] = running->processes[i];
        else if (running_lacks_rights(refusal))
            running->refused++;
        last = refusal ? refusal : last;
    }
    running->count = kept;
    return last;
}

int running_find_family(struct running *running, const char *list)
{
    int status = running_find(running, list);
    const size_t named = running->count;
    if (status != 0)
        return status;
    if (running_add_descendants(running) == -ENOMEM)
        return running_out_of_memory();
    running_keep_measurable(running, named);
    return 0;
}

// --- a control group

enum { RUNNING_DEEPEST = 16 }; // groups within groups: systemd's are six deep

// Numbers of processes of this group and of those within; 0 stands for one that our pid namespace cannot see.
static int running_read_group(struct running *running, const char *path, int depth)
{
    char *text, *end, within[PATH_MAX];
    int status = sysfile_whole("", &text, "%s/cgroup.procs", path);
    if (status < 0)
        return status;
    status = 0;
    for (char *at = text; status == 0; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at)
            break;
        if (pid > 0 && pid != getpid())
            status = running_add(running, (pid_t)pid);
    }
    free(text);
    DIR *folder = status == 0 && depth < RUNNING_DEEPEST ? opendir(path) : NULL;
    for (const struct dirent *entry; folder && status == 0 && (entry = readdir(folder));) {
        int length = snprintf(within, sizeof within, "%s/%s", path, entry->d_name);
        if (entry->d_type != DT_DIR || *entry->d_name == '.' || length >= (int)sizeof within)
            continue;
        int found = running_read_group(running, within, depth + 1);
        status = found == -ENOMEM ? found : 0; // a group that has just gone
    }
    if (folder)
        closedir(folder);
    return status;
}

int running_now(const struct running *list, struct running *found)
{
    *found = (struct running){0};
    return *list->group ? running_read_group(found, list->group, 0) : running_family(list, found);
}

size_t running_threads(const struct running *running)
{
    size_t count = 0;
    for (size_t i = 0; i < running->count; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", running->processes[i].pid);
        DIR *folder = opendir(path);
        for (const struct dirent *entry; folder && (entry = readdir(folder));)
            count += *entry->d_name != '.';
        if (folder)
            closedir(folder);
    }
    return count;
}

int running_find_group(struct running *running, const char *path)
{
    char clean[PATH_MAX];
    *running = (struct running){0};
    int length = snprintf(running->group, sizeof running->group, "%s%s",
                          strncmp(path, "/sys/fs/cgroup", 14) == 0 ? ""
                          : *path == '/' ? "/sys/fs/cgroup" : "/sys/fs/cgroup/",
                          path);
    int status = length < (int)sizeof running->group ? running_read_group(running, running->group, 0) : -ENAMETOOLONG;
    diag_clean(clean, sizeof clean, path);
    if (status < 0) {
        diag_error("systemd-cgls shows the groups; version 2 of control groups is needed", "--cgroup %s: %s", clean,
                   status == -ENOENT ? "is not a control group" : strerror(-status));
        return status == -ENOENT ? DIAG_EXIT_NOT_FOUND : DIAG_EXIT_FAILED;
    }
    const size_t found = running->count;
    const struct running_refusal *refusal = running_keep_measurable(running, 0);
    if (running->count == 0) {
        diag_error(refusal && running->refused > 0 ? refusal->remedy : "systemd-cgls shows what runs where",
                   found == 0 ? "--cgroup %s: no process is in it" : "--cgroup %s: no process in it can be recorded",
                   clean);
        return found == 0 ? DIAG_EXIT_NOT_FOUND : DIAG_EXIT_CANNOT_RUN;
    }
    return running_command_read(running) < 0 ? running_out_of_memory() : 0;
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
