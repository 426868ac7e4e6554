// SPDX-License-Identifier: Apache-2.0
// Also linked into the preload library, where it runs between vfork and exec: no allocation, no global state.
#include "core/process/elf_kind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { ELF_KIND_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { ELF_KIND_MACHINE = EM_AARCH64 };
#elif defined(__powerpc64__)
enum { ELF_KIND_MACHINE = EM_PPC64 };
#endif

enum { ELF_KIND_SCRIPT_DEPTH = 4, ELF_KIND_MAX_SEGMENTS = 64, ELF_KIND_MAX_DYNAMIC = 512, ELF_KIND_MAX_NEEDED = 64 };

// glibc's loaders are called ld-linux*.so.N or ld64.so.N; musl's ld-musl-*, Android's linker64.
bool elf_kind_is_glibc_loader(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld64.so", 7) == 0;
}

// line is shorter than out.
static void elf_kind_first_word(const char *line, char *out)
{
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t\n");
    memcpy(out, line, length);
    out[length] = '\0';
}

bool elf_kind_segment(int fd, const ElfW(Ehdr) * header, int number, ElfW(Phdr) * segment)
{
    off_t at = (off_t)(header->e_phoff + (uint64_t)number * sizeof *segment);
    return number < header->e_phnum && number < ELF_KIND_MAX_SEGMENTS &&
           pread(fd, segment, sizeof *segment, at) == sizeof *segment;
}

// Where the file holds an address of the program; 0: nowhere.
static uint64_t elf_kind_offset(int fd, const ElfW(Ehdr) * header, uint64_t address)
{
    ElfW(Phdr) s;
    for (int i = 0; elf_kind_segment(fd, header, i, &s); i++)
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
            return address - s.p_vaddr + s.p_offset;
    return 0;
}

// Names: those of GCC's runtime and of clang's (-shared-libsan). A runtime linked into the program is no library.
static bool elf_kind_is_asan(int fd, uint64_t name)
{
    char text[sizeof "libclang_rt.asan"] = "";
    return pread(fd, text, sizeof text - 1, (off_t)name) > 0 &&
           (strncmp(text, "libasan.so", 10) == 0 || strcmp(text, "libclang_rt.asan") == 0);
}

// The loader as the program: ld.so PROGRAM. Its file may have any name.
static bool elf_kind_is_loader_name(int fd, uint64_t name)
{
    char text[16] = "";
    return pread(fd, text, sizeof text - 1, (off_t)name) > 0 && elf_kind_is_glibc_loader(text);
}

struct elf_kind_dynamic {
    bool has_asan;
    bool is_loader;
};

static struct elf_kind_dynamic elf_kind_read_dynamic(int fd, const ElfW(Ehdr) * header, const ElfW(Phdr) * dynamic)
{
    struct elf_kind_dynamic found = {.has_asan = false};
    uint64_t needed[ELF_KIND_MAX_NEEDED], strings = 0, own_name = 0;
    bool has_name = false;
    int count = 0;
    for (int i = 0; i < ELF_KIND_MAX_DYNAMIC; i++) {
        ElfW(Dyn) entry;
        off_t at = (off_t)(dynamic->p_offset + (uint64_t)i * sizeof entry);
        if (pread(fd, &entry, sizeof entry, at) != sizeof entry || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED && count < ELF_KIND_MAX_NEEDED)
            needed[count++] = entry.d_un.d_val;
        else if (entry.d_tag == DT_STRTAB)
            strings = elf_kind_offset(fd, header, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_SONAME) {
            own_name = entry.d_un.d_val;
            has_name = true;
        }
    }
    for (int i = 0; strings && i < count; i++)
        found.has_asan |= elf_kind_is_asan(fd, strings + needed[i]);
    found.is_loader = strings && has_name && elf_kind_is_loader_name(fd, strings + own_name);
    return found;
}

static void elf_kind_read_loader(int fd, const ElfW(Phdr) * segment, char *loader, size_t size)
{
    size_t length = segment->p_filesz < size - 1 ? segment->p_filesz : size - 1;
    ssize_t n = pread(fd, loader, length, (off_t)segment->p_offset);
    loader[n > 0 ? n : 0] = '\0';
}

