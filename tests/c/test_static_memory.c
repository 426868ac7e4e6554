// SPDX-License-Identifier: Apache-2.0
// Static memory of a library that this test writes and maps as a loader does, with other memory right behind its .bss.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/processes/address_space.h"
#include "collectors/processes/static_memory.h"
#include "tests/c/check.h"

enum { DATA_PAGES = 2, BSS_PAGES = 40, BEHIND_PAGES = 1000 };

struct mapped {
    char path[64];
    size_t page;
    char *data, *bss, *behind;
    struct address_space space;
    struct intern *paths;
};

static void write_library(const char *path, size_t page, bool is_program)
{
    const ElfW(Phdr) segments[] = {
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = page, .p_memsz = page},
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = page, .p_vaddr = page, .p_filesz = DATA_PAGES * page,
         .p_memsz = (DATA_PAGES + BSS_PAGES) * page - 8},
    };
    ElfW(Ehdr) header = {.e_phoff = sizeof header, .e_phentsize = sizeof *segments, .e_phnum = 2};
    memcpy(header.e_ident, is_program ? ELFMAG : "none", SELFMAG);
    header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(pwrite(fd, &header, sizeof header, 0) == (ssize_t)sizeof header);
    CHECK(pwrite(fd, segments, sizeof segments, sizeof header) == (ssize_t)sizeof segments);
    CHECK(ftruncate(fd, (off_t)((1 + DATA_PAGES) * page)) == 0);
    close(fd);
}

static struct mapped map_library(bool is_program)
{
    struct mapped m = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    snprintf(m.path, sizeof m.path, "/tmp/numaprof-test-%d.so", getpid());
    write_library(m.path, m.page, is_program);
    const size_t all = (DATA_PAGES + BSS_PAGES + BEHIND_PAGES) * m.page;
    m.data = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(m.data != MAP_FAILED);
    int fd = open(m.path, O_RDWR);
    CHECK(mmap(m.data, DATA_PAGES * m.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
               (off_t)m.page) == m.data);
    close(fd);
    m.bss = m.data + DATA_PAGES * m.page;
    m.behind = m.bss + BSS_PAGES * m.page;
    CHECK(address_space_read(&m.space, &m.paths, getpid()) == 0);
    return m;
}

static enum mapping_kind kind_at(const struct mapped *m, const char *address)
{
    return address_space_find(&m->space, (uintptr_t)address)->kind;
}

static void unmap(struct mapped *m)
{
    munmap(m->data, (DATA_PAGES + BSS_PAGES + BEHIND_PAGES) * m->page);
    unlink(m->path);
    address_space_clear(&m->space);
    intern_free(m->paths);
}

TEST(static_memory_ends_with_bss)
{
    struct mapped m = map_library(true);
    CHECK(static_memory_end(getpid(), m.path, m.page, (uintptr_t)m.data) == (uintptr_t)m.behind);
    CHECK(kind_at(&m, m.data) == MAPPING_STATIC);
    CHECK(kind_at(&m, m.bss) == MAPPING_STATIC);
    CHECK(kind_at(&m, m.behind - 1) == MAPPING_STATIC);
    CHECK(strcmp(address_space_find(&m.space, (uintptr_t)m.bss)->path, m.path) == 0);
    CHECK(kind_at(&m, m.behind) == MAPPING_ANONYMOUS);
    CHECK(kind_at(&m, m.behind + m.page) == MAPPING_ANONYMOUS);
    unmap(&m);
}

TEST(static_memory_of_a_split_bss)
{
    struct mapped m = map_library(true);
    address_space_clear(&m.space);
    CHECK(mprotect(m.bss + 20 * m.page, m.page, PROT_READ) == 0);
    CHECK(address_space_read(&m.space, &m.paths, getpid()) == 0);
    CHECK(kind_at(&m, m.bss + 30 * m.page) == MAPPING_STATIC);
    CHECK(kind_at(&m, m.behind) == MAPPING_ANONYMOUS);
    unmap(&m);
}

TEST(static_memory_is_not_behind_a_file_that_is_no_program)
{
    struct mapped m = map_library(false);
    CHECK(static_memory_end(getpid(), m.path, m.page, (uintptr_t)m.data) == 0);
    CHECK(kind_at(&m, m.data) == MAPPING_STATIC);
    CHECK(kind_at(&m, m.bss) == MAPPING_ANONYMOUS);
    unmap(&m);
}

TEST(static_memory_of_a_file_that_is_gone)
{
    CHECK(static_memory_end(getpid(), "/no/such/file", 0, 4096) == UINT64_MAX);
}
