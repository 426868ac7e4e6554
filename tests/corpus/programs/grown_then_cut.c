// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, third
// truth: read() of a file into a block that realloc doubles, then cut to size; pthreads count words in blocks of it
// fix: parts
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, PASSES = 6 };

static char *text;
static size_t length;
static long words[THREADS];

static void *count(void *argument)
{
    size_t t = (size_t)argument, begin = length * t / THREADS, end = length * (t + 1) / THREADS;
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = begin; i < end; i++)
            words[t] += text[i] == ' ' && (i == 0 || text[i - 1] != ' ');
    return NULL;
}

static void load(int fd)
{
    size_t room = 1 << 16;
    text = malloc(room);
    for (ssize_t got; (got = read(fd, text + length, room - length)) > 0;) {
        length += (size_t)got;
        if (length == room)
            text = realloc(text, room *= 2);
    }
    text = realloc(text, length);
}

int main(void)
{
    FILE *file = tmpfile();
    for (int i = 0; i < 1000000; i++)
        fprintf(file, "w%d%s", i % 9000, i % 5 ? " " : "  ");
    fflush(file);
    lseek(fileno(file), 0, SEEK_SET);
    load(fileno(file));
    pthread_t team[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&team[t], NULL, count, (void *)t);
    long total = 0;
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(team[t], NULL);
        total += words[t];
    }
    printf("%ld %zu\n", total, length);
}
