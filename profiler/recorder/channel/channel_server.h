// SPDX-License-Identifier: Apache-2.0
// The recorder's end of the channel to the preload library (collectors/protocol/channel.h).
#ifndef PROFILER_RECORDER_CHANNEL_CHANNEL_SERVER_H
#define PROFILER_RECORDER_CHANNEL_CHANNEL_SERVER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "collectors/protocol/channel.h"

// A connection needs its own descriptor, and another one for /proc and then for its ring.
enum { CHANNEL_SERVER_SPARE = 2, CHANNEL_SERVER_SILENT = 64 };

struct channel_server {
    struct channel *shared;
    int segment;                 // its descriptor, handed to processes that connect
    int listener;                // readable when a process connects
    int spare[CHANNEL_SERVER_SPARE]; // held back for the next connection, since all others may be in use; -1: not
    int silent[CHANNEL_SERVER_SILENT]; // connections that have sent nothing yet, the oldest first
    size_t silent_count;
    pthread_mutex_t held;        // what the segment's mutex was when we had locked it
    char address[CHANNEL_ADDRESS]; // what the target's environment says: the socket's name, a colon, the secret
    struct channel_settings settings;
};

// A copy of a message: the target may change the original at any time.
struct channel_received {
    uint32_t kind, tid;
    uint64_t process, time_ns;
    uint64_t sent_ns;            // as the message says it, unchecked: a thread's next message has another time
    uint64_t began_ns;           // of a thread start: at most time_ns; threads that one thread makes begin in order
    int32_t cpu;
    int64_t a;
    char text[CHANNEL_TEXT];
    struct channel_message *awaited; // its sender waits for channel_server_answer; NULL: nobody does
};

// A process that connected. handshake holds its own claims; pid comes from the kernel.
struct channel_connection {
    int fd;
    pid_t pid;
    bool is_gone;                // it has ended: whether it was a descendant, only records of its start can tell
    struct channel_handshake handshake;
    int ring;                    // of large blocks (collectors/protocol/alloc_ring.h), -1: none; the caller closes it
};

// plan: CPUs in the order threads take them; count 0: threads are not pinned. await_start: they wait until answered.
int channel_server_open(struct channel_server *server, const int *slots, size_t count, bool await_start);
void channel_server_close(struct channel_server *server);
// Stops taking messages and connections: threads that wait for an answer go on, and later ones do not wait.
void channel_server_leave(struct channel_server *server);

// The program itself, before it runs.
void channel_server_set_target(struct channel_server *server, pid_t pid);

// Returns 0 if the process of pid (also the id of a thread) is a descendant of this process. Orphans of the target are:
// this process is their subreaper. -EPERM: it is none. -ESRCH: it has ended. Without /proc the chain of parents is
// unknown: returns 0, and the secret alone decides.
int channel_server_descends(pid_t pid);

// Takes the next connection. -EAGAIN: there is none. -EPERM: its process is no descendant, or lacks the secret;
// -EPROTO: it sent no handshake; both are closed. -EINPROGRESS: it has sent nothing yet, and a later call returns it.
int channel_server_accept(struct channel_server *server, struct channel_connection *connection);
// Answers a connection and closes it. -EPIPE, -ECONNRESET: its process no longer waits, or has ended.
int channel_server_admit(struct channel_server *server, struct channel_connection *connection);

// Takes at most max messages, in no order. starts_only: only thread starts whose sender waits, which another thread of
// the recorder answers; else all other messages. Returns how many.
size_t channel_server_receive(struct channel_server *server, bool starts_only, struct channel_received *messages,
                              size_t max);
void channel_server_sort(struct channel_received *messages, size_t count); // by the time they were sent
// True if its sender still waits: it goes on without an answer after CHANNEL_PATIENCE_MS.
bool channel_server_is_awaited(const struct channel_received *message);
void channel_server_answer(const struct channel_received *message);

// Messages that found no room. The target can overwrite the number.
uint64_t channel_server_missed(const struct channel_server *server);
uint64_t channel_server_unmade(const struct channel_server *server); // threads that the system refused to make

// Waits, at most 100 ms, for a message whose sender waits. *seen: of the last call, 0 at first.
void channel_server_await(struct channel_server *server, uint32_t *seen);

// Ends a channel_server_await from another thread.
void channel_server_ring(struct channel_server *server);

// Takes the CPU slot with the fewest threads, as the preload library does. Returns its CPU; -1: there is no pin order.
int channel_server_take_slot(struct channel_server *server);

// Gives back the slot of a thread whose process was killed.
void channel_server_free_slot(struct channel_server *server, int cpu);

#endif
