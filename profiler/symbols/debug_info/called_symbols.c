// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/debug_info/called_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/grow.h"
#include "core/util/search.h"

// --- the file

// From an offset in the file to an address, or back, by the segment that loads it. False if none does.
static bool called_symbols_move(const struct called_symbols *symbols, uint64_t *where, bool is_offset)
{
    size_t count = 0;
    elf_getphdrnum(symbols->elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(symbols->elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        uint64_t from = is_offset ? segment.p_offset : segment.p_vaddr;
        uint64_t to = is_offset ? segment.p_vaddr : segment.p_offset;
        if (*where >= from && *where - from < segment.p_filesz) {
            *where = *where - from + to;
            return true;
        }
    }
    return false;
}

// The bytes of the code at an address; NULL: not all of them are in the file.
static const unsigned char *called_symbols_code(const struct called_symbols *symbols, uint64_t address, size_t bytes)
{
    uint64_t offset = address;
    if (!called_symbols_move(symbols, &offset, false) || offset > symbols->bytes || symbols->bytes - offset < bytes)
        return NULL;
    return symbols->file + offset;
}

static uint32_t called_symbols_word(const unsigned char *code)
{
    return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

// The number in the lowest bits, with its sign.
static uint64_t called_symbols_signed(uint64_t value, unsigned int bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return ((value & (sign * 2 - 1)) ^ sign) - sign;
}

// --- relocations

// The indirect function (IFUNC) whose resolver is there: libc reaches its own by the resolver's address alone.
static const char *called_symbols_resolved_by(Elf *elf, Elf_Data *names, size_t texts, uint64_t resolver)
{
    GElf_Sym symbol;
    for (int i = 1; gelf_getsym(names, i, &symbol); i++)
        if (symbol.st_value == resolver && GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
            return elf_strptr(elf, texts, symbol.st_name);
    return NULL;
}

static bool called_symbols_is_wanted(const struct called_symbols *symbols, const GElf_Rela *relocation)
{
    const bool is_arm = symbols->machine == EM_AARCH64;
    const GElf_Xword type = GELF_R_TYPE(relocation->r_info);
    return type == (is_arm ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE) ||
           type == (is_arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT) ||
           type == (is_arm ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT);
}

// NULL: it has none.
static const char *called_symbols_name(const struct called_symbols *symbols, const struct called_symbols_slot *slot)
{
    const GElf_Xword type = GELF_R_TYPE(slot->relocation.r_info);
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *names =
        gelf_getshdr(slot->names, &header) && header.sh_type == SHT_DYNSYM ? elf_getdata(slot->names, NULL) : NULL;
    if (!names)
        return NULL;
    if (type == (symbols->machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE))
        return called_symbols_resolved_by(symbols->elf, names, header.sh_link, (uint64_t)slot->relocation.r_addend);
    return gelf_getsym(names, (int)GELF_R_SYM(slot->relocation.r_info), &symbol)
               ? elf_strptr(symbols->elf, header.sh_link, symbol.st_name)
               : NULL;
}

static int called_symbols_read_section(struct called_symbols *symbols, Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Rela relocation;
    Elf_Scn *names = elf_getscn(symbols->elf, header->sh_link);
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 0; data && gelf_getrela(data, i, &relocation); i++) {
        if (!called_symbols_is_wanted(symbols, &relocation))
            continue;
        struct called_symbols_slot *slots =
            grow_array(symbols->slots, &symbols->size, symbols->count + 1, sizeof *slots);
        if (!slots)
            return -ENOMEM;
        symbols->slots = slots;
        slots[symbols->count++] =
            (struct called_symbols_slot){.address = relocation.r_offset, .relocation = relocation, .names = names};
    }
    return 0;
}

static int called_symbols_compare(const void *a, const void *b)
{
    const struct called_symbols_slot *left = a, *right = b;
    return left->address < right->address ? -1 : left->address > right->address;
}

int called_symbols_read(struct called_symbols *symbols, Elf *elf)
{
    GElf_Ehdr header;
    GElf_Shdr of_section;
    int status = 0;
    *symbols = (struct called_symbols){.elf = elf};
    symbols->file = (const unsigned char *)elf_rawfile(elf, &symbols->bytes);
    if (!symbols->file || !gelf_getehdr(elf, &header) ||
        (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
        return -ENOEXEC;
    symbols->machine = header.e_machine;
    for (Elf_Scn *section = NULL; status == 0 && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &of_section) && of_section.sh_type == SHT_RELA)
            status = called_symbols_read_section(symbols, section, &of_section);
    if (symbols->count > 0)
        qsort(symbols->slots, symbols->count, sizeof *symbols->slots, called_symbols_compare);
    return status;
}

void called_symbols_free(struct called_symbols *symbols)
{
    free(symbols->slots);
    *symbols = (struct called_symbols){0};
}

// --- instructions. Intel SDM volume 2, CALL and JMP; Arm ARM, C6.2, BL, BLR, ADRP, LDR (immediate)

// The pointer by which an entry of the procedure linkage table jumps, 0: no such entry. endbr64, jmp *pointer(%rip)
static uint64_t called_symbols_x86_entry(const struct called_symbols *symbols, uint64_t address)
{
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const unsigned char *code = called_symbols_code(symbols, address, sizeof endbr64);
    if (code && memcmp(code, endbr64, sizeof endbr64) == 0)
        address += sizeof endbr64;
    code = called_symbols_code(symbols, address, 7);
    if (code && code[0] == 0xf2) { // bnd
        code++;
        address++;
    }
    return code && code[0] == 0xff && code[1] == 0x25
               ? address + 6 + called_symbols_signed(called_symbols_word(code + 2), 32)
               : 0;
}

// call *pointer(%rip), or call entry
static uint64_t called_symbols_x86(const struct called_symbols *symbols, uint64_t after)
{
    const unsigned char *code = called_symbols_code(symbols, after - 6, 6);
    if (!code)
        return 0;
    uint64_t target = after + called_symbols_signed(called_symbols_word(code + 2), 32);
    if (code[0] == 0xff && code[1] == 0x15)
        return target;
    return code[1] == 0xe8 ? called_symbols_x86_entry(symbols, target) : 0;
}

// The pointer that adrp REG and ldr *loaded, [REG] load, 0: other instructions.
static uint64_t called_symbols_arm_pointer(const struct called_symbols *symbols, uint64_t address, uint32_t *loaded)
{
    const unsigned char *code = called_symbols_code(symbols, address, 8);
    if (!code)
        return 0;
    uint32_t adrp = called_symbols_word(code), ldr = called_symbols_word(code + 4);
    if ((adrp & 0x9f000000) != 0x90000000 || (ldr & 0xffc00000) != 0xf9400000 || (ldr >> 5 & 31) != (adrp & 31))
        return 0;
    uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
    uint64_t in_page = (uint64_t)(ldr >> 10 & 0xfff) << 3;
    *loaded = ldr & 31;
    return (address & ~UINT64_C(0xfff)) + (called_symbols_signed(pages, 21) << 12) + in_page;
}

// adrp, ldr, blr; or bl entry, which is bti c, adrp, ldr, add, br
static uint64_t called_symbols_arm(const struct called_symbols *symbols, uint64_t after)
{
    static const uint32_t bti_c = 0xd503245f;
    const unsigned char *code = called_symbols_code(symbols, after - 4, 4);
    uint32_t call = code ? called_symbols_word(code) : 0, loaded = 0;
    if ((call & 0xfffffc1f) == 0xd63f0000) {
        uint64_t pointer = called_symbols_arm_pointer(symbols, after - 12, &loaded);
        return loaded == (call >> 5 & 31) ? pointer : 0;
    }
    if ((call & 0xfc000000) != 0x94000000)
        return 0;
    uint64_t entry = after - 4 + (called_symbols_signed(call, 26) << 2);
    code = called_symbols_code(symbols, entry, sizeof bti_c);
    bool guarded = code && called_symbols_word(code) == bti_c;
    return called_symbols_arm_pointer(symbols, entry + (guarded ? sizeof bti_c : 0), &loaded);
}

const char *called_symbols_find(const struct called_symbols *symbols, uint64_t after_call)
{
    uint64_t after = after_call - 1; // of the call, which may be the last instruction that is loaded
    if (symbols->count == 0 || !called_symbols_move(symbols, &after, true))
        return NULL;
    after++;
    uint64_t pointer =
        symbols->machine == EM_AARCH64 ? called_symbols_arm(symbols, after) : called_symbols_x86(symbols, after);
    size_t below = search_at_most(symbols->slots, symbols->count, sizeof *symbols->slots,
                                  offsetof(struct called_symbols_slot, address), pointer);
    const char *name = below > 0 && symbols->slots[below - 1].address == pointer
                           ? called_symbols_name(symbols, &symbols->slots[below - 1])
                           : NULL;
    return name && *name ? name : NULL;
}
