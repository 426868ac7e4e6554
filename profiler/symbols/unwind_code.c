// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/unwind_code.h"

#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/util/table.h"

enum {
    UNWIND_CODE_SLOT_BITS = 36,    // of shared addresses that a file has for itself
    UNWIND_CODE_ENTERED = 64,      // processes that were looked at and need not be again
};

struct unwind_code_entered {
    int64_t process;               // 0: none
    uint64_t code;                 // of its maps: other executable mappings make this stale
    const struct unwind_code_file *fixed;
};

struct unwind_code {
    struct program_files *files;
    struct table known;            // hash of path and inode -> struct unwind_code_file *
    struct table slots;            // number of a slot -> struct unwind_code_file *
    struct unwind_code_entered entered[UNWIND_CODE_ENTERED]; // by process, modulo their number
};

struct unwind_code *unwind_code_open(struct program_files *files)
{
    struct unwind_code *code = calloc(1, sizeof *code);
    elf_version(EV_CURRENT);
    if (code)
        code->files = files;
    return code;
}

void unwind_code_close(struct unwind_code *code)
{
    uint64_t key, value;
    if (!code)
        return;
    for (size_t at = 0; table_next(&code->known, &at, &key, &value);)
        free((void *)(uintptr_t)value);
    table_free(&code->known);
    table_free(&code->slots);
    free(code);
}

// --- files

static bool unwind_code_add_segment(struct unwind_code_file *file, const GElf_Phdr *segment)
{
    if (segment->p_type != PT_LOAD)
        return true;
    if (segment->p_memsz > UINT64_MAX - segment->p_vaddr || segment->p_filesz > UINT64_MAX - segment->p_offset)
        return false;
    file->start = segment->p_vaddr < file->start ? segment->p_vaddr : file->start;
    file->end = segment->p_vaddr + segment->p_memsz > file->end ? segment->p_vaddr + segment->p_memsz : file->end;
    if (segment->p_flags & PF_X && file->count < UNWIND_CODE_SEGMENTS)
        file->segments[file->count++] = (struct unwind_code_segment){
            .start = segment->p_offset & ~(segment->p_align ? segment->p_align - 1 : 0),
            .end = segment->p_offset + segment->p_filesz,
            .moved = segment->p_vaddr - segment->p_offset,
        };
    return true;
}

static bool unwind_code_read_segments(struct unwind_code_file *file, Elf *elf)
{
    size_t count = 0;
    GElf_Ehdr header;
    if (!elf || elf_getphdrnum(elf, &count) != 0 || !gelf_getehdr(elf, &header))
        return false;
    file->is_fixed = header.e_type == ET_EXEC;
    file->start = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && !unwind_code_add_segment(file, &segment))
            return false;
    }
    return file->count > 0 && file->end < UINT64_C(1) << UNWIND_CODE_SLOT_BITS;
}

static void unwind_code_read(const struct unwind_code *code, struct unwind_code_file *file)
{
    int fd = program_files_descriptor(code->files, file->path);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    file->usable = unwind_code_read_segments(file, elf);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}

// NULL: the mapping has no code of a file, or out of memory.
static struct unwind_code_file *unwind_code_file(struct unwind_code *code, const struct mapping *mapping)
{
    uint64_t value, slot = code->known.used;
    if (!mapping || !mapping->executable || *mapping->path != '/')
        return NULL;
    uint64_t key = table_mix(table_mix(mapping->inode, mapping->device), (uintptr_t)mapping->path);
    if (table_get(&code->known, key, &value))
        return (struct unwind_code_file *)(uintptr_t)value;
    struct unwind_code_file *file = calloc(1, sizeof *file);
    if (!file || table_put(&code->known, key, (uintptr_t)file) < 0) {
        free(file);
        return NULL;
    }
    file->path = mapping->path;
    unwind_code_read(code, file);
    if (!file->is_fixed)
        file->base = UNWIND_CODE_SHARED + (slot << UNWIND_CODE_SLOT_BITS);
    if (table_put(&code->slots, slot, (uintptr_t)file) < 0)
        file->usable = false;
    return file;
}

static const struct unwind_code_segment *unwind_code_segment(const struct unwind_code_file *file, uint64_t offset)
{
    for (size_t i = 0; i < file->count; i++)
        if (offset >= file->segments[i].start && offset < file->segments[i].end)
            return &file->segments[i];
    return NULL;
}

// --- processes

// A second mapping of a part of the program (V8 makes one) is not the program.
static bool unwind_code_is_in_place(const struct unwind_code_file *file, const struct mapping *mapping)
{
    const struct unwind_code_segment *segment = unwind_code_segment(file, mapping->file_offset);
    return segment && mapping->start == mapping->file_offset + segment->moved;
}

static const struct unwind_code_file *unwind_code_look(struct unwind_code *code, const struct process *process)
{
    const struct unwind_code_file *fixed = NULL;
    for (size_t i = 0; i < process->space.count; i++) {
        const struct mapping *mapping = &process->space.items[i];
        struct unwind_code_file *file = unwind_code_file(code, mapping);
        if (!file || !file->usable)
            continue;
        file->usable = program_files_is_unchanged(code->files, file->path);
        if (file->usable && file->is_fixed && !fixed && unwind_code_is_in_place(file, mapping))
            fixed = file;
    }
    return fixed;
}

const struct unwind_code_file *unwind_code_enter(struct unwind_code *code, const struct process *process)
{
    struct unwind_code_entered *entered = &code->entered[(uint64_t)process->id % UNWIND_CODE_ENTERED];
    if (entered->process != process->id || entered->code != process->space.code)
        *entered = (struct unwind_code_entered){.process = process->id,
                                                .code = process->space.code,
                                                .fixed = unwind_code_look(code, process)};
    return entered->fixed;
}

uint64_t unwind_code_share(struct unwind_code *code, const struct process *process, uint64_t address)
{
    const struct mapping *mapping = address_space_find(&process->space, address);
    const struct unwind_code_file *file = unwind_code_file(code, mapping);
    if (!file || !file->usable || file->is_fixed)
        return address;
    uint64_t offset = address - mapping->start + mapping->file_offset;
    const struct unwind_code_segment *segment = unwind_code_segment(file, offset);
    return segment ? file->base + offset + segment->moved : address;
}

const struct unwind_code_file *unwind_code_at(const struct unwind_code *code, const struct unwind_code_file *fixed,
                                              uint64_t address)
{
    uint64_t value;
    if (address < UNWIND_CODE_SHARED)
        return fixed && address >= fixed->start && address < fixed->end ? fixed : NULL;
    if (!table_get(&code->slots, (address - UNWIND_CODE_SHARED) >> UNWIND_CODE_SLOT_BITS, &value))
        return NULL;
    return (const struct unwind_code_file *)(uintptr_t)value;
}
