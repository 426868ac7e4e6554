// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-24, eighth
// truth: main reads records by read() into an anonymous mapping; thread t of eight takes every eighth chunk of 64 KiB in each pass
// fix: parts
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 8
#define CHUNK (64u << 10)
#define BYTES (8u << 20)

struct share {
    const unsigned char *bytes;
    unsigned id;
    uint64_t counts[256];
};

static unsigned char *slurp(int fd, size_t bytes)
{
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(fd, memory + done, bytes - done);
        if (got <= 0)
            return NULL;
        done += (size_t)got;
    }
    return memory;
}

static int records(void)
{
    char name[] = "/tmp/chunksXXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    static unsigned char block[1 << 16];
    uint32_t state = 5;
    for (unsigned at = 0; at < BYTES; at += sizeof block) {
        for (unsigned i = 0; i < sizeof block; i++)
            block[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
        if (write(fd, block, sizeof block) != sizeof block)
            return -1;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static void *count(void *argument)
{
    struct share *mine = argument;
    for (int pass = 0; pass < 8; pass++)
        for (size_t chunk = mine->id; chunk < BYTES / CHUNK; chunk += THREADS)
            for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK; i += 8)
                mine->counts[mine->bytes[i]] += mine->bytes[i + 7];
    return NULL;
}

int main(void)
{
    static struct share shares[THREADS];
    pthread_t threads[THREADS];
    int fd = records();
    unsigned char *bytes = fd < 0 ? NULL : slurp(fd, BYTES);
    if (!bytes)
        return 1;
    for (unsigned t = 0; t < THREADS; t++) {
        shares[t].bytes = bytes;
        shares[t].id = t;
        pthread_create(&threads[t], NULL, count, &shares[t]);
    }
    uint64_t total = 0;
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        total += shares[t].counts[t * 7];
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
