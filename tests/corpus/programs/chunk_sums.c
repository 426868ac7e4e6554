// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twentieth
// truth: main fills an archive (malloc, 16 MiB); eight C11 threads check their eighth of its chunks again and again, by a function of a shared library without debug info (adler32 of zlib, taken by dlopen), which alone reads the memory
// fix: parts
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#define CHUNK 65536u
#define CHUNKS 256u
#define THREADS 8u
#define ROUNDS 8u

typedef unsigned long (*sum_fn)(unsigned long, const unsigned char *, unsigned);

struct archive {
    unsigned char *bytes;
    size_t chunks;
    sum_fn sum;
};

struct checker {
    const struct archive *archive;
    size_t begin, end;
    unsigned long result;
};

static int open_archive(struct archive *a)
{
    void *zlib = dlopen("libz.so.1", RTLD_NOW);
    unsigned long long state = 88172645463325252ull;

    if (!zlib) {
        fprintf(stderr, "%s\n", dlerror());
        return -1;
    }
    *(void **)&a->sum = dlsym(zlib, "adler32");
    a->chunks = CHUNKS;
    a->bytes = malloc((size_t)CHUNK * CHUNKS);
    if (!a->sum || !a->bytes)
        return -1;
    for (size_t i = 0; i < (size_t)CHUNK * CHUNKS; i++) {
        if (i % 64 == 0) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }
        a->bytes[i] = (unsigned char)(state >> (i % 56));
    }
    return 0;
}

static int check(void *arg)
{
    struct checker *c = arg;
    unsigned long sum = 1;

    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = c->begin; i < c->end; i++)
            sum = c->archive->sum(sum, c->archive->bytes + i * CHUNK, CHUNK);
    c->result = sum;
    return thrd_success;
}

int main(void)
{
    struct archive archive;
    struct checker checkers[THREADS];
    thrd_t threads[THREADS];
    unsigned long all = 0;

    if (open_archive(&archive) < 0)
        return 1;
    for (unsigned t = 0; t < THREADS; t++) {
        checkers[t].archive = &archive;
        checkers[t].begin = archive.chunks * t / THREADS;
        checkers[t].end = archive.chunks * (t + 1) / THREADS;
        if (thrd_create(&threads[t], check, &checkers[t]) != thrd_success)
            return 1;
    }
    for (unsigned t = 0; t < THREADS; t++) {
        thrd_join(threads[t], NULL);
        all = all * 31 + checkers[t].result;
    }
    printf("%lx\n", all);
    free(archive.bytes);
    return 0;
}
