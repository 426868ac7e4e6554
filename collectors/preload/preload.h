// SPDX-License-Identifier: Apache-2.0
// The library that the launcher preloads into the target. It pins threads where they start, tells the recorder about
// threads, execs and the end of a process, and keeps the pins invisible to the program. It must never break the
// program: without a recorder every function here is the C library's own.
#ifndef COLLECTORS_PRELOAD_PRELOAD_H
#define COLLECTORS_PRELOAD_PRELOAD_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/protocol/channel.h"
#include "core/topology/thread_mask.h"

#define PRELOAD_EXPORT __attribute__((visibility("default")))

// --- next.c: past the functions of this library
// The next function of this name after the one in this library, by the order of the dynamic linker.
#define PRELOAD_NEXT(name) ((__typeof__(&(name)))preload_next(#name))
void *preload_next(const char *name);
// The library's own calls of syscall() (mk/preload.mk renames them) pass the function that it stands before.
long preload_syscall(long number, ...);
bool preload_is_bypassed(void);                  // the program brings its own malloc, which stands before ours
// mmap and munmap of this library would tell the recorder of the library's own memory. NULL and errno: refused.
void *preload_map(size_t bytes, int flags, int fd);
void preload_unmap(uintptr_t start, size_t bytes);

// --- around whatever the library does that may fail or wait: errno stays, and the thread is not cancelled in a
// function that is no cancellation point, such as fork, malloc or the exec family
struct preload_guard {
    int kept_errno, cancel_state;
};

static inline struct preload_guard preload_enter(void)
{
    struct preload_guard guard = {.kept_errno = errno};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard.cancel_state);
    return guard;
}

static inline void preload_leave(struct preload_guard guard)
{
    pthread_setcancelstate(guard.cancel_state, &guard.cancel_state);
    errno = guard.kept_errno;
}

// --- self.c: the process and its channel
struct channel *preload_channel(void);           // NULL: no recorder, or it has ended
const struct channel_settings *preload_settings(void); // a checked copy; without a recorder there is no plan
// Threads on each CPU slot, by the plan of the recorder or of a placement file; NULL: threads are not pinned.
_Atomic uint32_t *preload_slot_users(void);
uint64_t preload_process(void);
bool preload_is_this_process(void);              // false between vfork and exec
bool preload_is_elsewhere(void);                 // in another pid namespace than the recorder, or this is not known
bool preload_awaits(void);                       // thread starts and new processes wait for the recorder's answer
// From the environment as it was when the process began; "": not set.
const char *preload_channel_address(void);
const char *preload_library(void);
const struct cpulist *preload_process_mask(void); // affinity mask that the process inherited

// --- connect.c
void preload_connect(void);                      // once: at start, or at the first large allocation before that
// Without a recorder: pins threads to these CPUs in this order. users: count zeros, shared by all processes of the run.
void preload_pin_alone(const uint32_t *cpus, uint32_t count, _Atomic uint32_t *users, bool is_target);

// --- message.c
struct preload_note {
    enum channel_kind kind;
    int cpu;
    int64_t a;
    uint64_t began_ns;
    const char *text;
    bool waits;
};
void preload_send(struct preload_note note);
// Whether to wait on for the recorder's answer: with patience, longer if the recorder runs, not for ever.
struct preload_wait {
    uint64_t since, asked;                       // asked: when /proc was last asked; thousands of threads may wait
};
bool preload_recorder_died(struct channel *channel); // or has finished its recording
bool preload_waits_on(struct preload_wait *wait, pid_t recorder);
uint64_t preload_patience_ms(uint64_t ms);       // less than ms if the recorder has let somebody wait in vain ...
void preload_answered(bool is_answered);         // ... since it answered last
void preload_ring_doorbell(void);                // wakes the recorder: the ring of allocations fills

// --- cpu_slot.c: where a thread sits
void preload_slot_start(void);                  // when the program starts
void preload_slot_begin(void);                  // then the main thread stays on its node
void preload_slot_main(void);                   // at the first thread's creation
void preload_slot_follow(const uint32_t *cpus, uint32_t count); // CPUs of the process's first threads, main first
int preload_slot_reserve(void);                 // takes a slot for a thread to be made; 0: there is none
void preload_slot_return(int slot);            // the thread could not be made
int preload_slot_self(int slot);               // pins the calling thread to it; 0: takes one. Its CPU or -1
void preload_slot_leave(void);                  // gives the slot back (the mask stays)
void preload_unpin_self(void);                   // for what the thread starts: the process's mask again ...
void preload_repin_self(void);                   // ... until this
void preload_slots_give_back(void);              // all threads get the process's mask again
bool preload_is_bound(void);                     // the calling thread has a mask of ours
bool preload_is_main_node(const struct cpulist *mask); // the mask of the main thread before it has a slot
void preload_slot_forked(void);                 // in a forked child: nothing is placed yet
bool preload_program_pins(void);                 // an affinity setting of a runtime is in the environment
void preload_own_choice(void);                   // the calling thread chose its mask itself ...
void preload_no_choice(void);                    // ... or set the process's mask: its planned pin again
void preload_help(void);                         // the calling thread is a helper, which takes no slot
bool preload_chose_itself(void);
void preload_choice_made(void);                  // a thread of this process has a mask of the program's choice ...
bool preload_any_choice(void);                   // ... now or earlier

// --- fork.c
long preload_fork_call(long number, const long arguments[6]); // a system call that may be a fork

// --- main_node.c
int preload_node_of_self(struct cpulist *cpus);  // those of the process's mask; the caller is bound to one CPU
bool preload_reads_mask_itself(void);            // the program's runtime passes the functions that hide our masks

// --- quiet.c
bool preload_is_quiet(void);                     // no recorder any more, or a filter that would kill us
bool preload_has_given_back(void);               // and no thread has a mask of ours any more
bool preload_is_filtered(void);                  // by a filter of seccomp(2): no system call is to be made
void preload_go_quiet(void);
long preload_seccomp_call(long number, const long arguments[6]); // a system call that may be a filter

// --- helpers.c: is this the start routine of a runtime's helper thread?
bool preload_is_helper(const void *start_routine);

#endif
