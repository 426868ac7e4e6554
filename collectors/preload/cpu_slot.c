// SPDX-License-Identifier: Apache-2.0
// The CPU of each thread. A new thread gets the first of the CPU slots with the fewest threads: so threads, in the
// order of their creation, and processes that run at the same time spread over the pin order.
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"
#include "collectors/protocol/channel_slots.h"

static _Atomic bool main_has_slot;
static struct cpulist main_node;         // CPUs on which the main thread stays until it has a slot; empty: all
static _Atomic bool any_choice;          // a thread of this process has, or had, a mask of the program's choice
static _Atomic uint32_t threads_made;    // that took a slot in this process, main included
static const uint32_t *wanted_cpus;      // CPUs of the first threads, from the placement file
static uint32_t wanted_count;

static __thread struct {
    int slot;        // index into the pin order + 1; 0: none
    int cpu;          // valid if slot
    int left;        // the slot that it had before its own choice; 0: none
    bool on_node;     // the main thread, before it has a slot
    bool left_node;   // by its own choice
    bool own_choice;
    bool is_helper;
} here;

// The threads of this process that have a mask of ours, in no order; 0: free. One that finds no room keeps its mask
// when the library goes quiet.
enum { CPU_SLOT_BOUND = 8192, CPU_SLOT_PROBES = 64 };
static _Atomic pid_t bound[CPU_SLOT_BOUND];

static void cpu_slot_exchange_bound(pid_t tid, pid_t from, pid_t to)
{
    for (unsigned int i = 0; i < CPU_SLOT_PROBES; i++) {
        pid_t expected = from;
        if (atomic_compare_exchange_strong(&bound[((unsigned int)tid + i) % CPU_SLOT_BOUND], &expected, to))
            return;
    }
}

static void cpu_slot_bind_begun(void)
{
    const pid_t tid = (pid_t)syscall(SYS_gettid);
    cpu_slot_exchange_bound(tid, 0, tid);
}

static void cpu_slot_bind_ended(void)
{
    const pid_t tid = (pid_t)syscall(SYS_gettid);
    cpu_slot_exchange_bound(tid, tid, 0);
}

// Entries of a parent name no thread of a forked child.
void preload_slots_give_back(void)
{
    const pid_t self = getpid();
    for (size_t i = 0; i < CPU_SLOT_BOUND; i++) {
        const pid_t tid = atomic_load_explicit(&bound[i], memory_order_relaxed);
        if (tid != 0 && syscall(SYS_tgkill, self, tid, 0) == 0)
            thread_mask_set(tid, preload_process_mask());
    }
}

static int cpu_slot_take(_Atomic uint32_t *slot_users, const struct cpulist *mask)
{
    for (;;) {
        int at = channel_least_used_slot(preload_settings(), slot_users, mask);
        if (at < 0)
            return -1;
        uint32_t users = atomic_load(&slot_users[at]);
        if (atomic_compare_exchange_strong(&slot_users[at], &users, users + 1))
            return at;
    }
}

void preload_slot_follow(const uint32_t *cpus, uint32_t count)
{
    wanted_cpus = cpus;
    wanted_count = count;
}

// The slot that a placement file wants for the thread with this number; -1: none.
static int cpu_slot_wanted(uint32_t number)
{
    const struct channel_settings *settings = preload_settings();
    for (uint32_t i = 0; number < wanted_count && i < settings->slot_count; i++)
        if (settings->slots[i] == (int32_t)wanted_cpus[number] &&
            cpulist_has(preload_process_mask(), settings->slots[i]))
            return (int)i;
    return -1;
}

// The number of a thread decides, because which threads have ended by now differs from run to run.
static int cpu_slot_reserve(const struct cpulist *mask)
{
    _Atomic uint32_t *slot_users = preload_slot_users();
    if (!slot_users)
        return 0;
    int at = cpu_slot_wanted(atomic_fetch_add(&threads_made, 1));
    if (at < 0)
        return cpu_slot_take(slot_users, mask) + 1;
    atomic_fetch_add(&slot_users[at], 1);
    return at + 1;
}

int preload_slot_reserve(void)
{
    return cpu_slot_reserve(preload_process_mask());
}

void preload_slot_return(int slot)
{
    _Atomic uint32_t *slot_users = preload_slot_users();
    if (!slot || !slot_users)
        return;
    // Of a thread that the recorder took for killed, it has returned the slot.
    uint32_t users = atomic_load(&slot_users[slot - 1]);
    while (users > 0 && !atomic_compare_exchange_weak(&slot_users[slot - 1], &users, users - 1))
        continue;
}

int preload_slot_self(int slot)
{
    if (!preload_slot_users() || here.slot)
        return -1;
    here.slot = slot ? slot : cpu_slot_reserve(here.on_node ? &main_node : preload_process_mask());
    if (!here.slot)
        return -1;
    int cpu = preload_settings()->slots[here.slot - 1];
    if (thread_mask_bind(0, cpu) < 0) {
        preload_slot_leave();
        return -1;
    }
    if (!here.on_node)
        cpu_slot_bind_begun();
    here.cpu = cpu;
    here.on_node = false;
    if (preload_is_quiet()) // meanwhile
        thread_mask_set(0, preload_process_mask());
    return cpu;
}

void preload_slot_leave(void)
{
    if (here.slot)
        cpu_slot_bind_ended();
    preload_slot_return(here.slot);
    here.slot = 0;
}

