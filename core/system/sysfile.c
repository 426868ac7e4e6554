// SPDX-License-Identifier: Apache-2.0
#include "core/system/sysfile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int sysfile_path(char path[PATH_MAX], const char *root, const char *path_format, va_list arguments)
{
    int n = snprintf(path, PATH_MAX, "%s", root);
    if (n < 0 || n >= PATH_MAX)
        return -ENAMETOOLONG;
    int m = vsnprintf(path + n, PATH_MAX - (size_t)n, path_format, arguments);
    return m < 0 || m >= PATH_MAX - n ? -ENAMETOOLONG : 0;
}

static int sysfile_open(const char *root, const char *path_format, va_list arguments)
{
    char path[PATH_MAX];
    int status = sysfile_path(path, root, path_format, arguments);
    if (status < 0)
        return status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // /proc/kmsg waits for messages
    return fd < 0 ? -errno : fd;
}

// Reads until the end of the file or until size bytes are full. Returns the number of bytes.
static ssize_t sysfile_fill(int fd, char *out, size_t size)
{
    size_t used = 0;
    while (used < size) {
        ssize_t n = read(fd, out + used, size - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        used += (size_t)n;
    }
    return (ssize_t)used;
}

static int sysfile_finish(char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return (int)length;
}

// In a function (..., path_format, ...): sets status to what the call returns that takes its arguments.
#define SYSFILE_WITH_PATH(status, call)                                                                                \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, path_format);                                                                              \
        (status) = call;                                                                                               \
        va_end(arguments);                                                                                             \
    } while (0)

int sysfile_text(const char *root, char *out, size_t size, const char *path_format, ...)
{
    int fd;
    SYSFILE_WITH_PATH(fd, sysfile_open(root, path_format, arguments));
    if (fd < 0)
        return fd;
    ssize_t n = sysfile_fill(fd, out, size);
    close(fd);
    if (n < 0)
        return (int)n;
    return (size_t)n == size ? -EFBIG : sysfile_finish(out, (size_t)n);
}

int sysfile_head(const char *root, char *out, size_t size, const char *path_format, ...)
{
    int fd;
    SYSFILE_WITH_PATH(fd, sysfile_open(root, path_format, arguments));
    if (fd < 0)
        return fd;
    ssize_t n = sysfile_fill(fd, out, size - 1);
    close(fd);
    return n < 0 ? (int)n : sysfile_finish(out, (size_t)n);
}

int sysfile_whole(const char *root, char **text, const char *path_format, ...)
{
    int fd;
    SYSFILE_WITH_PATH(fd, sysfile_open(root, path_format, arguments));
    if (fd < 0)
        return fd;

    int status = -ENOMEM;
    size_t size = 4096, used = 0; // /proc files have no size: grow while the buffer comes back full
    char *buffer = malloc(size);
    if (!buffer)
        goto done;
    for (;;) {
        ssize_t n = sysfile_fill(fd, buffer + used, size - used);
        if (n < 0) {
            status = (int)n;
            goto done;
        }
        used += (size_t)n;
        if (used < size)
            break;
        char *larger = size > INT_MAX / 4 ? NULL : realloc(buffer, size * 2);
        if (!larger)
            goto done;
        buffer = larger;
        size *= 2;
    }
    status = sysfile_finish(buffer, used);
    *text = buffer;
    buffer = NULL;
done:
    free(buffer);
    close(fd);
    return status;
}

int sysfile_number(const char *root, int64_t *value, const char *path_format, ...)
{
    int fd;
    SYSFILE_WITH_PATH(fd, sysfile_open(root, path_format, arguments));
    if (fd < 0)
        return fd;
    char text[32], *end;
    ssize_t n = sysfile_fill(fd, text, sizeof text - 1);
    close(fd);
    if (n < 0)
        return (int)n;
    sysfile_finish(text, (size_t)n);
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end)
        return -EINVAL;
    *value = number;
    return 0;
}

int sysfile_link(const char *root, char *out, size_t size, const char *path_format, ...)
{
    char path[PATH_MAX];
    int status;
    SYSFILE_WITH_PATH(status, sysfile_path(path, root, path_format, arguments));
    if (status < 0)
        return status;
    ssize_t n = readlink(path, out, size);
    if (n < 0)
        return -errno;
    if ((size_t)n == size)
        return -EFBIG;
    out[n] = '\0';
    return (int)n;
}

static int sysfile_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int sysfile_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); // alphasort would ask the locale
}

int sysfile_names(const char *root, void (*each)(void *to, const char *name), void *to, const char *path_format, ...)
{
    char path[PATH_MAX];
    int status;
    SYSFILE_WITH_PATH(status, sysfile_path(path, root, path_format, arguments));
    if (status < 0)
        return status;
    struct dirent **entries;
    int count = scandir(path, &entries, sysfile_visible, sysfile_by_name);
    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++) {
        each(to, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}
