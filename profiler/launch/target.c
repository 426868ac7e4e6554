// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/exec_path.h"
#include "core/system/exec_rights.h"
#include "core/text/diag.h"

static int target_refuse(int error, const char *name, const char *remedy)
{
    char clean[PATH_MAX];
    diag_clean(clean, sizeof clean, name);
    switch (error) {
    case -ENOENT:
    case -ENOTDIR:
        diag_error(remedy, "%s: no such program", clean);
        return DIAG_EXIT_NOT_FOUND;
    case -EISDIR:
        diag_error("give the program itself", "%s is a directory", clean);
        return DIAG_EXIT_CANNOT_RUN;
    case -EACCES:
        diag_error("chmod +x it, or ask for permission to run it", "%s cannot be executed: permission denied", clean);
        return DIAG_EXIT_CANNOT_RUN;
    case -EPERM:
        diag_error("run numaprof as root, or a copy of the program without setuid bit and file capabilities",
                   "%s changes its rights when it starts (setuid or capabilities); the kernel lets nobody else measure it",
                   clean);
        return DIAG_EXIT_CANNOT_RUN;
    default:
        diag_error("check the file", "%s cannot be run: %s", clean, strerror(-error));
        return DIAG_EXIT_CANNOT_RUN;
    }
}

static int target_check(struct target *target)
{
    struct stat file;
    if (stat(target->path, &file) < 0)
        return -errno;
    if (S_ISDIR(file.st_mode))
        return -EISDIR;
    if (access(target->path, X_OK) < 0)
        return -errno;
    if (!S_ISREG(file.st_mode))
        return -EACCES; // as execve
    int kind = elf_kind_of_path(target->path, target->program, sizeof target->program);
    if (kind == -ENOENT)
        return -ENOEXEC; // the script's interpreter, not the program
    // Executable but not readable (mode 711): the kernel ends measuring by others at exec, as for setuid.
    if (kind == -EACCES)
        return -EPERM;
    if (kind < 0)
        return kind;
    target->kind = (enum elf_kind)kind;
    return exec_rights_change(target->program) ? -EPERM : 0;
}

int target_find(struct target *target, const char *name, const char *remedy)
{
    int status = 0;
    if (strchr(name, '/'))
        snprintf(target->path, sizeof target->path, "%s", name);
    else
        status = *name ? exec_path_find(target->path, sizeof target->path, name) : -ENOENT;
    if (status == 0)
        status = target_check(target);
    return status < 0 ? target_refuse(status, name, remedy) : 0;
}
