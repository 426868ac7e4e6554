// SPDX-License-Identifier: Apache-2.0
// Prints the names that calls in a file say, one a line, by what stands before each of its bytes:  called FILE
#include <fcntl.h>
#include <stdio.h>

#include "profiler/symbols/debug_info/called_symbols.h"

int main(int argc, char **argv)
{
    struct called_symbols symbols = {0};
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf || called_symbols_read(&symbols, elf) < 0)
        return 1;
    for (size_t offset = 1; offset <= symbols.bytes; offset++) {
        const char *name = called_symbols_find(&symbols, offset);
        if (name)
            puts(name);
    }
    called_symbols_free(&symbols);
    elf_end(elf);
    return 0;
}
