// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/machine_cache.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/measure/result/result_identity.h"

static int machine_cache_folder(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (cache && *cache == '/') // others are to be ignored, says the XDG base directory specification
        n = snprintf(path, size, "%s/numaprof", cache);
    else if (home && *home)
        n = snprintf(path, size, "%s/.cache/numaprof", home);
    else
        return -ENOENT;
    return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : n;
}

int machine_cache_path(char *path, size_t size, const char *kind, const char *identity)
{
    char key[RESULT_IDENTITY_KEY_BYTES];
    int n = machine_cache_folder(path, size);
    if (n < 0)
        return n;
    int m = snprintf(path + n, size - (size_t)n, "/%s-%s", kind, result_identity_key(key, identity));
    return m < 0 || (size_t)m >= size - (size_t)n ? -ENAMETOOLONG : 0;
}

static int machine_cache_make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return 0;
}

int machine_cache_write(const char *path, void (*write)(FILE *out, const void *what), const void *what)
{
    char fresh[PATH_MAX];
    int status = machine_cache_make_folders(path);
    if (status < 0)
        return status;
    snprintf(fresh, sizeof fresh, "%.*s.%d", (int)sizeof fresh - 16, path, (int)getpid());
    FILE *out = fopen(fresh, "we");
    if (!out)
        return -errno;
    write(out, what);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed && rename(fresh, path) == 0)
        return 0;
    status = errno ? -errno : -EIO;
    unlink(fresh);
    return status;
}
