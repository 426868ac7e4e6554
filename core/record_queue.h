// SPDX-License-Identifier: Apache-2.0
// Between those who find something out and the one thread that writes it: rows are copied into a batch, and a thread of
// the queue's own puts batch after batch into the recording, one transaction each. So a slow disk never stops a reader of
// rings; when a whole batch waits, put() waits too, and the kernel's rings count what is lost.
#ifndef CORE_RECORD_QUEUE_H
#define CORE_RECORD_QUEUE_H

#include "core/recording.h"

struct record_queue;

// Starts the writer thread on a recording, which it owns from here on.
int record_queue_start(struct record_queue **queue, struct recording *recording);

// Any thread. Texts are copied. After a write has failed, rows are dropped: see record_queue_stop.
void record_queue_put(struct record_queue *queue, enum recording_statement statement, size_t count,
                      const struct recording_value *values);

// What was put so far is committed as soon as the writer can. Does not wait for it.
void record_queue_hurry(struct record_queue *queue);

// Flushes, stops the thread, closes the recording. Returns the first error there was.
int record_queue_stop(struct record_queue *queue);

// Rows in braces, as values: RECORD(queue, RECORDING_WINDOW, RECORD_NUMBER(0), RECORD_NULL, RECORD_TEXT("run"))
#define RECORD_NUMBER(value) ((struct recording_value){.number = (int64_t)(value)})
#define RECORD_NULL ((struct recording_value){.number = RECORDING_NULL})
#define RECORD_TEXT(value) record_text(value)
#define RECORD(queue, statement, ...)                                                                                  \
    record_queue_put(queue, statement, sizeof((struct recording_value[]){__VA_ARGS__}) / sizeof(struct recording_value), \
                     (const struct recording_value[]){__VA_ARGS__})

// A text that may be missing: NULL becomes NULL.
static inline struct recording_value record_text(const char *text)
{
    return (struct recording_value){.text = text, .number = RECORDING_NULL};
}

#endif