static int elf_kind_of_segments(int fd, const ElfW(Ehdr) * header)
{
    if (header->e_phentsize != sizeof(ElfW(Phdr)))
        return ELF_KIND_UNKNOWN;
    ElfW(Phdr) segment;
    char loader[ELF_KIND_INTERPRETER];
    int kind = ELF_KIND_STATIC;
    struct elf_kind_dynamic dynamic = {.has_asan = false};
    for (int i = 0; i < header->e_phnum && i < ELF_KIND_MAX_SEGMENTS; i++) {
        if (!elf_kind_segment(fd, header, i, &segment))
            return ELF_KIND_UNKNOWN;
        if (segment.p_type == PT_DYNAMIC)
            dynamic = elf_kind_read_dynamic(fd, header, &segment);
        if (segment.p_type != PT_INTERP)
            continue;
        elf_kind_read_loader(fd, &segment, loader, sizeof loader);
        kind = elf_kind_is_glibc_loader(loader) ? ELF_KIND_GLIBC : ELF_KIND_OTHER_LIBC;
    }
    if (kind == ELF_KIND_STATIC && dynamic.is_loader)
        return ELF_KIND_GLIBC; // whether the program behind it can load the library, its connection tells
    return kind == ELF_KIND_GLIBC && dynamic.has_asan ? ELF_KIND_ASAN : kind;
}

int elf_kind_of(int fd, char *interpreter)
{
    union {
        ElfW(Ehdr) header;
        char text[ELF_KIND_INTERPRETER];
    } start = {0};
    struct stat file;
    interpreter[0] = '\0';
    if (fstat(fd, &file) == 0 && !S_ISREG(file.st_mode))
        return -EACCES;
    ssize_t n = pread(fd, &start, sizeof start - 1, 0);
    if (n < 0)
        return -errno;
    if (start.text[0] == '#' && start.text[1] == '!') {
        elf_kind_first_word(start.text + 2, interpreter);
        return ELF_KIND_SCRIPT;
    }
    if ((size_t)n < sizeof start.header || memcmp(start.header.e_ident, ELFMAG, SELFMAG) != 0)
        return ELF_KIND_UNKNOWN;
    int word = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (start.header.e_ident[EI_CLASS] != word || start.header.e_machine != ELF_KIND_MACHINE)
        return ELF_KIND_FOREIGN;
    return elf_kind_of_segments(fd, &start.header);
}

static int elf_kind_open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO would wait for a writer
}

int elf_kind_open(const char *path, ElfW(Ehdr) * header)
{
    *header = (ElfW(Ehdr)){0};
    int fd = elf_kind_open_file(path);
    if (fd < 0)
        return -errno;
    if (pread(fd, header, sizeof *header, 0) != sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(ElfW(Phdr)))
        header->e_phnum = 0;
    return fd;
}

int elf_kind_of_path(const char *path, char *interpreter)
{
    char next[ELF_KIND_INTERPRETER];
    interpreter[0] = '\0';
    for (int depth = 0; depth <= ELF_KIND_SCRIPT_DEPTH; depth++) {
        int fd = elf_kind_open_file(*interpreter ? interpreter : path);
        if (fd < 0)
            return -errno;
        int kind = elf_kind_of(fd, next);
        close(fd);
        if (kind != ELF_KIND_SCRIPT)
            return kind;
        memcpy(interpreter, next, sizeof next);
    }
    return -ELOOP;
}

void elf_kind_loader(const char *path, char *loader, size_t size)
{
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
    int fd = elf_kind_open(path, &header);
    loader[0] = '\0';
    if (fd < 0)
        return;
    for (int i = 0; elf_kind_segment(fd, &header, i, &segment); i++)
        if (segment.p_type == PT_INTERP)
            elf_kind_read_loader(fd, &segment, loader, size);
    close(fd);
}

const char *elf_kind_obstacle(int kind)
{
    switch (kind) {
    case ELF_KIND_STATIC:
        return "is a static program";
    case ELF_KIND_OTHER_LIBC:
        return "uses another C library than glibc";
    case ELF_KIND_FOREIGN:
        return "is of another architecture";
    case ELF_KIND_ASAN:
        return "is built with AddressSanitizer, which lets no library stand before its own";
    case -EPERM:
        return "changes its rights when it starts (setuid or capabilities)";
    case -EACCES:
        return "may be run but not read";
    default:
        return NULL;
    }
}

const char *elf_kind_remedy(int kind)
{
    switch (kind) {
    case ELF_KIND_FOREIGN:
        return "build it for this machine's architecture, with 64 bits";
    case ELF_KIND_ASAN:
        return "build it without -fsanitize=address";
    case -EPERM:
    case -EACCES:
        return "run numaprof as the user whose rights it gets, or as root";
    default:
        return "link it dynamically with glibc";
    }
}

bool elf_kind_bears_preload(int kind)
{
    return kind != ELF_KIND_OTHER_LIBC && kind != ELF_KIND_FOREIGN && kind != ELF_KIND_ASAN;
}
