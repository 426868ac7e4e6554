// SPDX-License-Identifier: Apache-2.0
// Reading of /proc and /sys below a root prefix, so that a snapshot of any machine can stand in for this one. Every
// function takes the prefix ("" is this machine) and a path made as by printf. Errors are -errno; -EINVAL: the file
// is there but does not hold what was asked for.
#ifndef CORE_SYSTEM_SYSFILE_H
#define CORE_SYSTEM_SYSFILE_H

#include <stddef.h>
#include <stdint.h>

// Whole file as text into out (at most size - 1 bytes and a final NUL), without blanks at its end: a snapshot
// that passed through a mail has some. Returns its length; -EFBIG if it does not fit.
int sysfile_text(const char *root, char *out, size_t size, const char *path_format, ...)
    __attribute__((format(printf, 4, 5)));

// The beginning of a file, cut off at size - 1 bytes: for files whose rest is costly to make. Returns its length.
int sysfile_head(const char *root, char *out, size_t size, const char *path_format, ...)
    __attribute__((format(printf, 4, 5)));

// Whole file into a new buffer with a final NUL, for files without a known bound. The caller frees *text.
int sysfile_whole(const char *root, char **text, const char *path_format, ...) __attribute__((format(printf, 3, 4)));

// A file that holds one decimal number.
int sysfile_number(const char *root, int64_t *value, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));

// Where a symbolic link points, as text. Returns its length; -EINVAL: not a link; -EFBIG if it does not fit.
int sysfile_link(const char *root, char *out, size_t size, const char *path_format, ...)
    __attribute__((format(printf, 4, 5)));

// Calls each for every name in a folder, in the order of strcmp. Names that begin with a dot are left out.
int sysfile_names(const char *root, void (*each)(void *to, const char *name), void *to, const char *path_format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
