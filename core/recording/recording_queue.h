// SPDX-License-Identifier: Apache-2.0
// Between those who find something out and the one thread that writes it: rows are copied into a batch, and a thread of
// the queue's own puts batch after batch into the recording, one transaction each. So a slow disk never stops a reader
// of rings; when a whole batch waits, put() waits too, and the kernel's rings count what is lost.
#ifndef CORE_RECORDING_RECORDING_QUEUE_H
#define CORE_RECORDING_RECORDING_QUEUE_H

#include "core/recording/recording.h"

struct recording_queue;

// Creates a recording and starts its writer thread. -errno: there is no file; -EAGAIN: the thread was refused.
int recording_queue_create(struct recording_queue **queue, const char *path);

// Any thread. Texts are copied. After a write has failed, rows are dropped: see recording_queue_stop.
void recording_queue_put(struct recording_queue *queue, enum recording_statement statement, size_t count,
                         const struct recording_value *values);

// What was put so far is committed as soon as the writer can. Does not wait for it.
void recording_queue_hurry(struct recording_queue *queue);

// Flushes, stops the thread, closes the recording. Returns the first error there was.
int recording_queue_stop(struct recording_queue *queue);

// Rows in braces, as values: RECORD(queue, RECORDING_WINDOW, RECORD_NUMBER(0), RECORD_NULL, RECORD_TEXT("run"))
#define RECORD_NUMBER(value) ((struct recording_value){.number = (int64_t)(value)})
#define RECORD_NULL ((struct recording_value){.number = RECORDING_NULL})
#define RECORD_TEXT(value) recording_text(value)
#define RECORD_KNOWN(value) recording_known(value)
#define RECORD(queue, statement, ...)                                                                                  \
    recording_queue_put(queue, statement, \
                        sizeof((struct recording_value[]){__VA_ARGS__}) / sizeof(struct recording_value), \
                     (const struct recording_value[]){__VA_ARGS__})

// A text that may be missing: NULL becomes NULL.
static inline struct recording_value recording_text(const char *text)
{
    return (struct recording_value){.text = text, .number = RECORDING_NULL};
}

// A number that may be unknown: a negative one becomes NULL.
static inline struct recording_value recording_known(int64_t value)
{
    return (struct recording_value){.number = value < 0 ? RECORDING_NULL : value};
}

#endif
