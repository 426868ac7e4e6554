// SPDX-License-Identifier: Apache-2.0
// fuzz_files PROGRAM FOLDER FIRST ROUNDS: damages copies of PROGRAM, by numbers from FIRST on, and asks of each what a
// run asks of its files: names, lines and inlined callers of places all over its code, its variables, and call stacks
// through it from stacks full of chance; and of files like those that compilers at run time write. FOLDER is for the
// copies. The number of a round is printed before it, and at the end how many answers there were.
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/samples/call_stacks.h"
#include "profiler/symbols/jit_symbols.h"
#include "profiler/symbols/symbols.h"
#include "profiler/symbols/unwind.h"
#include "profiler/symbols/variables.h"
#include "tests/targets/chance.h"

enum { PLACES = 200, WALKS = 50, STACK_WORDS = 512, REGISTERS = 20, AT = 0x400000, FRONT = 0x2000 };

static uint64_t names, variables_seen, callers;

// Mostly where the code of a small program is.
static uint64_t somewhere(size_t bytes)
{
    return AT + chance() % (chance() % 4 && bytes > FRONT ? FRONT : bytes);
}

static char *read_program(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        exit(2);
    *bytes = (size_t)status.st_size;
    char *content = malloc(*bytes);
    if (!content || read(fd, content, *bytes) != (ssize_t)*bytes)
        exit(2);
    close(fd);
    return content;
}

// Numbers near the limits of what a field can hold lead further than chance.
static void damage_field(char *field, size_t bytes)
{
    static const uint64_t limits[] =
        {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, UINT64_MAX / 2, UINT64_MAX};
    uint64_t value = chance() % 2 ? limits[chance() % (sizeof limits / sizeof *limits)] : chance();
    memcpy(field, &value, bytes);
}

static void damage(char *content, size_t bytes)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)content;
    size_t sections = header->e_shoff, count = header->e_shnum;
    for (uint64_t n = 1 + chance() % 30; n > 0; n--) {
        size_t wide = (size_t)1 << chance() % 4, at = chance() % (bytes - 8);
        if (chance() % 4 == 0) // within a section: most of them are small
            at = ((const Elf64_Shdr *)(content + sections))[chance() % count].sh_offset + chance() % 256;
        if (chance() % 16 == 0)
            at = sections + chance() % (count * sizeof(Elf64_Shdr));
        if (chance() % 32 == 0)
            at = 16 + chance() % 500; // the headers
        if (at + 8 < bytes && (at < sections || at >= sections + 64 || chance() % 8 == 0))
            damage_field(content + at, wide);
        sections = sections < bytes - count * sizeof(Elf64_Shdr) ? sections : 0;
    }
}

static void write_copy(const char *path, const char *content, size_t bytes)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (fd < 0 || write(fd, content, bytes) != (ssize_t)bytes)
        exit(2);
    close(fd);
}

static void ask_for_names(struct program_files *files, struct intern **paths, const char *path, size_t bytes,
                          const char *out)
{
    struct recording_queue *queue;
    unlink(out);
    if (recording_queue_create(&queue, out) < 0)
        exit(2);
    struct call_stacks stacks = {.queue = queue};
    struct address_space space = {.pid = getpid()};
    const char *name = intern_text(paths, path);
    address_space_add(
        &space,
        (struct mapping){.start = AT, .end = AT + bytes, .path = name, .kind = MAPPING_FILE, .file_backed = true});
    for (int i = 0; i < PLACES; i++) {
        uint64_t addresses[2] = {somewhere(bytes), somewhere(bytes)};
        call_stacks_weigh(&stacks, call_stacks_intern(&stacks, &space, 1, addresses, 2, false), 1);
    }
    struct table programs = {0};
    table_put(&programs, (uintptr_t)name, 1);
    struct progress progress = {0};
    int64_t next;
    names += (uint64_t)symbols_resolve(&(struct symbols_request){
        .stacks = &stacks, .programs = &programs, .files = files, .queue = queue, .progress = &progress,
            .next_place = &next});
    table_free(&programs);
    address_space_clear(&space);
    call_stacks_free(&stacks);
    recording_queue_stop(queue);
}

static void take_local(void *owner, const struct objects_variable *variable)
{
    *(uint64_t *)owner += variable->bytes;
}

