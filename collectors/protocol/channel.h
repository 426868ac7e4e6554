// SPDX-License-Identifier: Apache-2.0
// The memory segment that the preload library in the target and the recorder share. The recorder listens on an
// abstract socket, which disappears with the recorder and needs no file. Each process connects once: the kernel tells
// the recorder its pid, and the process gets the segment and keeps no descriptor. Only descendants of the recorder
// that know the secret in their environment get it. They may run as different users, and each may overwrite everything
// in the segment. So both sides copy what they read once, check the copy, and never read the original again. The
// library takes no address, index or CPU from the segment.
#ifndef COLLECTORS_PROTOCOL_CHANNEL_H
#define COLLECTORS_PROTOCOL_CHANNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/topology/cpulist.h"

#define CHANNEL_ENVIRONMENT "NUMAPROF_CHANNEL" // the socket's abstract name, a colon, the secret
#define CHANNEL_PRELOAD_ENVIRONMENT "NUMAPROF_PRELOAD" // path of the library, to put it back where a program drops it

enum {
    CHANNEL_VERSION = 8,
    CHANNEL_SECRET = 32,             // hexadecimal digits
    CHANNEL_ADDRESS = 96,            // bytes of the variable's value, with the final NUL
    // In flight: thousands of threads may end at once. The recorder empties them every few ms.
    CHANNEL_MESSAGES = 8192,
    CHANNEL_TEXT = 64,
    CHANNEL_SLICE_MS = 20,           // a waiting thread checks this often whether the recorder lives ...
    CHANNEL_PATIENCE_MS = 2000,      // ... goes on after this time if it is stopped, ...
    CHANNEL_ASK_MS = 500,            // (it asks /proc this often)
    CHANNEL_STARVED_MS = 20000,      // ... and after this one in any case: on a busy host it may get no CPU for seconds
};

enum channel_kind {
    CHANNEL_THREAD_START = 1,        // a: who pins the thread (enum channel_pin); cpu: planned CPU or -1; text:
                                     // its mask if the program pins; began_ns: its creation
    CHANNEL_THREAD_EXIT,             // a: its CPU time in ns
    CHANNEL_PINNED,                  // the sender's pin has changed: the process created its first thread, so its main
                                     // thread got a slot; or it took back a choice of its own. a, cpu: as above
    CHANNEL_AFFINITY,                // the program set a mask: a: tid of the thread; text: the mask, list format
    CHANNEL_EXEC,                    // about to exec: text: end of the path; a: enum elf_kind or -errno of reading the
                                     // file, -EPERM: it changes its rights. After vfork, process is the parent's; tid
                                     // is right
    CHANNEL_PROCESS_EXIT,            // waits: the memory is still there
    CHANNEL_SANDBOX,                 // waits: the last message of the process: a filter would kill it for more
    CHANNEL_REGION,                  // waits: a: 1 start, 0 stop
    CHANNEL_KINDS,                   // one above the last
};

// As the words of thread.pin in the schema.
enum channel_pin { CHANNEL_PIN_NONE, CHANNEL_PIN_PLANNED, CHANNEL_PIN_PROGRAM, CHANNEL_PIN_HELPER };

enum channel_state { CHANNEL_FREE, CHANNEL_CLAIMED, CHANNEL_SENT, CHANNEL_ANSWERED };

struct channel_message {
    _Atomic uint32_t state;          // a futex for the sender of a message that waits
    uint32_t kind;
    uint64_t process;                // the number from the process's handshake
    uint64_t time_ns;                // CLOCK_MONOTONIC
    uint64_t began_ns;               // of a thread start, when its creator began; the same clock
    uint32_t tid;                    // in the sender's pid namespace
    int32_t cpu;
    int64_t a;
    uint32_t waits;                  // the sender waits for CHANNEL_ANSWERED and frees the message itself
    char text[CHANNEL_TEXT];
};

// The recorder's answer to a process that connects. Only slot_count slots are sent.
struct channel_settings {
    uint32_t version;
    uint32_t await_start;            // thread starts wait until the recorder has opened the thread's events
    uint64_t pid_namespace;          // inode of the recorder's /proc/self/ns/pid; 0: unknown
    uint32_t target;                 // pid of the program itself, in the recorder's namespace
    uint32_t slot_count;             // 0: do not pin
    int32_t slots[CPULIST_MAX];       // CPUs in the order threads take them
};

static inline size_t channel_settings_bytes(uint32_t slot_count)
{
    return offsetof(struct channel_settings, slots) + slot_count * sizeof(int32_t);
}

struct channel {
    // Robust; the recorder holds it as long as it lives. Others only read its futex word.
    pthread_mutex_t recorder;
    _Atomic uint32_t recorder_gone;
    _Atomic uint32_t doorbell;       // a futex for the recorder: a message that waits was sent
    _Atomic uint64_t missed;         // messages without room, or without an answer in time
    _Atomic uint64_t unmade;         // threads that the system refused to make
    _Atomic uint64_t sent[CHANNEL_MESSAGES / 64]; // which messages to look at
    struct channel_message messages[CHANNEL_MESSAGES];
    _Atomic uint32_t slot_users[CPULIST_MAX]; // threads on each CPU slot
};

// What a process sends when it connects, with the descriptor of its ring of large blocks (alloc_ring.h). The answer is
// a channel_settings with the segment's descriptor attached; a forked child, which has both, gets one byte.
struct channel_handshake {
    uint64_t process;                // a number no other process uses: pid and time
    uint64_t time_ns;                // CLOCK_MONOTONIC
    uint32_t pid;                    // in its own namespace
    uint32_t forked;                 // the process already has the segment and reads no answer
    uint32_t own_allocator;          // the program's own malloc comes before the library's
    char secret[CHANNEL_SECRET];     // from the environment: no other user can read it there
    uint32_t reserved;
};

#endif
