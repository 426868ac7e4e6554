// SPDX-License-Identifier: GPL-2.0-or-later
// What happens in the memory system when a CPU loads, stores or executes: the callbacks QEMU makes.
#ifndef HARDWARE_ACCESS_H
#define HARDWARE_ACCESS_H

#include <stdbool.h>

#include "lab/hardware/qemu.h"

// An instruction has read or written `address`; `instruction` from access_instruction.
void access_memory(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *instruction);

// The instruction's address and number in its block; `leads` if it is the first one there to access memory, and so
// fetches for all.
void *access_instruction(uint64_t address, size_t number, bool leads);

// A block of instructions begins; `block` from access_pack. Needed for blocks that reach over several lines, for those
// that access no memory, and for all while instructions or cycles are counted.
void access_block(unsigned index, void *block);

// Address, number and extent of a block's instructions in one word.
void *access_pack(uint64_t address, size_t instructions, size_t bytes);

#endif
