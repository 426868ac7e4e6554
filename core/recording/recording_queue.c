// SPDX-License-Identifier: Apache-2.0
#include "core/recording/recording_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/process/thread_create.h"
#include "core/system/clock.h"

enum {
    RECORDING_QUEUE_BATCH_BYTES = 4 << 20, // two of them are the queue's memory
    RECORDING_QUEUE_WAKE_BYTES = 1 << 20, // a batch this large is written at once ...
    RECORDING_QUEUE_PERIOD_MS = 250, // ... a smaller one this often: what kill -9 of the recorder can lose;
    RECORDING_QUEUE_FIRST_MS = 10, // at first this soon, then twice as late each time: a short run is not all lost
    RECORDING_QUEUE_RUN = 256, // rows of one table that are put at once: their values stay in the cache
};

// A row in a batch: this, and behind the values their texts with their NUL.
struct recording_queue_row {
    uint32_t bytes;                // of the whole row, a multiple of 8
    uint16_t statement, count;
    struct recording_value values[];
};

struct recording_queue_batch {
    char *data;
    size_t used;
};

struct recording_queue {
    struct recording *recording;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;           // for the writer: there is work
    pthread_cond_t done;           // for the others: a batch has been committed
    struct recording_queue_batch filling;    // the mutex guards it and what follows
    uint64_t batches_closed, batches_committed;
    uint64_t wanted;               // the last batch that somebody waits for
    long period_ms;
    bool stop;
    int status;                    // first error of the writer
    struct recording_queue_batch writing;    // the writer's alone, as is what follows
    size_t waiting[RECORDING_STATEMENTS];    // rows of one statement, to be put together: so many of these,
    const struct recording_value *rows[RECORDING_STATEMENTS][RECORDING_QUEUE_RUN]; // which are not zeroed at first
};

static const struct recording_queue_row *recording_queue_row_at(const struct recording_queue_batch *batch, size_t at)
{
    return at < batch->used ? (const struct recording_queue_row *)(batch->data + at) : NULL;
}

static int recording_queue_put_run(struct recording_queue *queue, enum recording_statement statement)
{
    size_t count = queue->waiting[statement];
    queue->waiting[statement] = 0;
    return count == 0 ? 0 : recording_put_many(queue->recording, statement, count, queue->rows[statement]);
}

static int recording_queue_put_runs(struct recording_queue *queue)
{
    int status = 0;
    for (int i = 0; i < RECORDING_STATEMENTS && status == 0; i++)
        status = recording_queue_put_run(queue, (enum recording_statement)i);
    return status;
}

// New rows of several tables come mixed (a call stack, its sample): they are put table by table. What changes a row
// comes after it, so whatever else is put waits for them.
static int recording_queue_put_row(struct recording_queue *queue, const struct recording_queue_row *row)
{
    if (!recording_has_many(row->statement, row->count)) {
        int status = recording_queue_put_runs(queue);
        return status < 0 ? status : recording_put(queue->recording, row->statement, row->count, row->values);
    }
    size_t *waiting = &queue->waiting[row->statement];
    queue->rows[row->statement][(*waiting)++] = row->values;
    return *waiting < RECORDING_QUEUE_RUN ? 0 : recording_queue_put_run(queue, row->statement);
}

static int recording_queue_write(struct recording_queue *queue)
{
    const struct recording_queue_row *row;
    int status = 0;
    for (size_t at = 0; status == 0 && (row = recording_queue_row_at(&queue->writing, at)); at += row->bytes)
        status = recording_queue_put_row(queue, row);
    if (status == 0)
        status = recording_queue_put_runs(queue);
    return status < 0 ? status : recording_commit(queue->recording);
}

// Waits until there is a batch worth writing, or someone wants what there is. Called with the mutex.
static void recording_queue_await_batch(struct recording_queue *queue)
{
    struct timespec until = clock_read(CLOCK_MONOTONIC); // as pthread_cond_timedwait compares it
    until.tv_nsec += queue->period_ms * 1000000L;
    queue->period_ms =
        queue->period_ms * 2 < RECORDING_QUEUE_PERIOD_MS ? queue->period_ms * 2 : RECORDING_QUEUE_PERIOD_MS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int waited = 0;
    while (waited != ETIMEDOUT && !queue->stop && queue->wanted <= queue->batches_closed &&
           queue->filling.used < RECORDING_QUEUE_WAKE_BYTES)
        waited = pthread_cond_timedwait(&queue->wake, &queue->mutex, &until);
}

