// SPDX-License-Identifier: Apache-2.0
// What the target starts gets the process's own mask, not the pinned one of the thread that starts it, and is followed:
// the library stays in the environment where the program can load it, and is taken out where it would break it (musl).
// Some of this runs between vfork and exec, where memory is the parent's: stack only.
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/preload/place/place.h"
#include "collectors/preload/preload.h"
#include "core/system/elf_kind.h"
#include "core/system/exec_path.h"
#include "core/system/exec_rights.h"

extern char **environ;

enum { EXEC_TEXT = PATH_MAX + 64 };

struct exec_environment {
    char preload[EXEC_TEXT], channel[EXEC_TEXT], library[EXEC_TEXT];
    char **variables; // room for the caller's and four more
};

static const char *exec_value(char *const *variables, const char *name)
{
    size_t length = strlen(name);
    for (; variables && *variables; variables++)
        if (strncmp(*variables, name, length) == 0 && (*variables)[length] == '=')
            return *variables + length + 1;
    return NULL;
}

// LD_PRELOAD's list without our library; then, if add, with it in front.
static void exec_preload_list(char *out, size_t size, const char *list, const char *library, bool add)
{
    size_t used = (size_t)snprintf(out, size, "LD_PRELOAD=%s", add ? library : "");
    for (const char *at = list ? list : ""; *at;) {
        size_t length = strcspn(at, ": ");
        bool ours = length == strlen(library) && strncmp(at, library, length) == 0;
        if (length > 0 && !ours && used + length + 2 < size)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s", out[used - 1] == '=' ? "" : ":", (int)length, at);
        at += length + strspn(at + length, ": ");
    }
}

static bool exec_is_ours(const char *variable)
{
    return strncmp(variable, "LD_PRELOAD=", 11) == 0 ||
           strncmp(variable, CHANNEL_ENVIRONMENT "=", sizeof CHANNEL_ENVIRONMENT) == 0 ||
           strncmp(variable, CHANNEL_PRELOAD_ENVIRONMENT "=", sizeof CHANNEL_PRELOAD_ENVIRONMENT) == 0;
}

static size_t exec_count(char *const *variables)
{
    size_t count = 0;
    while (variables && variables[count])
        count++;
    return count;
}

// Makes the environment for a program of this kind from the caller's. Ours are those the process began with, so that a
// program that starts others with a fresh one (env -i) is followed too.
static void exec_make_environment(struct exec_environment *e, char *const *variables, int kind)
{
    const char *library = preload_library(), *channel = preload_channel_address();
    size_t count = 0;
    for (size_t i = 0; variables && variables[i]; i++)
        if (!exec_is_ours(variables[i]))
            e->variables[count++] = variables[i];
    if (*library && (*channel || place_is_on())) {
        exec_preload_list(e->preload, sizeof e->preload, exec_value(variables, "LD_PRELOAD"), library,
                          elf_kind_bears_preload(kind));
        if (strcmp(e->preload, "LD_PRELOAD=") != 0)
            e->variables[count++] = e->preload;
        snprintf(e->channel, sizeof e->channel, CHANNEL_ENVIRONMENT "=%s", channel);
        snprintf(e->library, sizeof e->library, CHANNEL_PRELOAD_ENVIRONMENT "=%s", library);
        if (*channel)
            e->variables[count++] = e->channel;
        e->variables[count++] = e->library;
    }
    e->variables[count] = NULL;
}

// What the program starts is followed by a recorder, or placed.
static bool exec_is_followed(void)
{
    return preload_channel() || (place_is_on() && *preload_library());
}

// The file that execvp will run; some other path where it will run none.
static void exec_find(const char *file, char *path, size_t size)
{
    if (strchr(file, '/'))
        snprintf(path, size, "%s", file);
    else
        exec_path_find(path, size, file);
}

static int exec_kind(const char *path)
{
    char program[PATH_MAX];
    int kind = elf_kind_of_path(path, program, sizeof program);
    return kind >= 0 && exec_rights_change(program) ? -EPERM : kind;
}

static int exec_kind_of_descriptor(int fd)
{
    char interpreter[PATH_MAX];
    int kind = elf_kind_of(fd, interpreter, sizeof interpreter);
    return kind == ELF_KIND_SCRIPT ? exec_kind(interpreter) : kind;
}

static void exec_announce(const char *path, int kind)
{
    size_t length = strlen(path);
    const char *end = length < CHANNEL_TEXT ? path : path + length - CHANNEL_TEXT + 1;
    preload_send((struct preload_note){.kind = CHANNEL_EXEC, .a = kind, .text = end});
    preload_unpin_self();
}

// Declares `e` with room on this function's stack.
#define EXEC_ENVIRONMENT(e, environment, kind)                                                                         \
    struct exec_environment e;                                                                                         \
    e.variables = alloca((exec_count(environment) + 5) * sizeof(char *));                                              \
    exec_make_environment(&e, environment, kind)

