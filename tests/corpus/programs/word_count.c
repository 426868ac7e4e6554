// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: threads of POSIX read ranges of a file by pread into small buffers of their own: the file is what takes time
// fix: none
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 8
#define CHUNK (32 << 10)

typedef struct {
    int file;
    off_t begin, end;
    long words;
    pthread_t id;
} reader_t;

static long count_words(const char *text, ssize_t length, int *inside)
{
    long words = 0;
    for (ssize_t i = 0; i < length; i++) {
        int letter = isalpha((unsigned char)text[i]) != 0;
        words += letter && !*inside;
        *inside = letter;
    }
    return words;
}

static void *reader(void *argument)
{
    reader_t *me = argument;
    char *buffer = malloc(CHUNK);
    int inside = 0;
    for (off_t at = me->begin; at < me->end;) {
        size_t wanted = me->end - at < CHUNK ? (size_t)(me->end - at) : CHUNK;
        ssize_t length = pread(me->file, buffer, wanted, at);
        if (length <= 0)
            break;
        me->words += count_words(buffer, length, &inside);
        at += length;
    }
    free(buffer);
    return NULL;
}

static int make_file(off_t bytes)
{
    char name[] = "/tmp/words-XXXXXX", line[64];
    int file = mkstemp(name);
    memset(line, 'x', sizeof line);
    for (int i = 7; i < 64; i += 8)
        line[i] = ' ';
    for (off_t at = 0; at < bytes; at += sizeof line)
        if (write(file, line, sizeof line) < 0)
            exit(1);
    unlink(name);
    return file;
}

int main(void)
{
    const off_t bytes = 2 << 20;
    int file = make_file(bytes);
    reader_t readers[THREADS];
    for (int t = 0; t < THREADS; t++) {
        readers[t] = (reader_t){file, bytes * t / THREADS, bytes * (t + 1) / THREADS, 0, 0};
        pthread_create(&readers[t].id, NULL, reader, &readers[t]);
    }
    long words = 0;
    for (int t = 0; t < THREADS; t++) {
        pthread_join(readers[t].id, NULL);
        words += readers[t].words;
    }
    printf("%ld\n", words);
}
