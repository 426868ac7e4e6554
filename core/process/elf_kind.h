// SPDX-License-Identifier: Apache-2.0
// What sort of executable a file is: decides whether our preload library can be loaded into it.
#ifndef CORE_PROCESS_ELF_KIND_H
#define CORE_PROCESS_ELF_KIND_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

enum elf_kind {
    ELF_KIND_GLIBC = 1,  // dynamic, this machine's word size, glibc's loader; or that loader itself (ld.so PROGRAM)
    ELF_KIND_OTHER_LIBC, // dynamic with another loader (musl, Android): a glibc library would break it
    ELF_KIND_STATIC,     // no loader
    ELF_KIND_FOREIGN,    // another word size or machine
    ELF_KIND_SCRIPT,     // starts with #!
    ELF_KIND_UNKNOWN,    // neither: the kernel will refuse it or a shell will read it
    // Dynamic, glibc, with AddressSanitizer's runtime, which ends a program where it is not the first library.
    ELF_KIND_ASAN,
};

enum { ELF_KIND_INTERPRETER = 256 }; // the kernel reads this much of a script's first line (BINPRM_BUF_SIZE)

// Kind of an open file, read with pread; of what is no regular file: -EACCES, as execve. interpreter
// (ELF_KIND_INTERPRETER bytes) gets the program of a script's first line, else "". Errors: -errno of the read.
int elf_kind_of(int fd, char *interpreter);

// The same for a path, following scripts to the program that will run in the end (at most 4 deep, as the kernel).
// interpreter gets that program's path, also where it cannot be opened; "": the path itself.
int elf_kind_of_path(const char *path, char *interpreter);

// The loader that a dynamic program asks for: "": none, or it cannot be read.
void elf_kind_loader(const char *path, char *loader, size_t size);

// Whether a file of this name is glibc's loader.
bool elf_kind_is_glibc_loader(const char *path);

// Opens a file and reads its ELF header; that of another file has no segments. -errno: it cannot be opened.
int elf_kind_open(const char *path, ElfW(Ehdr) * header);

// Reads one segment; false: there are no more, or it cannot be read.
bool elf_kind_segment(int fd, const ElfW(Ehdr) * header, int number, ElfW(Phdr) * segment);

// Why a program of this kind cannot load the preload library, as "is a static program"; NULL: it can, as far as is
// known. Also for -EPERM (a program that changes its rights, exec_rights.h) and -EACCES (one that cannot be read).
const char *elf_kind_obstacle(int kind);

// What the user can do about the obstacle.
const char *elf_kind_remedy(int kind);

// Whether LD_PRELOAD may stand in such a program's environment. A static one ignores it, and what it starts may use it;
// one with another C library or AddressSanitizer would not start; one of 32 bits would complain.
bool elf_kind_bears_preload(int kind);

#endif