PRELOAD_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    __typeof__(&execve) next = PRELOAD_NEXT(execve);
    if (!exec_is_followed())
        return next(path, arguments, environment);
    int kind = exec_kind(path);
    EXEC_ENVIRONMENT(e, environment, kind);
    exec_announce(path, kind);
    int status = next(path, arguments, e.variables);
    preload_repin_self(); // it failed: go on as before
    return status;
}

PRELOAD_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    __typeof__(&execvpe) next = PRELOAD_NEXT(execvpe);
    if (!exec_is_followed())
        return next(file, arguments, environment);
    char path[PATH_MAX];
    exec_find(file, path, sizeof path);
    int kind = exec_kind(path);
    EXEC_ENVIRONMENT(e, environment, kind);
    exec_announce(path, kind);
    int status = next(file, arguments, e.variables);
    preload_repin_self();
    return status;
}

PRELOAD_EXPORT int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

PRELOAD_EXPORT int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

PRELOAD_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    __typeof__(&fexecve) next = PRELOAD_NEXT(fexecve);
    if (!exec_is_followed())
        return next(fd, arguments, environment);
    int kind = exec_kind_of_descriptor(fd);
    EXEC_ENVIRONMENT(e, environment, kind);
    exec_announce("(descriptor)", kind);
    int status = next(fd, arguments, e.variables);
    preload_repin_self();
    return status;
}

PRELOAD_EXPORT int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
                            int flags)
{
    __typeof__(&execveat) next = PRELOAD_NEXT(execveat);
    if (!exec_is_followed())
        return next(directory, path, arguments, environment, flags);
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    int kind = fd >= 0 ? exec_kind_of_descriptor(fd) : ELF_KIND_UNKNOWN;
    if (fd >= 0)
        close(fd);
    EXEC_ENVIRONMENT(e, environment, kind);
    exec_announce(path, kind);
    int status = next(directory, path, arguments, e.variables, flags);
    preload_repin_self();
    return status;
}

// The arguments of the execl family, on the stack of the caller of this macro; `last` is the parameter before "...".
#define EXEC_COLLECT(arguments, first, list)                                                                           \
    size_t count_ = 1;                                                                                                 \
    va_list counting_;                                                                                                 \
    va_start(counting_, first);                                                                                        \
    while (va_arg(counting_, char *))                                                                                  \
        count_++;                                                                                                      \
    va_end(counting_);                                                                                                 \
    char **arguments = alloca((count_ + 1) * sizeof *arguments);                                                       \
    va_list list;                                                                                                      \
    va_start(list, first);                                                                                             \
    (arguments)[0] = (char *)first;                                                                                    \
    for (size_t i_ = 1; i_ <= count_; i_++)                                                                            \
        (arguments)[i_] = va_arg(list, char *)

PRELOAD_EXPORT int execl(const char *path, const char *first, ...)
{
    EXEC_COLLECT(arguments, first, list);
    va_end(list);
    return execve(path, arguments, environ);
}

PRELOAD_EXPORT int execlp(const char *file, const char *first, ...)
{
    EXEC_COLLECT(arguments, first, list);
    va_end(list);
    return execvpe(file, arguments, environ);
}

PRELOAD_EXPORT int execle(const char *path, const char *first, ...)
{
    EXEC_COLLECT(arguments, first, list);
    char *const *environment = va_arg(list, char *const *); // stands behind the NULL
    va_end(list);
    return execve(path, arguments, environment);
}

PRELOAD_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                               const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    __typeof__(&posix_spawn) next = PRELOAD_NEXT(posix_spawn);
    if (!exec_is_followed())
        return next(pid, path, actions, attributes, arguments, environment);
    EXEC_ENVIRONMENT(e, environment, exec_kind(path));
    preload_unpin_self();
    int status = next(pid, path, actions, attributes, arguments, e.variables);
    preload_repin_self();
    return status;
}

PRELOAD_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                                const posix_spawnattr_t *attributes, char *const arguments[],
                                char *const environment[])
{
    __typeof__(&posix_spawnp) next = PRELOAD_NEXT(posix_spawnp);
    if (!exec_is_followed())
        return next(pid, file, actions, attributes, arguments, environment);
    char path[PATH_MAX];
    exec_find(file, path, sizeof path);
    EXEC_ENVIRONMENT(e, environment, exec_kind(path));
    preload_unpin_self();
    int status = next(pid, file, actions, attributes, arguments, e.variables);
    preload_repin_self();
    return status;
}

PRELOAD_EXPORT int system(const char *command)
{
    preload_unpin_self();
    int status = PRELOAD_NEXT(system)(command);
    int kept_errno = errno;
    preload_repin_self();
    errno = kept_errno;
    return status;
}

PRELOAD_EXPORT FILE *popen(const char *command, const char *type)
{
    preload_unpin_self();
    FILE *stream = PRELOAD_NEXT(popen)(command, type);
    int kept_errno = errno;
    preload_repin_self();
    errno = kept_errno;
    return stream;
}
