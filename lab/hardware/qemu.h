// SPDX-License-Identifier: GPL-2.0-or-later
// What this plugin uses of QEMU. Debian ships no header of the plugin interface: these are its declarations, version 1
// (QEMU 4.2 to 8.2). Beyond it, QEMU's own functions, looked up by name at the start: the walk of the guest's page
// tables, since the interface translates only what is in QEMU's software TLB, the interrupt, since without one a sample
// cannot have the stack of its access, and ways around errors of version 7.2.
#ifndef HARDWARE_QEMU_H
#define HARDWARE_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef struct qemu_info_t {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
} qemu_info_t;

typedef void (*qemu_plugin_tb_trans_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_plugin_flush_cb)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_exec_cb)(unsigned cpu, void *data);
typedef void (*qemu_plugin_mem_cb)(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);

void qemu_plugin_reset(qemu_plugin_id_t id, void (*done)(qemu_plugin_id_t id));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_trans_cb cb);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_flush_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, qemu_plugin_exec_cb cb,
                                          enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_cb cb,
                                            enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb cb,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

// Finds QEMU's own functions. Returns NULL, or the name of the one that is missing.
const char *qemu_find(void);

// The guest-physical address of a virtual one by the page tables in use on this CPU; QEMU_UNMAPPED if there is none.
// To be called by the CPU's own thread.
#define QEMU_UNMAPPED UINT64_MAX
uint64_t qemu_translate(unsigned cpu, uint64_t address);

// Raises the CPU's non-maskable interrupt, as its performance counters would; it comes at the end of the block of
// instructions that is being executed. To be called by the CPU's own thread.
void qemu_interrupt(unsigned cpu);

// Whatever callback for memory the CPU holds from its last instruction, it will not make it. No CPU may be running.
void qemu_drop_callbacks(unsigned cpu);

// Reads the guest's memory as it is now, by the page tables in use on this CPU. Returns 0, or -1: it is not mapped.
int qemu_read(unsigned cpu, uint64_t address, void *into, size_t size);

// All translated code is thrown away, soon: when no CPU is running any.
void qemu_flush(unsigned cpu);

#endif
