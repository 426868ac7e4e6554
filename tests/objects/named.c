// SPDX-License-Identifier: Apache-2.0
// Touches 1 MiB from a function whose name and line the recording must know, or say is unknown:  named [replace|jit]
// replace: puts another file in its own place while it runs. jit NAME...: touches it from code made at run time, and
// tells these names for it in perf-PID.map.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 1 << 20, PAGE = 4096 };

static char *fresh(void)
{
    char *block = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

__attribute__((noinline)) void known_function(volatile char *block)
{
    for (int i = 0; i < BYTES; i += PAGE)
        block[i] = 1; // the line
}

static void replace(const char *own, const char *other)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.new", own);
    if (link(other, name) < 0 || rename(name, own) < 0)
        perror("replace");
}

// mov byte [rdi], 1; add rdi, 4096; dec esi; jnz back; ret
static const unsigned char jit_code[] = {0xc6, 0x07, 0x01, 0x48, 0x81, 0xc7, 0x00, 0x10, 0x00,
                                         0x00, 0xff, 0xce, 0x75, 0xf2, 0xc3};

static void jit(int count, char **names)
{
    char path[64];
    unsigned char *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return;
    memcpy(code, jit_code, sizeof jit_code);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    FILE *map = fopen(path, "w");
    fprintf(map, "not a line\n\n0 0 nothing\nfffffffffffffffff 1 too long\n");
    for (int i = 0; i < count; i++)
        fprintf(map, "%lx %zx %s\n", (unsigned long)code, sizeof jit_code, names[i]);
    fprintf(map, "%lx", (unsigned long)code); // cut off
    fclose(map);
    ((void (*)(char *, int))(void *)code)(fresh(), BYTES / PAGE);
}

// The clock of files goes in steps.
static void let_clock_step(void)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_REALTIME_COARSE, &begun);
    do
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
    while (now.tv_sec == begun.tv_sec && now.tv_nsec == begun.tv_nsec);
}

static void by_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void (*function)(char *) = library ? (void (*)(char *))dlsym(library, "library_function") : NULL;
    if (function)
        function(fresh());
    let_clock_step();
    let_clock_step();
    FILE *file = fopen(path, "a"); // the same file, but not as it was
    if (file) {
        fputs("more", file);
        fclose(file);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "jit") == 0)
        jit(argc - 2, argv + 2);
    else if (strcmp(what, "library") == 0)
        by_library(argv[2]);
    else
        known_function(fresh());
    if (strcmp(what, "replace") == 0)
        replace(argv[0], argv[2]);
    return 0;
}
