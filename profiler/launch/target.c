// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/process/exec_path.h"
#include "core/process/exec_rights.h"
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
                   "%s changes its rights when it starts (setuid or capabilities); the kernel lets nobody else "
                   "measure it", clean);
        return DIAG_EXIT_CANNOT_RUN;
    default:
        diag_error("check the file", "%s cannot be run: %s", clean, strerror(-error));
        return DIAG_EXIT_CANNOT_RUN;
    }
}

// The script's or the program's own: execve says ENOENT, as if the program itself were missing.
static int target_refuse_interpreter(const struct target *target, const char *interpreter)
{
    char clean[PATH_MAX], missing[PATH_MAX];
    diag_error("install it, or correct the file's first line or PT_INTERP",
               "%s cannot be run: its interpreter %s is missing",
               diag_clean(clean, sizeof clean, target->path), diag_clean(missing, sizeof missing, interpreter));
    return DIAG_EXIT_CANNOT_RUN;
}

// Sets program, the path of what runs in the end. Its kind or -errno.
static int target_follow(struct target *target)
{
    char interpreter[ELF_KIND_INTERPRETER];
    int kind = elf_kind_of_path(target->path, interpreter);
    snprintf(target->program, sizeof target->program, "%s", *interpreter ? interpreter : target->path);
    return kind;
}

static bool target_lacks_loader(const struct target *target, char *loader, size_t size)
{
    elf_kind_loader(target->program, loader, size);
    return *loader && access(loader, F_OK) < 0 && errno == ENOENT;
}

// 0, -errno, or the exit status of what was refused here already.
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
    char loader[PATH_MAX];
    int kind = target_follow(target);
    if (kind == -ENOENT)
        return target_refuse_interpreter(target, target->program);
    // Executable but not readable (mode 711): the kernel ends measuring by others at exec, as for setuid.
    if (kind == -EACCES)
        return -EPERM;
    if (kind < 0)
        return kind;
    if (target_lacks_loader(target, loader, sizeof loader))
        return target_refuse_interpreter(target, loader);
    target->kind = (enum elf_kind)kind;
    return exec_rights_change(target->program) ? -EPERM : 0;
}

// A recording that was given without `report` before it.
static bool target_is_recording(const char *name)
{
    static const char suffix[] = ".numaprof";
    size_t length = strlen(name);
    return length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0 && access(name, F_OK) == 0;
}

static int target_refuse_recording(const char *name)
{
    char clean[PATH_MAX];
    diag_error("put report, diff, check or try before it", "%s is a recording, not a program",
               diag_clean(clean, sizeof clean, name));
    return DIAG_EXIT_CANNOT_RUN;
}

// A file of this folder, where PATH does not lead.
static int target_refuse_unnamed(struct target *target, const char *name, const char *remedy)
{
    char meant[64 + PATH_MAX];
    struct stat file;
    snprintf(target->path, sizeof target->path, "./%s", name);
    if (!*name || stat(target->path, &file) < 0 || !S_ISREG(file.st_mode))
        return target_refuse(-ENOENT, name, remedy);
    if (access(target->path, X_OK) < 0)
        return target_refuse(-EACCES, target->path, remedy);
    snprintf(meant, sizeof meant, "did you mean %s?", target->path);
    return target_refuse(-ENOENT, name, meant);
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
    if (status < 0 && target_is_recording(name))
        return target_refuse_recording(name);
    if (status == -ENOENT && !strchr(name, '/'))
        return target_refuse_unnamed(target, name, remedy);
    return status < 0 ? target_refuse(status, name, remedy) : status;
}
