// SPDX-License-Identifier: Apache-2.0
// What the target starts gets the process's own mask, not the pinned one of the thread that starts it, and is followed:
// the library stays in the environment where the program can load it, and is taken out where it would break it (musl).
// Some of this runs between vfork and exec, where memory is the parent's: stack only, and little of it, since the
// caller's may be a few pages (docs/dev/hostile.md). Buffers are as long as what goes into them.
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/preload/place/place.h"
#include "collectors/preload/preload.h"
#include "core/process/elf_kind.h"
#include "core/process/exec_path.h"
#include "core/process/exec_rights.h"

extern char **environ;

static const char *exec_value(char *const *variables, const char *name)
{
    size_t length = strlen(name);
    for (; variables && *variables; variables++)
        if (strncmp(*variables, name, length) == 0 && (*variables)[length] == '=')
            return *variables + length + 1;
    return NULL;
}

// Appends a copy of length bytes; returns its end.
static char *exec_append(char *end, const char *text, size_t length)
{
    memcpy(end, text, length);
    end[length] = '\0';
    return end + length;
}

static char *exec_append_variable(char *end, const char *name, const char *value)
{
    end = exec_append(end, name, strlen(name));
    end = exec_append(end, "=", 1);
    return exec_append(end, value, strlen(value));
}

// Appends LD_PRELOAD=list without the preload library; if add, with it in front. Returns the end of the text; an empty
// list leaves "LD_PRELOAD=".
static char *exec_append_preload(char *end, const char *list, const char *library, bool add)
{
    end = exec_append_variable(end, "LD_PRELOAD", add ? library : "");
    for (const char *at = list ? list : ""; *at;) {
        size_t length = strcspn(at, ": ");
        bool ours = length == strlen(library) && strncmp(at, library, length) == 0;
        if (length > 0 && !ours) {
            end = end[-1] == '=' ? end : exec_append(end, ":", 1);
            end = exec_append(end, at, length);
        }
        at += length + strspn(at + length, ": ");
    }
    return end;
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

// Bytes of our three variables, each with '=' and the final NUL, beside what LD_PRELOAD had.
static size_t exec_text_bytes(char *const *variables)
{
    const char *list = exec_value(variables, "LD_PRELOAD");
    return sizeof "LD_PRELOAD=:" + sizeof CHANNEL_ENVIRONMENT "=" + sizeof CHANNEL_PRELOAD_ENVIRONMENT "=" +
           (list ? strlen(list) : 0) + 2 * strlen(preload_library()) + strlen(preload_channel_address());
}

// Makes the environment for a program of this kind from the caller's. Ours are those the process began with, so that a
// program that starts others with a fresh one (env -i) is followed too. out has room for four more than the caller's;
// text: exec_text_bytes.
static char **exec_make_environment(char **out, char *text, char *const *variables, int kind)
{
    const char *library = preload_library(), *channel = preload_channel_address();
    const bool is_left = preload_is_filtered(); // the filter goes along, and would kill the library there
    size_t count = 0;
    for (size_t i = 0; variables && variables[i]; i++)
        if (!exec_is_ours(variables[i]))
            out[count++] = variables[i];
    if (*library && (*channel || place_is_on())) {
        char *end = exec_append_preload(text, exec_value(variables, "LD_PRELOAD"), library,
                                        elf_kind_bears_preload(kind) && !is_left);
        if (end[-1] != '=') {
            out[count++] = text;
            text = end + 1;
        }
        if (*channel && !is_left) {
            out[count++] = text;
            text = exec_append_variable(text, CHANNEL_ENVIRONMENT, channel) + 1;
        }
        if (!is_left) {
            out[count++] = text;
            exec_append_variable(text, CHANNEL_PRELOAD_ENVIRONMENT, library);
        }
    }
    out[count] = NULL;
    return out;
}

// True if a recorder follows what the program starts, or a placement file applies to it.
static bool exec_is_followed(void)
{
    return preload_channel() || preload_is_filtered() || (place_is_on() && *preload_library());
}

static size_t exec_find_bytes(const char *file)
{
    const char *search = getenv("PATH");
    return strlen(file) + (search ? strlen(search) : 0) + sizeof EXEC_PATH_DEFAULT "/";
}

// The file that execvp will run; some other path where it will run none. size: exec_find_bytes.
static const char *exec_find(char *path, size_t size, const char *file)
{
    if (strchr(file, '/'))
        return file;
    exec_path_find(path, size, file);
    return path;
}

// -ENOENT where exec will fail: shells try each folder of PATH, and may not search some.
static int exec_read_kind(const char *path)
{
    char interpreter[ELF_KIND_INTERPRETER];
    int kind = elf_kind_of_path(path, interpreter);
    if (kind == -EACCES && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
        return -ENOENT;
    return kind >= 0 && exec_rights_change(*interpreter ? interpreter : path) ? -EPERM : kind;
}

static int exec_kind(const char *path)
{
    if (preload_is_filtered())
        return ELF_KIND_UNKNOWN;
    const struct preload_guard guard = preload_enter();
    const int kind = exec_read_kind(path);
    preload_leave(guard);
    return kind;
}

static int exec_kind_of_descriptor(int fd)
{
    char interpreter[ELF_KIND_INTERPRETER];
    if (preload_is_filtered())
        return ELF_KIND_UNKNOWN;
    const struct preload_guard guard = preload_enter();
    const int kind = elf_kind_of(fd, interpreter);
    preload_leave(guard);
    return kind == ELF_KIND_SCRIPT ? exec_kind(interpreter) : kind;
}

static int exec_kind_in_folder(int directory, const char *path)
{
    if (preload_is_filtered())
        return ELF_KIND_UNKNOWN;
    const struct preload_guard guard = preload_enter();
    const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // a FIFO would wait
    const int kind = fd >= 0 ? exec_kind_of_descriptor(fd) : ELF_KIND_UNKNOWN;
    if (fd >= 0)
        close(fd);
    preload_leave(guard);
    return kind;
}

static void exec_announce(const char *path, int kind)
{
    if (preload_is_filtered())
        return;
    size_t length = strlen(path);
    const char *end = length < CHANNEL_TEXT ? path : path + length - CHANNEL_TEXT + 1;
    preload_send((struct preload_note){.kind = CHANNEL_EXEC, .a = kind, .text = end});
    preload_unpin_self();
}

// The environment for a program of this kind, on the stack of the caller of this macro.
#define EXEC_ENVIRONMENT(environment, kind)                                                                            \
    exec_make_environment(alloca((exec_count(environment) + 5) * sizeof(char *)),                                      \
                          alloca(exec_text_bytes(environment)), environment, kind)

PRELOAD_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    __typeof__(&execve) next = PRELOAD_NEXT(execve);
    if (!exec_is_followed())
        return next(path, arguments, environment);
    int kind = exec_kind(path);
    char **variables = EXEC_ENVIRONMENT(environment, kind);
    exec_announce(path, kind);
    int status = next(path, arguments, variables);
    preload_repin_self(); // it failed: go on as before
    return status;
}

PRELOAD_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    __typeof__(&execvpe) next = PRELOAD_NEXT(execvpe);
    if (!exec_is_followed())
        return next(file, arguments, environment);
    size_t bytes = exec_find_bytes(file);
    const char *path = exec_find(alloca(bytes), bytes, file);
    int kind = exec_kind(path);
    char **variables = EXEC_ENVIRONMENT(environment, kind);
    exec_announce(path, kind);
    int status = next(file, arguments, variables);
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
    char **variables = EXEC_ENVIRONMENT(environment, kind);
    exec_announce("(descriptor)", kind);
    int status = next(fd, arguments, variables);
    preload_repin_self();
    return status;
}

