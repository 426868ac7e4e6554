// SPDX-License-Identifier: Apache-2.0
// The library goes quiet: once the recorder has gone, and once the program has forbidden itself system calls that the
// library makes, at the price of its life. Then threads have the mask back that the process inherited, and every
// function here is the C library's own.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"

enum quiet_state { QUIET_NOT, QUIET_BEGUN, QUIET_DONE };
static _Atomic int quiet_state;
static _Atomic bool quiet_filtered;

bool preload_is_quiet(void)
{
    return atomic_load_explicit(&quiet_state, memory_order_relaxed) != QUIET_NOT;
}

bool preload_has_given_back(void)
{
    return atomic_load_explicit(&quiet_state, memory_order_relaxed) == QUIET_DONE;
}

bool preload_is_filtered(void)
{
    return atomic_load_explicit(&quiet_filtered, memory_order_relaxed);
}

// A child that shares or copied this memory without our fork handler has the threads of another process: only its own
// mask is its to give back.
void preload_go_quiet(void)
{
    int state = QUIET_NOT;
    const int kept_errno = errno;
    if (!preload_is_this_process())
        preload_unpin_self();
    else if (atomic_compare_exchange_strong(&quiet_state, &state, QUIET_BEGUN)) {
        preload_slots_give_back();
        atomic_store(&quiet_state, QUIET_DONE);
    }
    errno = kept_errno;
}

// --- filters of seccomp(2)

// System calls of the library, in all that it does for the program.
static const int quiet_calls[] = {
    SYS_openat, SYS_read, SYS_close, SYS_fstat, SYS_newfstatat, SYS_faccessat, SYS_lseek, SYS_fcntl, SYS_getxattr,
    SYS_socket, SYS_connect, SYS_getsockopt, SYS_setsockopt, SYS_sendmsg, SYS_recvmsg, SYS_recvfrom,
    SYS_mmap, SYS_munmap, SYS_madvise, SYS_memfd_create, SYS_ftruncate, SYS_mbind, SYS_move_pages,
    SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime,
    SYS_getpid, SYS_gettid, SYS_geteuid, SYS_tgkill, SYS_sched_getaffinity, SYS_sched_setaffinity,
};

struct quiet_machine {
    uint32_t a, x, memory[BPF_MEMWORDS];
};

static uint32_t quiet_load(const struct seccomp_data *data, uint32_t at)
{
    return at <= sizeof *data - sizeof(uint32_t) && at % sizeof(uint32_t) == 0
               ? ((const uint32_t *)(const void *)data)[at / sizeof(uint32_t)]
               : 0;
}

static uint32_t quiet_compute(uint16_t operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case BPF_ADD:
        return a + b;
    case BPF_SUB:
        return a - b;
    case BPF_MUL:
        return a * b;
    case BPF_DIV:
        return b ? a / b : 0;
    case BPF_OR:
        return a | b;
    case BPF_AND:
        return a & b;
    case BPF_XOR:
        return a ^ b;
    case BPF_LSH:
        return b < 32 ? a << b : 0;
    case BPF_RSH:
        return b < 32 ? a >> b : 0;
    case BPF_NEG:
        return -a;
    default:
        return a;
    }
}

static bool quiet_jumps(uint16_t operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case BPF_JEQ:
        return a == b;
    case BPF_JGT:
        return a > b;
    case BPF_JGE:
        return a >= b;
    default:
        return (a & b) != 0; // BPF_JSET
    }
}

static void quiet_step(struct quiet_machine *m, const struct sock_filter *step, const struct seccomp_data *data)
{
    const uint16_t code = step->code;
    uint32_t *target = BPF_CLASS(code) == BPF_LDX ? &m->x : &m->a;
    switch (BPF_CLASS(code)) {
    case BPF_LD:
    case BPF_LDX:
        if (BPF_MODE(code) == BPF_ABS)
            *target = quiet_load(data, step->k);
        else if (BPF_MODE(code) == BPF_IMM)
            *target = step->k;
        else if (BPF_MODE(code) == BPF_MEM && step->k < BPF_MEMWORDS)
            *target = m->memory[step->k];
        else if (BPF_MODE(code) == BPF_LEN)
            *target = sizeof *data;
        break;
    case BPF_ST:
    case BPF_STX:
        if (step->k < BPF_MEMWORDS)
            m->memory[step->k] = BPF_CLASS(code) == BPF_ST ? m->a : m->x;
        break;
    case BPF_ALU:
        m->a = quiet_compute(BPF_OP(code), m->a, BPF_SRC(code) == BPF_X ? m->x : step->k);
        break;
    case BPF_MISC:
        *(BPF_MISCOP(code) == BPF_TAX ? &m->x : &m->a) = BPF_MISCOP(code) == BPF_TAX ? m->a : m->x;
        break;
    default:
        break;
    }
}

// What the filter says of a system call; an action that ends the process where it is no filter.
static uint32_t quiet_run(const struct sock_fprog *filter, const struct seccomp_data *data)
{
    struct quiet_machine m = {0};
    for (size_t at = 0; at < filter->len; at++) {
        const struct sock_filter *step = &filter->filter[at];
        if (BPF_CLASS(step->code) == BPF_RET)
            return BPF_RVAL(step->code) == BPF_A ? m.a : step->k;
        if (BPF_CLASS(step->code) != BPF_JMP)
            quiet_step(&m, step, data);
        else if (BPF_OP(step->code) == BPF_JA)
            at += step->k;
        else
            at += quiet_jumps(BPF_OP(step->code), m.a, BPF_SRC(step->code) == BPF_X ? m.x : step->k) ? step->jt
                                                                                                    : step->jf;
    }
    return SECCOMP_RET_KILL_PROCESS;
}

// Refused with an errno, the library does without.
static bool quiet_is_deadly(const struct sock_fprog *filter)
{
#if defined(__x86_64__)
    const uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    const uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
    const uint32_t architecture = 0; // judged by what the filter does with another one
#endif
    for (size_t i = 0; i < sizeof quiet_calls / sizeof *quiet_calls; i++) {
        const struct seccomp_data data = {.nr = quiet_calls[i], .arch = architecture};
        const uint32_t action = quiet_run(filter, &data) & SECCOMP_RET_ACTION_FULL;
        if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG && action != SECCOMP_RET_ERRNO)
            return true;
    }
    return false;
}

// Before the kernel has the filter: afterwards nothing can be said.
static void quiet_expect(bool is_strict, const struct sock_fprog *filter)
{
    if (preload_is_filtered() || (!is_strict && (!filter || !quiet_is_deadly(filter))))
        return;
    preload_send((struct preload_note){.kind = CHANNEL_SANDBOX, .cpu = -1, .waits = true});
    preload_go_quiet();
    atomic_store(&quiet_filtered, true);
}

long preload_seccomp_call(long number, const long a[6])
{
    if (number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_STRICT)
        quiet_expect(true, NULL);
    else if (number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER)
        quiet_expect(false, (const struct sock_fprog *)a[2]);
    else if (number == SYS_prctl && a[0] == PR_SET_SECCOMP)
        quiet_expect(a[1] == SECCOMP_MODE_STRICT, (const struct sock_fprog *)a[2]);
    return preload_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

PRELOAD_EXPORT int prctl(int option, ...)
{
    unsigned long a[4];
    va_list arguments;
    va_start(arguments, option);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option == PR_SET_SECCOMP)
        quiet_expect(a[0] == SECCOMP_MODE_STRICT, (const struct sock_fprog *)a[1]);
    return PRELOAD_NEXT(prctl)(option, a[0], a[1], a[2], a[3]);
}
