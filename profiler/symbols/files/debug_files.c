// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/files/debug_files.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/process/large_stack.h"
#include "core/process/regular_file.h"
#include "profiler/symbols/files/build_id.h"

static const char debug_files_root[] = "/usr/lib/debug";

static int debug_files_take(const char *path, char **found)
{
    struct stat status;
    int fd = regular_file_open(path, 0, &status);
    if (fd >= 0 && !(*found = strdup(path))) {
        close(fd);
        return -1;
    }
    return fd;
}

// /usr/lib/debug/.build-id/ab/cdef....debug
static int debug_files_by_build_id(Dwfl_Module *module, char **found)
{
    const unsigned char *bits;
    GElf_Addr address;
    char path[PATH_MAX];
    int length = dwfl_module_build_id(module, &bits, &address);
    if (length < 0 || !build_id_path(path, sizeof path, debug_files_root, bits, (size_t)length, ".debug"))
        return -1;
    int fd = debug_files_take(path, found);
    if (fd < 0 || build_id_matches(fd, bits, (size_t)length))
        return fd;
    close(fd);
    free(*found);
    *found = NULL;
    return -1;
}

enum { CRC_AT_ONCE = 8, CRC_BYTES = 256, CRC_BUFFER = 1 << 16 };

// table[k][b]: what byte b, k bytes before the end, does to the checksum.
static void debug_files_crc_table(uint32_t table[CRC_AT_ONCE][CRC_BYTES])
{
    for (uint32_t byte = 0; byte < CRC_BYTES; byte++) {
        table[0][byte] = byte;
        for (int bit = 0; bit < 8; bit++)
            table[0][byte] = table[0][byte] >> 1 ^ (0xedb88320 & -(table[0][byte] & 1));
    }
    for (int k = 1; k < CRC_AT_ONCE; k++)
        for (uint32_t byte = 0; byte < CRC_BYTES; byte++)
            table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 0xff];
}

// Eight bytes in one step: M. E. Kounavis, F. L. Berry, "A Systematic Approach to Building High Performance
// Software-Based CRC Generators", 2005.
static uint32_t debug_files_crc_add(uint32_t crc, uint32_t table[CRC_AT_ONCE][CRC_BYTES], const unsigned char *at,
                                    size_t bytes)
{
    for (; bytes >= CRC_AT_ONCE; bytes -= CRC_AT_ONCE, at += CRC_AT_ONCE)
        crc = table[7][at[0] ^ (crc & 0xff)] ^ table[6][at[1] ^ (crc >> 8 & 0xff)] ^
              table[5][at[2] ^ (crc >> 16 & 0xff)] ^ table[4][at[3] ^ crc >> 24] ^ table[3][at[4]] ^ table[2][at[5]] ^
              table[1][at[6]] ^ table[0][at[7]];
    for (; bytes > 0; bytes--)
        crc = crc >> 8 ^ table[0][(crc ^ *at++) & 0xff];
    return crc;
}

// The checksum of .gnu_debuglink: CRC-32 as in zip, polynomial 0xedb88320 (GDB manual, "Separate Debug Files"). The
// files can have gigabytes.
static uint32_t debug_files_read_crc(int fd)
{
    uint32_t table[CRC_AT_ONCE][CRC_BYTES], crc = 0xffffffff;
    unsigned char *buffer = malloc(CRC_BUFFER);
    ssize_t n;
    debug_files_crc_table(table);
    lseek(fd, 0, SEEK_SET);
    while (buffer && (n = read(fd, buffer, CRC_BUFFER)) > 0)
        crc = debug_files_crc_add(crc, table, buffer, (size_t)n);
    free(buffer);
    return ~crc;
}

static uint32_t debug_files_crc(struct program_files *files, int fd)
{
    struct stat status;
    uint32_t crc;
    const bool is_there = fstat(fd, &status) == 0;
    if (is_there && program_files_checksum(files, &status, &crc))
        return crc;
    crc = debug_files_read_crc(fd);
    if (is_there)
        program_files_keep_checksum(files, &status, crc);
    return crc;
}

// Beside the file, in .debug beside it, and below /usr/lib/debug; a file of another build has another checksum.
static int debug_files_by_link(struct program_files *files, const char *file, const char *link, GElf_Word crc,
                               char **found)
{
    static const char *const forms[] = {"%s%.*s/%s", "%s%.*s/.debug/%s", "%s%.*s/%s"};
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX];
    for (size_t i = 0; slash && i < sizeof forms / sizeof *forms; i++) {
        snprintf(path, sizeof path, forms[i], i == 2 ? debug_files_root : "", (int)(slash - file), file, link);
        int fd = strcmp(path, file) != 0 ? debug_files_take(path, found) : -1;
        if (fd >= 0 && debug_files_crc(files, fd) == crc)
            return fd;
        if (fd >= 0) {
            close(fd);
            free(*found);
            *found = NULL;
        }
    }
    return -1;
}

// As Dwfl_Callbacks.find_debuginfo wants it. *data: struct program_files.
static int debug_files_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                            const char *link, GElf_Word crc, char **found)
{
    (void)name, (void)base;
    int fd = debug_files_by_build_id(module, found);
    return fd < 0 && file && link && *link ? debug_files_by_link(*data, file, link, crc, found) : fd;
}

static int debug_files_find_none(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                                 const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

// As find_elf: every module is reported with its file, so there is nothing to search.
static int debug_files_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file,
                              Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

static const Dwfl_Callbacks debug_files_searched = {
    .find_elf = debug_files_no_elf,
    .find_debuginfo = debug_files_find,
    .section_address = dwfl_offline_section_address,
};

const Dwfl_Callbacks debug_files_bare = {
    .find_elf = debug_files_no_elf,
    .find_debuginfo = debug_files_find_none,
    .section_address = dwfl_offline_section_address,
};

Dwfl_Module *debug_files_open(struct program_files *files, const char *path, bool with_debug, Dwfl **dwfl)
{
    *dwfl = dwfl_begin(with_debug ? &debug_files_searched : &debug_files_bare);
    int fd = *dwfl ? program_files_descriptor(files, path) : -1;
    if (fd < 0)
        return NULL;
    dwfl_report_begin(*dwfl);
    Dwfl_Module *module = dwfl_report_offline(*dwfl, path, path, fd);
    dwfl_report_end(*dwfl, NULL, NULL);
    if (!module) {
        close(fd); // else elfutils has it
        return NULL;
    }
    void **data;
    dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
    *data = files;
    return module;
}

Dwarf *debug_files_dwarf(Dwfl_Module *module, Dwarf_Addr *bias)
{
    Dwarf *dwarf = dwfl_module_getdwarf(module, bias), *alternative = dwarf ? dwarf_getalt(dwarf) : NULL;
    if (dwarf)
        dwarf_new_oom_handler(dwarf, large_stack_give_up);
    if (alternative)
        dwarf_new_oom_handler(alternative, large_stack_give_up);
    return dwarf;
}
