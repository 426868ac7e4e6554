// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/files/code_files.h"

#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CODE_FILES_MAKER = 32 };

// A header of 32 bytes, then the version with its length before it, "go1.22.3" (Go's debug/buildinfo; Go before 1.18
// has pointers there). It stays in a stripped program.
static bool code_files_is_go(const Elf_Data *data, char *maker)
{
    enum { FLAGS = 15, WITH_TEXT = 2, LENGTH = 32, TEXT = 33 };
    static const char magic[] = "\xff Go buildinf:", digits[] = "0123456789.";
    const char *bytes = data ? data->d_buf : NULL;
    char version[CODE_FILES_MAKER - 3] = "";
    if (!bytes || data->d_size < LENGTH || memcmp(bytes, magic, sizeof magic - 1) != 0)
        return false;
    const size_t length = bytes[FLAGS] & WITH_TEXT && data->d_size > TEXT ? (unsigned char)bytes[LENGTH] : 0;
    if (length > 2 && length <= data->d_size - TEXT && memcmp(bytes + TEXT, "go", 2) == 0)
        snprintf(version, sizeof version, "%.*s", (int)length - 2, bytes + TEXT + 2);
    version[strspn(version, digits)] = '\0';
    snprintf(maker, CODE_FILES_MAKER, "Go%s%s", *version ? " " : "", version);
    return true;
}

// False: the file does not say.
static bool code_files_maker(int fd, char *maker)
{
    size_t names = 0;
    bool is_found = false;
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    Elf_Scn *section = elf && elf_getshdrstrndx(elf, &names) == 0 ? elf_nextscn(elf, NULL) : NULL;
    for (; section && !is_found; section = elf_nextscn(elf, section)) {
        const Elf64_Shdr *header = elf64_getshdr(section);
        const char *name = header ? elf_strptr(elf, names, header->sh_name) : NULL;
        is_found = name && strcmp(name, ".go.buildinfo") == 0 && code_files_is_go(elf_rawdata(section, NULL), maker);
    }
    elf_end(elf);
    return is_found;
}

static void code_files_write_one(void *queue, const char *path, int fd)
{
    char maker[CODE_FILES_MAKER];
    RECORD((struct recording_queue *)queue, RECORDING_CODE_FILE, RECORD_TEXT(path));
    if (code_files_maker(fd, maker))
        RECORD((struct recording_queue *)queue, RECORDING_CODE_MAKER, RECORD_TEXT(path), RECORD_TEXT(maker));
}

void code_files_write(const struct program_files *files, struct recording_queue *queue)
{
    elf_version(EV_CURRENT);
    program_files_each(files, code_files_write_one, queue);
}
