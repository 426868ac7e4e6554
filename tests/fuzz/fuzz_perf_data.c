// SPDX-License-Identifier: Apache-2.0
// fuzz_perf_data FOLDER FIRST ROUNDS FILE...: damages copies of perf.data files, by numbers from FIRST on, and imports
// each. FOLDER is for the copies and their recordings. The number of a round is printed before it, and at the end how
// many of the damaged files became a recording.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/import/import.h"
#include "tests/targets/chance.h"

enum { HEADER_BYTES = 512 };

static char *read_file(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        exit(2);
    *bytes = (size_t)status.st_size;
    char *content = malloc(*bytes + 1);
    if (!content || read(fd, content, *bytes) != (ssize_t)*bytes)
        exit(2);
    close(fd);
    return content;
}

// Numbers near the limits of what a field can hold lead further than chance; numbers of the file itself, further still.
static void damage_field(char *content, size_t bytes, size_t at, size_t wide)
{
    static const uint64_t limits[] =
        {0, 1, 7, 8, 0x7f, 0xff, 0x7fff, 0xfff8, 0xffff, 0x7fffffff, 0xffffffff, UINT64_MAX / 2, UINT64_MAX};
    uint64_t value = chance() % 2 ? limits[chance() % (sizeof limits / sizeof *limits)] : chance();
    if (chance() % 4 == 0)
        memcpy(&value, content + chance() % (bytes - sizeof value), sizeof value);
    memcpy(content + at, &value, wide);
}

// Returns how many bytes are left.
static size_t damage(char *content, size_t bytes)
{
    for (uint64_t n = chance() % 12; n > 0; n--) {
        const size_t wide = (size_t)1 << chance() % 4, head = bytes < HEADER_BYTES ? bytes : HEADER_BYTES;
        size_t at = chance() % 4 ? chance() % (bytes - 8) : chance() % (head - 8);
        at -= chance() % 2 ? at % wide : 0;
        damage_field(content, bytes, at, wide);
    }
    if (chance() % 4 == 0) { // a piece in another place
        const size_t from = chance() % bytes, to = chance() % bytes, most = bytes - (from > to ? from : to);
        memmove(content + to, content + from, chance() % (most < 256 ? most : 256));
    }
    return chance() % 8 ? bytes : 16 + chance() % (bytes - 16);
}

static void write_copy(const char *path, const char *content, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, content, bytes) != (ssize_t)bytes)
        exit(2);
    close(fd);
}

static int import_round(const char *folder, const char *seed, uint64_t number)
{
    char path[512], out[512];
    size_t bytes;
    state = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    snprintf(path, sizeof path, "%s/damaged-%llu", folder, (unsigned long long)number);
    snprintf(out, sizeof out, "%s/damaged.numaprof", folder);
    unlink(out);
    char *content = read_file(seed, &bytes);
    write_copy(path, content, damage(content, bytes));
    free(content);
    int status = import_run(&(struct import_request){.input = path, .output = out, .symfs = folder, .quiet = true});
    if ((status == 0) != (access(out, F_OK) == 0))
        exit(3); // a refused file leaves nothing behind
    unlink(path);
    return status == 0;
}

int main(int argc, char **argv)
{
    enum { FILES = 4 };
    if (argc <= FILES)
        return 2;
    uint64_t first = strtoull(argv[2], NULL, 10), rounds = strtoull(argv[3], NULL, 10), recordings = 0;
    for (uint64_t i = first; i < first + rounds; i++) {
        printf("%llu\n", (unsigned long long)i);
        fflush(stdout);
        recordings += (uint64_t)import_round(argv[1], argv[FILES + (int)(i % (uint64_t)(argc - FILES))], i);
    }
    printf("%llu recordings\n", (unsigned long long)recordings);
    return 0;
}
