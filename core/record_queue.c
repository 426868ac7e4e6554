// SPDX-License-Identifier: Apache-2.0
#include "core/record_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    QUEUE_BATCH_BYTES = 4 << 20,   // two of them are the queue's memory
    QUEUE_WAKE_BYTES = 1 << 20,    // a batch this large is written at once ...
    QUEUE_PERIOD_MS = 250,         // ... a smaller one this often: what kill -9 of the recorder can lose;
    QUEUE_FIRST_MS = 10,           // at first this soon, then twice as late each time: a short run is not all lost
    QUEUE_MAX_VALUES = 64,         // bits of queue_row.texts
};

// A row in a batch: this, count numbers, then the texts with their NUL. Where a bit of texts is set, the number is the
// text's offset from the row.
struct queue_row {
    uint32_t bytes;                // of the whole row, a multiple of 8
    uint16_t statement, count;
    uint64_t texts;
};

struct queue_batch {
    char *data;
    size_t used;
};

struct record_queue {
    struct recording *recording;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;           // for the writer: there is work
    pthread_cond_t done;           // for the others: a batch has been committed
    struct queue_batch filling;    // the mutex guards it and what follows
    uint64_t batches_closed, batches_committed;
    uint64_t wanted;               // the last batch that somebody waits for
    long period_ms;
    bool stop;
    int status;                    // first error of the writer
    struct queue_batch writing;    // the writer's alone, as is what follows
    struct recording_value values[QUEUE_MAX_VALUES * RECORDING_MANY];
};

static const struct queue_row *queue_row_at(const struct queue_batch *batch, size_t at)
{
    return at < batch->used ? (const struct queue_row *)(batch->data + at) : NULL;
}

static void queue_decode(const struct queue_row *row, struct recording_value *values)
{
    const int64_t *numbers = (const int64_t *)(row + 1);
    for (size_t i = 0; i < row->count; i++) {
        bool is_text = row->texts >> i & 1;
        values[i] = (struct recording_value){.text = is_text ? (const char *)row + numbers[i] : NULL,
                                             .number = numbers[i]};
    }
}

// Decodes rows of one statement from at on, at most max of them. Returns how many; *end is behind the last.
static size_t queue_decode_run(const struct queue_batch *batch, size_t at, size_t max, struct recording_value *values,
                               size_t *end)
{
    const struct queue_row *first = queue_row_at(batch, at), *row = first;
    size_t rows = 0;
    while (rows < max && row && row->statement == first->statement && row->count == first->count) {
        queue_decode(row, values + rows++ * first->count);
        at += row->bytes;
        row = queue_row_at(batch, at);
    }
    *end = at;
    return rows;
}

static int queue_put_run(struct recording *recording, const struct queue_row *row, size_t rows,
                         const struct recording_value *values)
{
    if (rows == RECORDING_MANY)
        return recording_put_many(recording, row->statement, row->count, values);
    int status = 0;
    for (size_t i = 0; i < rows && status == 0; i++)
        status = recording_put(recording, row->statement, row->count, values + i * row->count);
    return status;
}

static int queue_write(struct record_queue *queue)
{
    const struct queue_batch *batch = &queue->writing;
    const struct queue_row *row;
    for (size_t at = 0, end; (row = queue_row_at(batch, at)); at = end) {
        size_t max = recording_has_many(row->statement) ? RECORDING_MANY : 1;
        size_t rows = queue_decode_run(batch, at, max, queue->values, &end);
        int status = queue_put_run(queue->recording, row, rows, queue->values);
        if (status < 0)
            return status;
    }
    return recording_commit(queue->recording);
}

// Waits until there is a batch worth writing, or someone wants what there is. Called with the mutex.
static void queue_await_batch(struct record_queue *queue)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += queue->period_ms * 1000000L;
    queue->period_ms = queue->period_ms * 2 < QUEUE_PERIOD_MS ? queue->period_ms * 2 : QUEUE_PERIOD_MS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int waited = 0;
    while (waited != ETIMEDOUT && !queue->stop && queue->wanted <= queue->batches_closed &&
           queue->filling.used < QUEUE_WAKE_BYTES)
        waited = pthread_cond_timedwait(&queue->wake, &queue->mutex, &until);
}