static void *recording_queue_thread(void *argument)
{
    struct recording_queue *queue = argument;
    pthread_mutex_lock(&queue->mutex);
    for (;;) {
        recording_queue_await_batch(queue);
        if (queue->stop && queue->filling.used == 0)
            break;
        struct recording_queue_batch batch = queue->filling;
        queue->filling = (struct recording_queue_batch){.data = queue->writing.data};
        queue->writing = batch;
        uint64_t number = ++queue->batches_closed;
        bool write = batch.used > 0 && queue->status == 0;
        pthread_mutex_unlock(&queue->mutex);
        int status = write ? recording_queue_write(queue) : 0;
        if (status < 0)
            recording_cut(queue->recording, status);
        pthread_mutex_lock(&queue->mutex);
        if (status < 0)
            queue->status = status;
        queue->batches_committed = number;
        pthread_cond_broadcast(&queue->done);
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static int recording_queue_start(struct recording_queue **out, struct recording *recording)
{
    int status = -ENOMEM;
    struct recording_queue *queue = malloc(sizeof *queue);
    if (!queue)
        return status;
    memset(queue, 0, offsetof(struct recording_queue, rows));
    queue->recording = recording;
    queue->period_ms = RECORDING_QUEUE_FIRST_MS;
    queue->filling.data = malloc(RECORDING_QUEUE_BATCH_BYTES);
    queue->writing.data = malloc(RECORDING_QUEUE_BATCH_BYTES);
    if (!queue->filling.data || !queue->writing.data)
        goto free_queue;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->wake, &monotonic);
    pthread_cond_init(&queue->done, NULL);
    pthread_condattr_destroy(&monotonic);
    status = thread_create(&queue->thread, recording_queue_thread, queue);
    if (status < 0)
        goto free_queue;
    *out = queue;
    return 0;

free_queue:
    free(queue->filling.data);
    free(queue->writing.data);
    free(queue);
    return status;
}

int recording_queue_create(struct recording_queue **queue, const char *path)
{
    struct recording *recording;
    int status = recording_create(&recording, path);
    if (status < 0)
        return status;
    status = recording_queue_start(queue, recording);
    if (status < 0) {
        recording_close(recording);
        unlink(path); // nothing is in it
    }
    return status;
}

static size_t recording_queue_row_bytes(size_t count, const struct recording_value *values)
{
    size_t bytes = sizeof(struct recording_queue_row) + count * sizeof *values;
    for (size_t i = 0; i < count; i++)
        bytes += values[i].text ? strlen(values[i].text) + 1 : 0;
    return (bytes + 7) & ~(size_t)7;
}

static void recording_queue_encode(char *to, size_t bytes, enum recording_statement statement, size_t count,
                                   const struct recording_value *values)
{
    struct recording_queue_row *row = (struct recording_queue_row *)to;
    *row = (struct recording_queue_row){
        .bytes = (uint32_t)bytes, .statement = (uint16_t)statement, .count = (uint16_t)count};
    memcpy(row->values, values, count * sizeof *values);
    char *text_at = (char *)(row->values + count);
    for (size_t i = 0; i < count; i++) {
        if (!values[i].text)
            continue;
        size_t length = strlen(values[i].text) + 1;
        row->values[i].text = memcpy(text_at, values[i].text, length);
        text_at += length;
    }
}

// Has everything put so far committed now. Returns the number of its batch. Called with the mutex.
static uint64_t recording_queue_want(struct recording_queue *queue)
{
    queue->wanted = queue->batches_closed + 1;
    pthread_cond_signal(&queue->wake);
    return queue->wanted;
}

static void recording_queue_await_commit(struct recording_queue *queue)
{
    uint64_t number = recording_queue_want(queue);
    while (queue->batches_committed < number)
        pthread_cond_wait(&queue->done, &queue->mutex);
}

void recording_queue_put(struct recording_queue *queue, enum recording_statement statement, size_t count,
                         const struct recording_value *values)
{
    size_t bytes = recording_queue_row_bytes(count, values);
    pthread_mutex_lock(&queue->mutex);
    if (bytes > RECORDING_QUEUE_BATCH_BYTES)
        queue->status = queue->status ? queue->status : -EMSGSIZE;
    while (queue->status == 0 && queue->filling.used + bytes > RECORDING_QUEUE_BATCH_BYTES)
        recording_queue_await_commit(queue);
    if (queue->status == 0) {
        recording_queue_encode(queue->filling.data + queue->filling.used, bytes, statement, count, values);
        bool first_large = queue->filling.used < RECORDING_QUEUE_WAKE_BYTES &&
                           queue->filling.used + bytes >= RECORDING_QUEUE_WAKE_BYTES;
        queue->filling.used += bytes;
        if (first_large)
            pthread_cond_signal(&queue->wake);
    }
    pthread_mutex_unlock(&queue->mutex);
}

void recording_queue_hurry(struct recording_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    recording_queue_want(queue);
    pthread_mutex_unlock(&queue->mutex);
}

int recording_queue_stop(struct recording_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->stop = true;
    pthread_cond_signal(&queue->wake);
    pthread_mutex_unlock(&queue->mutex);
    pthread_join(queue->thread, NULL);
    int closed = recording_close(queue->recording);
    int status = queue->status ? queue->status : closed;
    pthread_mutex_destroy(&queue->mutex);
    pthread_cond_destroy(&queue->wake);
    pthread_cond_destroy(&queue->done);
    free(queue->filling.data);
    free(queue->writing.data);
    free(queue);
    return status;
}