PRELOAD_EXPORT int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
                            int flags)
{
    __typeof__(&execveat) next = PRELOAD_NEXT(execveat);
    if (!exec_is_followed())
        return next(directory, path, arguments, environment, flags);
    int kind = exec_kind_in_folder(directory, path);
    char **variables = EXEC_ENVIRONMENT(environment, kind);
    exec_announce(path, kind);
    int status = next(directory, path, arguments, variables, flags);
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
    char **variables = EXEC_ENVIRONMENT(environment, exec_kind(path));
    preload_unpin_self();
    int status = next(pid, path, actions, attributes, arguments, variables);
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
    size_t bytes = exec_find_bytes(file);
    const char *path = exec_find(alloca(bytes), bytes, file);
    char **variables = EXEC_ENVIRONMENT(environment, exec_kind(path));
    preload_unpin_self();
    int status = next(pid, file, actions, attributes, arguments, variables);
    preload_repin_self();
    return status;
}

PRELOAD_EXPORT int system(const char *command)
{
    preload_unpin_self();
    int status = PRELOAD_NEXT(system)(command);
    preload_repin_self();
    return status;
}

PRELOAD_EXPORT FILE *popen(const char *command, const char *type)
{
    preload_unpin_self();
    FILE *stream = PRELOAD_NEXT(popen)(command, type);
    preload_repin_self();
    return stream;
}