static void *queue_thread(void *argument)
{
    struct record_queue *queue = argument;
    pthread_mutex_lock(&queue->mutex);
    for (;;) {
        queue_await_batch(queue);
        if (queue->stop && queue->filling.used == 0)
            break;
        struct queue_batch batch = queue->filling;
        queue->filling = (struct queue_batch){.data = queue->writing.data};
        queue->writing = batch;
        uint64_t number = ++queue->batches_closed;
        bool write = batch.used > 0 && queue->status == 0;
        pthread_mutex_unlock(&queue->mutex);
        int status = write ? queue_write(queue) : 0;
        pthread_mutex_lock(&queue->mutex);
        if (status < 0)
            queue->status = status;
        queue->batches_committed = number;
        pthread_cond_broadcast(&queue->done);
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

int record_queue_start(struct record_queue **out, struct recording *recording)
{
    int status = -ENOMEM;
    struct record_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return status;
    queue->recording = recording;
    queue->period_ms = QUEUE_FIRST_MS;
    queue->filling.data = malloc(QUEUE_BATCH_BYTES);
    queue->writing.data = malloc(QUEUE_BATCH_BYTES);
    if (!queue->filling.data || !queue->writing.data)
        goto free_queue;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->wake, &monotonic);
    pthread_cond_init(&queue->done, NULL);
    pthread_condattr_destroy(&monotonic);
    status = -pthread_create(&queue->thread, NULL, queue_thread, queue);
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

static size_t queue_row_bytes(size_t count, const struct recording_value *values)
{
    size_t bytes = sizeof(struct queue_row) + count * sizeof(int64_t);
    for (size_t i = 0; i < count; i++)
        bytes += values[i].text ? strlen(values[i].text) + 1 : 0;
    return (bytes + 7) & ~(size_t)7;
}

static void queue_encode(char *to, size_t bytes, enum recording_statement statement, size_t count,
                         const struct recording_value *values)
{
    struct queue_row *row = (struct queue_row *)to;
    *row = (struct queue_row){.bytes = (uint32_t)bytes, .statement = (uint16_t)statement, .count = (uint16_t)count};
    int64_t *numbers = (int64_t *)(row + 1);
    size_t text_at = sizeof *row + count * sizeof *numbers;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = values[i].number;
        if (!values[i].text)
            continue;
        size_t length = strlen(values[i].text) + 1;
        memcpy(to + text_at, values[i].text, length);
        row->texts |= UINT64_C(1) << i;
        numbers[i] = (int64_t)text_at;
        text_at += length;
    }
}

// Waits for the commit of everything put so far. Called with the mutex.
static void queue_await_commit(struct record_queue *queue)
{
    uint64_t number = queue->batches_closed + 1;
    queue->wanted = number;
    pthread_cond_signal(&queue->wake);
    while (queue->batches_committed < number)
        pthread_cond_wait(&queue->done, &queue->mutex);
}

void record_queue_put(struct record_queue *queue, enum recording_statement statement, size_t count,
                      const struct recording_value *values)
{
    size_t bytes = queue_row_bytes(count, values);
    pthread_mutex_lock(&queue->mutex);
    if (bytes > QUEUE_BATCH_BYTES || count > QUEUE_MAX_VALUES)
        queue->status = queue->status ? queue->status : -EMSGSIZE;
    while (queue->status == 0 && queue->filling.used + bytes > QUEUE_BATCH_BYTES)
        queue_await_commit(queue);
    if (queue->status == 0) {
        queue_encode(queue->filling.data + queue->filling.used, bytes, statement, count, values);
        bool first_large = queue->filling.used < QUEUE_WAKE_BYTES && queue->filling.used + bytes >= QUEUE_WAKE_BYTES;
        queue->filling.used += bytes;
        if (first_large)
            pthread_cond_signal(&queue->wake);
    }
    pthread_mutex_unlock(&queue->mutex);
}

int record_queue_stop(struct record_queue *queue)
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