bool preload_is_bound(void)
{
    return here.slot || here.on_node;
}

bool preload_is_main_node(const struct cpulist *mask)
{
    return !atomic_load(&main_has_slot) && cpulist_next(&main_node, 0) >= 0 &&
           memcmp(mask, &main_node, sizeof *mask) == 0;
}

void preload_unpin_self(void)
{
    const int kept_errno = errno;
    if (preload_is_bound() && !preload_has_given_back())
        thread_mask_set(0, preload_process_mask());
    errno = kept_errno;
}

void preload_repin_self(void)
{
    const int kept_errno = errno;
    if (preload_is_quiet())
        return;
    if (here.slot)
        thread_mask_bind(0, here.cpu);
    else if (here.on_node)
        thread_mask_set(0, &main_node);
    errno = kept_errno;
}

void preload_own_choice(void)
{
    if (here.slot)
        here.left = here.slot;
    if (here.on_node)
        cpu_slot_bind_ended();
    here.left_node |= here.on_node;
    here.on_node = false;
    preload_slot_leave();
    here.own_choice = true;
}

void preload_help(void)
{
    here.is_helper = true;
}

// The CPU that the thread would sit on, had it never chosen one; -1: none, or not yet.
static int cpu_slot_take_back(void)
{
    _Atomic uint32_t *slot_users = preload_slot_users();
    if (!slot_users || here.is_helper || !atomic_load(&main_has_slot))
        return -1;
    if (here.left)
        atomic_fetch_add(&slot_users[here.left - 1], 1);
    return preload_slot_self(here.left);
}

void preload_no_choice(void)
{
    preload_repin_self();
    if (!here.own_choice)
        return;
    here.own_choice = false;
    here.on_node = here.left_node && !atomic_load(&main_has_slot);
    here.left_node = false;
    if (here.on_node)
        cpu_slot_bind_begun();
    preload_repin_self();
    const int cpu = cpu_slot_take_back();
    const enum channel_pin pin = here.is_helper ? CHANNEL_PIN_HELPER : cpu < 0 ? CHANNEL_PIN_NONE : CHANNEL_PIN_PLANNED;
    preload_send((struct preload_note){.kind = CHANNEL_PINNED, .cpu = cpu, .a = pin});
}

bool preload_chose_itself(void)
{
    return here.own_choice;
}

void preload_choice_made(void)
{
    atomic_store(&any_choice, true);
}

bool preload_any_choice(void)
{
    return atomic_load(&any_choice);
}

// The slots of the parent's threads stay the parent's.
void preload_slot_forked(void)
{
    preload_unpin_self();
    here.slot = here.left = 0;
    here.on_node = here.left_node = here.is_helper = false;
    wanted_count = 0;
    atomic_store(&main_has_slot, false);
}

static bool cpu_slot_program_pins;

bool preload_program_pins(void)
{
    return cpu_slot_program_pins;
}

// Read at the start, as the runtimes do. A setting that says "do not bind" is also a choice to respect.
void preload_slot_start(void)
{
    cpu_slot_program_pins = channel_program_pins();
}

// The program begins on the node where its main thread will be pinned later: what it initialises before its first
// thread is made then has its pages there. Other processes of the run are left free, or all would begin on one node.
void preload_slot_begin(void)
{
    const _Atomic uint32_t *slot_users = preload_slot_users();
    if (!slot_users || cpu_slot_program_pins || (uint32_t)getpid() != preload_settings()->target)
        return;
    if (here.own_choice || atomic_load(&main_has_slot))
        return; // by the constructor of another library
    int at = cpu_slot_wanted(0);
    if (at < 0)
        at = channel_least_used_slot(preload_settings(), slot_users, preload_process_mask());
    if (at < 0 || thread_mask_bind(0, preload_settings()->slots[at]) < 0)
        return;
    const struct preload_guard guard = preload_enter();
    const bool is_known = !preload_reads_mask_itself() && preload_node_of_self(&main_node) == 0;
    preload_leave(guard);
    here.on_node = is_known && memcmp(&main_node, preload_process_mask(), sizeof main_node) != 0;
    if (here.on_node)
        cpu_slot_bind_begun();
    else
        main_node = (struct cpulist){0};
    thread_mask_set(0, here.on_node ? &main_node : preload_process_mask());
}

// A runtime that was told where threads belong has bound the main thread by now, perhaps before there was a channel.
static void cpu_slot_tell_main(void)
{
    char chosen[CHANNEL_TEXT];
    struct cpulist mask;
    if (thread_mask_get(0, &mask) < 0)
        return;
    cpulist_format(chosen, sizeof chosen, &mask);
    preload_send((struct preload_note){.kind = CHANNEL_AFFINITY, .cpu = -1, .a = syscall(SYS_gettid), .text = chosen});
}

// The thread that creates the process's first thread is taken for the main thread: with one thread it was both.
void preload_slot_main(void)
{
    if (atomic_exchange(&main_has_slot, true) || !preload_slot_users() || preload_settings()->slot_count == 0)
        return;
    if (preload_program_pins() || preload_chose_itself()) {
        cpu_slot_tell_main();
        return;
    }
    int cpu = preload_slot_self(0);
    if (cpu >= 0)
        preload_send((struct preload_note){.kind = CHANNEL_PINNED, .cpu = cpu, .a = CHANNEL_PIN_PLANNED});
}
