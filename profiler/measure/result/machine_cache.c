// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/result/machine_cache.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "core/text/diag.h"
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

static int machine_cache_path(char *path, size_t size, const struct machine_cache_kind *kind, const char *identity)
{
    char key[RESULT_IDENTITY_KEY_BYTES];
    int n = machine_cache_folder(path, size);
    if (n < 0)
        return n;
    int m = snprintf(path + n, size - (size_t)n, "/%s-%s", kind->name, result_identity_key(key, identity));
    return m < 0 || (size_t)m >= size - (size_t)n ? -ENAMETOOLONG : 0;
}

// The caller frees *identity.
static int machine_cache_locate(char **identity, const struct machine_cache_kind *kind, const struct topology *t,
                                char *path, size_t size)
{
    *identity = NULL;
    path[0] = '\0';
    int status = result_identity_make(identity, t, kind->of_software);
    return status < 0 ? status : machine_cache_path(path, size, kind, *identity);
}

// --- writing

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

static int machine_cache_replace(const char *path, const struct machine_cache_kind *kind, const char *identity,
                                 void (*write_lines)(FILE *out, const void *what), const void *what)
{
    char fresh[PATH_MAX];
    int status = machine_cache_make_folders(path);
    if (status < 0)
        return status;
    snprintf(fresh, sizeof fresh, "%.*s.%d", (int)sizeof fresh - 16, path, (int)getpid());
    FILE *out = fopen(fresh, "we");
    if (!out)
        return -errno;
    fprintf(out, "%s\nmachine %s\n", kind->first, identity);
    write_lines(out, what);
    fputs("end\n", out);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed && rename(fresh, path) == 0)
        return 0;
    status = errno ? -errno : -EIO;
    unlink(fresh);
    return status;
}

int machine_cache_save(const struct machine_cache_kind *kind, const struct topology *t, char *path, size_t size,
                       void (*write_lines)(FILE *out, const void *what), const void *what)
{
    char *identity;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    int status = machine_cache_locate(&identity, kind, t, path, size);
    sigaction(SIGXFSZ, &ignore, &before); // a limit for files is to fail a write, not to kill us
    if (status == 0)
        status = machine_cache_replace(path, kind, identity, write_lines, what);
    sigaction(SIGXFSZ, &before, NULL);
    free(identity);
    return status;
}

void machine_cache_tell(int status, const char *path, const char *what)
{
    char clean[PATH_MAX];
    diag_clean(clean, sizeof clean, path);
    if (status < 0)
        diag_warn(status == -EFBIG    ? "ulimit -f unlimited"
                  : status == -ENOSPC ? "free some space, or set XDG_CACHE_HOME to a folder on another disk"
                                      : "set XDG_CACHE_HOME to a folder that can be written",
                  "%s is not cached for later recordings: %s: %s", what, clean, strerror(-status));
    else
        diag_info("%s is cached in %s; recordings made on this machine will hold it", what, clean);
}

// --- reading

char *machine_cache_line(struct machine_cache_reader *reader)
{
    return strsep(&reader->rest, "\n");
}

const char *machine_cache_after(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return line && strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

int machine_cache_each(struct machine_cache_reader *reader, int (*each)(void *to, const char *line), void *to)
{
    int status = 0;
    const char *line = machine_cache_line(reader);
    for (; line && status == 0 && strcmp(line, "end") != 0; line = machine_cache_line(reader))
        status = each(to, line);
    return status < 0 ? status : line ? 0 : -EINVAL;
}

// identity NULL: any.
static int machine_cache_read(struct machine_cache_reader *reader, const struct machine_cache_kind *kind,
                              const char *path, const char *identity)
{
    int status = sysfile_whole("", &reader->text, "%s", path);
    if (status < 0)
        return status;
    reader->rest = reader->text;
    if (strcmp(machine_cache_line(reader), kind->first) != 0)
        return -EINVAL;
    const char *machine = machine_cache_after(machine_cache_line(reader), "machine");
    if (!machine)
        return -EINVAL;
    return identity && strcmp(machine, identity) != 0 ? -ENOENT : 0; // another machine with the same key
}

int machine_cache_open(struct machine_cache_reader *reader, const struct machine_cache_kind *kind,
                       const struct topology *t, char *path, size_t size)
{
    char *identity;
    *reader = (struct machine_cache_reader){0};
    int status = machine_cache_locate(&identity, kind, t, path, size);
    if (status == 0)
        status = machine_cache_read(reader, kind, path, identity);
    free(identity);
    return status;
}

int machine_cache_open_file(struct machine_cache_reader *reader, const struct machine_cache_kind *kind,
                            const char *path)
{
    *reader = (struct machine_cache_reader){0};
    return machine_cache_read(reader, kind, path, NULL);
}

void machine_cache_close(struct machine_cache_reader *reader)
{
    free(reader->text);
    *reader = (struct machine_cache_reader){0};
}
