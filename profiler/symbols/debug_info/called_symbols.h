// SPDX-License-Identifier: Apache-2.0
// Which function of another file a call instruction calls, by the code and the relocations of the file it stands in:
// they are there in stripped files too.
#ifndef PROFILER_SYMBOLS_DEBUG_INFO_CALLED_SYMBOLS_H
#define PROFILER_SYMBOLS_DEBUG_INFO_CALLED_SYMBOLS_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

struct called_symbols_slot {
    uint64_t address;              // of the pointer that the dynamic linker sets to the function
    GElf_Rela relocation;
    Elf_Scn *names;                // the symbols that it means
};

struct called_symbols {
    Elf *elf;
    const unsigned char *file;     // all bytes of it
    size_t bytes;
    int machine;
    struct called_symbols_slot *slots;  // by address
    size_t count, size;
};

// Reads the relocations. elf stays open as long as the result is used. -ENOMEM; -ENOEXEC: of no machine we know.
int called_symbols_read(struct called_symbols *symbols, Elf *elf);
void called_symbols_free(struct called_symbols *symbols);

// The name of the function that is called by the instruction before this one (an offset in the file): through the
// procedure linkage table, or by a pointer of the global offset table. NULL: it calls in another way, or its own file.
// Owned by elfutils, valid while the file is open.
const char *called_symbols_find(const struct called_symbols *symbols, uint64_t after_call);

#endif
