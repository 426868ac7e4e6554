// SPDX-License-Identifier: Apache-2.0
// Maps a page of its own code a second time and touches memory from there, as V8 does with its built-in code.
// Not position-independent: the linker has given this program its addresses.
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 256 };

// Alone in its page, so that the copy has all of it, and without calls.
__attribute__((section("copied"), aligned(PAGE), noinline)) static void touch(volatile char *memory)
{
    for (size_t at = 0; at < (size_t)PAGES * PAGE; at += PAGE)
        memory[at] = 1;
}

static int find_offset(struct dl_phdr_info *info, size_t size, void *offset)
{
    (void)size;
    uintptr_t wanted = (uintptr_t)touch - info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && wanted - segment->p_vaddr < segment->p_filesz)
            *(off_t *)offset = (off_t)(wanted - segment->p_vaddr + segment->p_offset);
    }
    return 1; // the program is the first
}

int main(void)
{
    off_t offset = -1;
    dl_iterate_phdr(find_offset, &offset);
    int file = open("/proc/self/exe", O_RDONLY);
    void *copy = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, offset);
    char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (offset < 0 || offset % PAGE || copy == MAP_FAILED || memory == MAP_FAILED)
        return 2;
    void (*touch_there)(volatile char *);
    memcpy(&touch_there, &copy, sizeof copy);
    touch_there(memory);
    return 0;
}