static void ask_for_variables(struct program_files *files, const char *path, size_t bytes)
{
    struct variables *variables = variables_open(files);
    const struct mapping mapping = {.start = AT, .end = AT + bytes, .path = path, .kind = MAPPING_STATIC};
    struct objects_variable variable;
    uint64_t sum = 0;
    for (int i = 0; i < PLACES; i++)
        variables_seen += variables_find(variables, &mapping, somewhere(bytes), &variable);
    variables_each_local(variables, path, take_local, &sum);
    variables_seen += sum > 0;
    variables_close(variables);
}

// As the loader maps the code of the program before the damage.
static struct mapping code_of(const char *content)
{
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(content + ((const Elf64_Ehdr *)content)->e_phoff);
    while (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
        segment++;
    return (struct mapping){.start = AT + segment->p_offset,
                            .end = AT + segment->p_offset + segment->p_filesz,
                            .file_offset = segment->p_offset,
                            .kind = MAPPING_FILE,
                            .file_backed = true,
                            .executable = true};
}

static void ask_for_paths(struct program_files *files, struct mapping code)
{
    struct unwind *unwind = unwind_open(files);
    struct process process = {.id = 1, .pid = getpid(), .space = {.pid = getpid()}};
    address_space_add(&process.space, code);
    for (int i = 0; i < WALKS; i++) {
        uint64_t stack[STACK_WORDS], registers[REGISTERS], addresses[CALL_STACKS_MAX_DEPTH];
        for (size_t k = 0; k < STACK_WORDS; k++)
            stack[k] =
                chance() % 2 ? code.start + chance() % (code.end - code.start) : 0x7fff0000 + chance() % sizeof stack;
        for (size_t k = 0; k < REGISTERS; k++)
            registers[k] = 0x7fff0000 + chance() % sizeof stack;
        // The instruction's; 7 is the stack's (asm/perf_regs.h).
        registers[8] = code.start + chance() % (code.end - code.start);
        registers[7] = 0x7fff0000;
        const struct perf_sample sample =
            {.ip = registers[8], .regs = registers, .stack = (const char *)stack, .stack_bytes = sizeof stack};
        bool truncated;
        callers += unwind_walk(unwind, &process, &sample, addresses, CALL_STACKS_MAX_DEPTH, &truncated);
    }
    address_space_clear(&process.space);
    unwind_close(unwind);
}

// What a compiler in the program may leave behind in perf-PID.map, or something like it.
static void ask_for_compiled_code(void)
{
    static const char likely[] = "0123456789abcdef  \n\nffff000x-\xff\x1b";
    char text[4096 + 1];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = (char)(chance() % 64 ? likely[chance() % (sizeof likely - 1)] : (char)chance());
    struct jit_symbols map;
    if (jit_symbols_parse(&map, text, sizeof text - 1) < 0)
        return;
    for (int i = 0; i < PLACES; i++) {
        uint64_t address = chance() >> chance() % 64;
        const struct jit_symbols_entry *entry = jit_symbols_find(&map, address);
        if (entry && (address < entry->start || address >= entry->end))
            exit(3);
        names += entry ? strlen(entry->name) > 0 : 0;
    }
    jit_symbols_free(&map);
}

static void round_of(const char *program, const char *folder, uint64_t number)
{
    state = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    char path[512], out[512];
    snprintf(path, sizeof path, "%s/damaged-%llu", folder, (unsigned long long)number);
    snprintf(out, sizeof out, "%s/names.numaprof", folder);
    size_t bytes;
    char *content = read_program(program, &bytes);
    struct mapping code = code_of(content);
    damage(content, bytes);
    write_copy(path, content, bytes);
    free(content);
    struct program_files *files = program_files_new();
    struct intern *paths = NULL;
    ask_for_names(files, &paths, path, bytes, out);
    ask_for_variables(files, path, bytes);
    code.path = intern_text(&paths, path);
    ask_for_paths(files, code);
    ask_for_compiled_code();
    intern_free(paths);
    program_files_free(files);
    unlink(path);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    uint64_t first = strtoull(argv[3], NULL, 10), rounds = strtoull(argv[4], NULL, 10);
    for (uint64_t i = first; i < first + rounds; i++) {
        printf("%llu\n", (unsigned long long)i);
        fflush(stdout);
        round_of(argv[1], argv[2], i);
    }
    printf("%llu names, %llu variables, %llu callers\n", (unsigned long long)names, (unsigned long long)variables_seen,
           (unsigned long long)callers);
    return 0;
}
