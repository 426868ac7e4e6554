// SPDX-License-Identifier: GPL-2.0-or-later
// The emulated hardware: private and shared caches, prefetchers, memory homes and their counters, as a QEMU plugin.
// Until the driver switches it on, nothing is simulated but the driver's calls: booting costs nothing.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/hardware/access.h"
#include "lab/hardware/cpu.h"
#include "lab/hardware/machine.h"
#include "lab/hardware/qemu.h"
#include "lab/hardware/shared_cache.h"
#include "lab/hardware/truth.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

enum { PLUGIN_INT3 = 0xcc };

static struct lab_shared *shared;
static qemu_plugin_id_t plugin;
static enum lab_simulation wanted; // from the next translation on

static void plugin_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block);

// All translated code is gone, no CPU is running. QEMU 7.2 has freed callbacks that a CPU may still hold, left over
// from an instruction that did not end as others do: it would make them at its next access (QEMU's issue 1381).
static void plugin_flushed(qemu_plugin_id_t id)
{
    (void)id;
    for (unsigned i = 0; i < machine.cpus; i++)
        qemu_drop_callbacks(i);
}

static void plugin_listen(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, plugin_translate);
    qemu_plugin_register_flush_cb(id, plugin_flushed);
}

// All translated code is gone (plugin_flushed was called), no CPU is running.
static void plugin_restart(qemu_plugin_id_t id)
{
    if (shared->simulating == LAB_SIMULATE_NOTHING)
        cpu_clear_all();
    shared->simulating = wanted;
    plugin_listen(id);
}

static void plugin_call(unsigned index, void *call)
{
    uintptr_t number = (uintptr_t)call;
    if (number == LAB_CALL_WHO) {
        shared->who = (int32_t)index;
    } else if (number == LAB_CALL_WATCH) {
        cpu_watch(cpus[index]);
    } else {
        wanted = (enum lab_simulation)(number - LAB_CALL_SIMULATE);
        if (wanted != shared->simulating)
            qemu_plugin_reset(plugin, plugin_restart);
    }
}

static void plugin_forget(unsigned index, void *data)
{
    (void)data;
    cpu_forget(cpus[index]);
}

// The driver's call that these bytes are, or 0.
static uintptr_t plugin_is_call(const uint8_t *bytes, size_t size)
{
    static const uint8_t form[] = {LAB_CALL_BYTES};
    uint32_t call;
    if (size != sizeof form + sizeof call || memcmp(bytes, form, sizeof form) != 0)
        return 0;
    memcpy(&call, bytes + sizeof form, sizeof call);
    return call >= LAB_CALL_WHO && call < LAB_CALL_LIMIT ? call : 0;
}

// Skips prefixes. Returns how many bytes are left, at least 1.
static size_t plugin_skip_prefixes(const uint8_t **bytes, size_t size)
{
    static const uint8_t prefixes[] = {0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65};
    while (size > 1 && (memchr(prefixes, **bytes, sizeof prefixes) || (**bytes & 0xf0) == 0x40)) {
        ++*bytes;
        size--;
    }
    return size;
}

// Does the instruction invalidate translations? mov to a control register, invlpg, invpcid.
static bool plugin_is_invalidation(const uint8_t *code, size_t size)
{
    if (size < 3 || code[0] != 0x0f)
        return false;
    bool mov_cr = code[1] == 0x22;
    bool invlpg = code[1] == 0x01 && (code[2] >> 3 & 7) == 7 && code[2] >> 6 != 3;
    bool invpcid = code[1] == 0x38 && code[2] == 0x82;
    return mov_cr || invlpg || invpcid;
}

// Does the instruction leave its block by itself? Jumps, calls, returns, interrupts, string I/O.
static bool plugin_is_departure(const uint8_t *code, size_t size)
{
    uint8_t first = code[0], second = size > 1 ? code[1] : 0;
    if (first == 0x0f)
        return (second & 0xf0) == 0x80 || second == 0x05 || second == 0x07 || second == 0x34 || second == 0x35;
    bool indirect = first == 0xff && (second >> 3 & 7) >= 2 && (second >> 3 & 7) <= 5;
    return indirect || (first & 0xf0) == 0x70 || (first >= 0xe0 && first <= 0xe3) || (first >= 0xe8 && first <= 0xeb) ||
           (first & 0xfe) == 0xc2 || (first >= 0xca && first <= 0xcf) || (first >= 0x6c && first <= 0x6f) ||
           first == 0xf4;
}

// Is this a repeated string instruction? Such a one jumps to itself, and at the end to the next.
static bool plugin_is_repeated(const uint8_t *bytes, size_t size, const uint8_t *code)
{
    bool repeats = memchr(bytes, 0xf2, (size_t)(code - bytes)) || memchr(bytes, 0xf3, (size_t)(code - bytes));
    return repeats && code < bytes + size && ((*code >= 0xa4 && *code <= 0xa7) || (*code >= 0xaa && *code <= 0xaf));
}

static bool plugin_same_page(uint64_t a, uint64_t b)
{
    return (a ^ b) >> MACHINE_PAGE_SHIFT == 0;
}

