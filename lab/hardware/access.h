// SPDX-License-Identifier: GPL-2.0-or-later
// What happens in the memory system when a CPU loads, stores or executes: the callbacks QEMU makes.
#ifndef HARDWARE_ACCESS_H
#define HARDWARE_ACCESS_H

#include "lab/hardware/qemu.h"

// An instruction at `ip` has read or written `address`.
void access_memory(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *ip);

// A block of instructions begins; `block` from access_pack.
void access_block(unsigned index, void *block);

// Address, number and extent of a block's instructions in one word.
void *access_pack(uint64_t address, size_t instructions, size_t bytes);

#endif
