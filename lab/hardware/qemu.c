// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/hardware/qemu.h"

#include <dlfcn.h>

enum { QEMU_NMI = 0x0200, QEMU_PAGE = 4096 }; // CPU_INTERRUPT_NMI of target/i386/cpu.h: CPU_INTERRUPT_TGT_EXT_3

static struct {
    void *(*get_cpu)(int index);
    uint64_t (*page)(void *cpu, uint64_t address, uint64_t *attributes);
    void (*interrupt)(void *cpu, int mask);
    bool (*locked)(void);
    void (*lock)(const char *file, int line);
    void (*unlock)(void);
    void (*later)(void *cpu, void (*work)(void *cpu, void *data), void *data); // between two blocks
    void (*drop_callbacks)(void *cpu);
    int (*read)(void *cpu, uint64_t address, void *into, size_t size, bool write);
    void (*flush)(void *cpu);
    const int *counts_time; // QEMU's use_icount: time passes by instructions
} qemu;

const char *qemu_find(void)
{
    const struct {
        const char *name;
        void *slot;
    } wanted[] = {
        {"qemu_get_cpu", &qemu.get_cpu},
        {"cpu_get_phys_page_attrs_debug", &qemu.page},
        {"cpu_interrupt", &qemu.interrupt},
        {"qemu_mutex_iothread_locked", &qemu.locked},
        {"qemu_mutex_lock_iothread_impl", &qemu.lock},
        {"qemu_mutex_unlock_iothread", &qemu.unlock},
        {"async_run_on_cpu", &qemu.later},
        {"qemu_plugin_disable_mem_helpers", &qemu.drop_callbacks},
        {"cpu_memory_rw_debug", &qemu.read},
        {"tb_flush", &qemu.flush},
        {"use_icount", &qemu.counts_time},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (!found)
            return wanted[i].name;
        *(void **)wanted[i].slot = found;
    }
    return NULL;
}

uint64_t qemu_translate(unsigned cpu, uint64_t address)
{
    uint64_t attributes[8] = {0}; // MemTxAttrs, of which we need nothing
    uint64_t page = qemu.page(qemu.get_cpu((int)cpu), address & ~(uint64_t)(QEMU_PAGE - 1), attributes);
    return page == UINT64_MAX ? QEMU_UNMAPPED : page | (address & (QEMU_PAGE - 1));
}

static void qemu_interrupt_now(void *cpu, void *data)
{
    (void)data;
    qemu.interrupt(cpu, QEMU_NMI);
}

void qemu_interrupt(unsigned cpu)
{
    if (*qemu.counts_time) { // an interrupt within a block would upset its count of instructions: QEMU aborts
        qemu.later(qemu.get_cpu((int)cpu), qemu_interrupt_now, NULL);
        return;
    }
    bool held = qemu.locked();
    if (!held)
        qemu.lock(__FILE__, __LINE__);
    qemu_interrupt_now(qemu.get_cpu((int)cpu), NULL);
    if (!held)
        qemu.unlock();
}

void qemu_drop_callbacks(unsigned cpu)
{
    void *itself = qemu.get_cpu((int)cpu);
    if (itself) // not while QEMU makes its CPUs
        qemu.drop_callbacks(itself);
}

int qemu_read(unsigned cpu, uint64_t address, void *into, size_t size)
{
    return qemu.read(qemu.get_cpu((int)cpu), address, into, size, false);
}

void qemu_flush(unsigned cpu)
{
    qemu.flush(qemu.get_cpu((int)cpu));
}