// Is this one of the common instructions that surely access memory? Of the others nothing is claimed.
static bool plugin_is_access(const uint8_t *code, size_t size)
{
    static const uint8_t two[] = {0x10, 0x11, 0x28, 0x29, 0x2a, 0x51, 0x58, 0x59, 0x5c, 0x5e, 0x6f, 0x7e, 0x7f, 0xaf,
                                  0xb6, 0xb7, 0xbe, 0xbf, 0xd6};
    static const uint8_t one[] = {0x63, 0x69, 0x6b, 0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b,
                                  0xc6, 0xc7, 0xf6, 0xf7};
    if ((code[0] & 0xf0) == 0x50)
        return true; // push, pop
    if (size > 2 && code[0] == 0x0f)
        return memchr(two, code[1], sizeof two) && code[2] >> 6 != 3;
    bool arithmetic = code[0] < 0x40 && (code[0] & 7) < 4;
    return size > 1 && (arithmetic || memchr(one, code[0], sizeof one)) && code[1] >> 6 != 3;
}

// A kernel that changes its code while other CPUs run it puts int3 there for a moment (static keys, probes). QEMU 7.2
// may translate that int3 just before it goes and keep it: the guest would take it for ever, since its handler finds no
// int3 and tries again. Here it is seen, and all translations are thrown away.
static void plugin_breakpoint(unsigned index, void *address)
{
    uint8_t now = PLUGIN_INT3;
    if (qemu_read(index, (uintptr_t)address, &now, sizeof now) == 0 && now != PLUGIN_INT3)
        qemu_flush(index);
}

static void plugin_translate_breakpoint(struct qemu_plugin_insn *insn)
{
    const uint8_t *code = qemu_plugin_insn_data(insn);
    if (qemu_plugin_insn_size(insn) == 1 && *code == PLUGIN_INT3)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, plugin_breakpoint, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
}

static void plugin_translate_call(struct qemu_plugin_insn *insn)
{
    uintptr_t call = plugin_is_call(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
    if (call)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, plugin_call, QEMU_PLUGIN_CB_NO_REGS, (void *)call);
}

// Callbacks for an instruction; QEMU makes them only if it does access memory. Returns whether it surely does.
static bool plugin_translate_access(struct qemu_plugin_insn *insn, uint64_t block, size_t number, bool leads)
{
    const uint8_t *bytes = qemu_plugin_insn_data(insn), *code = bytes;
    size_t whole = qemu_plugin_insn_size(insn), size = plugin_skip_prefixes(&code, whole);
    uint64_t address = qemu_plugin_insn_vaddr(insn);
    if (plugin_is_invalidation(code, size))
        qemu_plugin_register_vcpu_insn_exec_cb(insn, plugin_forget, QEMU_PLUGIN_CB_NO_REGS, NULL);
    // QEMU 7.2 forgets to take back the callback of an instruction that leaves its block, and then makes it for the
    // stack of the next interrupt. So what calls push and returns pop is not simulated; nor are repeated string
    // instructions whose jumps lead to a page that is not the block's first.
    bool elsewhere = !plugin_same_page(block, address) || !plugin_same_page(block, address + whole);
    if (plugin_is_departure(code, size) || (elsewhere && plugin_is_repeated(bytes, whole, code)))
        return false;
    // QEMU 7.2 mixes up callbacks for loads and for stores: take both and ask.
    qemu_plugin_register_vcpu_mem_cb(insn, access_memory, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     access_instruction(address, number, leads));
    return plugin_is_access(code, size);
}

static void plugin_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(block), bytes = 0;
    bool led = false;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        plugin_translate_call(insn);
        plugin_translate_breakpoint(insn);
        if (shared->simulating)
            led |= plugin_translate_access(insn, qemu_plugin_tb_vaddr(block), i, !led);
        bytes += qemu_plugin_insn_size(insn);
    }
    uint64_t first = qemu_plugin_tb_vaddr(block), last = first + bytes - 1;
    bool line = (first ^ last) >> MACHINE_LINE_SHIFT == 0;
    // The access that leads fetches the line as well: one callback is enough for many a loop.
    if (shared->simulating == LAB_SIMULATE_ALL || (shared->simulating && !(led && line)))
        qemu_plugin_register_vcpu_tb_exec_cb(block, access_block, QEMU_PLUGIN_CB_NO_REGS,
                                             access_pack(first, count, bytes));
}

static int plugin_map(void)
{
    int fd = open(machine.shared_path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t bytes = LAB_SHARED_BYTES + (machine.truth ? LAB_TRUTH_BYTES : 0);
    shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int error = shared == MAP_FAILED ? -errno : 0;
    close(fd);
    if (error)
        return error;
    shared->version = LAB_VERSION;
    shared->cpus = machine.cpus;
    shared->nodes = machine.nodes;
    shared->truth_rows = machine.truth ? (uint32_t)(LAB_TRUTH_BYTES / sizeof(struct lab_row) / machine.cpus) : 0;
    shared->prefetch_into_shared = machine.prefetch.into_shared;
    shared->magic = LAB_MAGIC;
    return 0;
}

static int plugin_fail(const char *what, const char *cause)
{
    fprintf(stderr, "numaprof: hardware: %s %s\n", what, cause);
    return -1;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    _Static_assert(sizeof(struct lab_shared) <= LAB_SHARED_BYTES, "the device is too small");
    const char *bad = "", *error = machine_parse(argc, argv, &bad);
    if (error)
        return plugin_fail(bad, error);
    if (!info->system_emulation || info->system.smp_vcpus != (int)machine.cpus)
        return plugin_fail("the number of CPUs", "is not QEMU's");
    const char *missing = qemu_find();
    if (missing)
        return plugin_fail(missing, "is not in this QEMU; Debian 12's version 7.2 has it");
    int status = plugin_map();
    if (status == 0)
        status = cpu_init(shared);
    if (status == 0)
        status = shared_cache_init();
    if (status == 0)
        status = truth_init(shared);
    if (status < 0)
        return plugin_fail("cannot start:", strerror(-status));
    plugin = id;
    plugin_listen(id);
    return 0;
}
