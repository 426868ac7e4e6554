// SPDX-License-Identifier: Apache-2.0
// patterns PATTERN CPU OTHER JUNK_MIB EVENT...: runs a known pattern of accesses on CPU once for each event, from cold
// caches, and prints what the event counted in user mode (write-backs: in the kernel too, and by all CPUs of the node)
// between the first access and the last. The array's even pages lie on CPU's node, its odd pages on the node of OTHER;
// but for "border-...": there one half is CPU's, one OTHER's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

enum { PAGES = 64, LINES_OF_PAGE = PAGE / LINE, LINES = PAGES * LINES_OF_PAGE, ATTEMPTS = 400, REPEATS = 10 };
// The event's descriptor; of the junk every third line, which is no stream and comes to all sets of a cache.
enum { EVENT = 99, JUNK_STEP = 3 };

static int cpu, other;
static int beside; // events of the node's other CPUs: descriptors EVENT + 1 ...
static char *array, *junk;
static size_t junk_bytes;

// The patterns: a loop each, on registers only, so that nothing else is counted. `step` in bytes.

static __attribute__((noinline)) void reads(volatile char *at, long step, size_t count)
{
    for (; count; count--, at += step)
        (void)*at;
}

static __attribute__((noinline)) void writes(volatile char *at, long step, size_t count)
{
    for (; count; count--, at += step)
        *at = 1;
}

static __attribute__((noinline)) void executes(char *at, long step, size_t count)
{
    for (; count; count--, at += step)
        ((void (*)(void))at)();
}

static __attribute__((noinline)) void chases(char *at, long unused, size_t count)
{
    (void)unused;
    for (; count; count--)
        at = *(char *volatile *)at;
}

// Links the lines `line(0)`, `line(1)` ... in this order.
static void link_lines(size_t count, size_t (*line)(size_t))
{
    for (size_t i = 0; i < count; i++)
        *(char **)(array + line(i) * LINE) = array + line((i + 1) % count) * LINE;
}

// All lines, none after a neighbour: 1027 shares no factor with a power of two.
static size_t line_far(size_t i)
{
    return i * 1027 % LINES;
}

static size_t random_lines[PAGES]; // one of each page, pages and lines at random

static size_t line_random(size_t i)
{
    return random_lines[i];
}

static void prepare_nothing(void)
{
}

static void prepare_chase(void)
{
    link_lines(LINES, line_far);
}

static void prepare_random(void)
{
    srand(4711);
    for (size_t page = 0; page < PAGES; page++)
        random_lines[page] = page * LINES_OF_PAGE + (size_t)rand() % LINES_OF_PAGE;
    for (size_t last = PAGES - 1; last > 0; last--) {
        size_t with = (size_t)rand() % (last + 1), kept = random_lines[last];
        random_lines[last] = random_lines[with];
        random_lines[with] = kept;
    }
    link_lines(PAGES, line_random);
}

static void prepare_code(void)
{
    memset(array, 0xc3, LINES * LINE); // ret
}

// What `handover` reads: every fifth line, written by the other node just now.
static void handed_over(void)
{
    pin(other);
    writes(array, 5 * LINE, LINES / 5);
    pin(cpu);
}

static void from_own_cache(void)
{
    reads(array, 5 * LINE, LINES / 5);
}

static const struct pattern {
    const char *name;
    void (*prepare)(void); // once, at the start
    void (*before)(void); // after the caches have been emptied
    void (*run)(char *at, long step, size_t count);
    long first, step; // lines
    size_t count;
    size_t afterwards; // lines of junk to read within the measurement
} patterns[] = {
    {"ascending", prepare_nothing, prepare_nothing, (void *)reads, 0, 1, LINES, 0},
    {"descending", prepare_nothing, prepare_nothing, (void *)reads, LINES - 1, -1, LINES, 0},
    {"every-second", prepare_nothing, prepare_nothing, (void *)reads, 0, 2, LINES / 2, 0},
    {"every-fifth", prepare_nothing, prepare_nothing, (void *)reads, 0, 5, (LINES + 4) / 5, 0},
    {"chase", prepare_chase, prepare_nothing, chases, 0, 0, LINES, 0},
    {"random", prepare_random, prepare_nothing, chases, -1, 0, PAGES, 0},
    {"write", prepare_nothing, prepare_nothing, (void *)writes, 0, 1, LINES, 0},
    {"write-back", prepare_nothing, prepare_nothing, (void *)writes, 0, 5, LINES / 5, 8 << 10},
    {"write-memory", prepare_nothing, prepare_nothing, (void *)writes, 0, 5, LINES / 5, 80 << 10},
    {"execute", prepare_code, prepare_nothing, executes, 0, 1, LINES, 0},
    {"handover", prepare_nothing, handed_over, (void *)reads, 0, 5, LINES / 5, 0},
    {"own-cache", prepare_nothing, from_own_cache, (void *)reads, 0, 5, LINES / 5, 0},
    {"border-ascending", prepare_nothing, prepare_nothing, (void *)reads, 0, 1, LINES / 2, 0},
    {"border-descending", prepare_nothing, prepare_nothing, (void *)reads, LINES - 1, -1, LINES / 2, 0},
};

// Without the C library: it would touch memory of its own.
static inline __attribute__((always_inline)) void control(unsigned long request)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_ioctl), "D"(EVENT), "S"(request), "d"(0)
                     : "rcx", "r11", "memory");
}

static __attribute__((noinline)) void measured(const struct pattern *pattern)
{
    void (*run)(char *, long, size_t) = pattern->run;
    char *first = pattern->first < 0 ? array + line_random(0) * LINE : array + pattern->first * LINE, *more = junk;
    long step = pattern->step * LINE;
    size_t count = pattern->count, afterwards = pattern->afterwards;
    run(first, 0, 0); // its own code is in the cache
    control(PERF_EVENT_IOC_ENABLE);
    run(first, step, count);
    for (; afterwards; afterwards--, more += JUNK_STEP * LINE)
        (void)*(volatile char *)more;
    control(PERF_EVENT_IOC_DISABLE);
}

static void open_one(const char *name, struct perf_event_attr *attr, pid_t process, int on, int fd)
{
    int opened = event_open(attr, process, on, -1);
    if (opened < 0 || dup2(opened, fd) < 0)
        fail(name);
    close(opened);
}

// `all`: whoever runs on a CPU of the node, and the kernel too; for lines are written back by whoever displaces the
// lines, and the CPUs of a node share a cache.
static void open_events(const char *name, bool all)
{
    struct perf_event_attr attr = event_encode(name);
    attr.exclude_kernel = !all;
    open_one(name, &attr, all ? -1 : 0, all ? cpu : -1, EVENT);
    beside = 0;
    for (int on = 0; all && on < sysconf(_SC_NPROCESSORS_ONLN); on++)
        if (on != cpu && node_of(on) == node_of(cpu))
            open_one(name, &attr, -1, on, EVENT + ++beside);
}

static void control_beside(unsigned long request)
{
    for (int fd = EVENT + 1; fd <= EVENT + beside; fd++)
        ioctl(fd, request, 0);
}

static uint64_t read_events(void)
{
    uint64_t counted = event_read(EVENT);
    for (int fd = EVENT + 1; fd <= EVENT + beside; fd++)
        counted += event_read(fd);
    return counted;
}

static uint64_t count_once(const struct pattern *pattern, bool *disturbed)
{
    sweep(junk, junk_bytes);
    pattern->before();
    ioctl(EVENT, PERF_EVENT_IOC_RESET, 0);
    control_beside(PERF_EVENT_IOC_RESET);
    uint64_t before = interrupts(cpu);
    control_beside(PERF_EVENT_IOC_ENABLE);
    measured(pattern);
    control_beside(PERF_EVENT_IOC_DISABLE);
    *disturbed = interrupts(cpu) != before;
    return read_events();
}

// A measurement that an interrupt came into is repeated: the kernel's accesses displace the prefetcher's streams.
static uint64_t undisturbed(const char *name, const struct pattern *pattern)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        bool disturbed;
        uint64_t counted = count_once(pattern, &disturbed);
        if (!disturbed)
            return counted;
    }
    fprintf(stderr, "%s: an interrupt came into each of %d attempts\n", name, ATTEMPTS);
    exit(1);
}

// A pattern that goes on for longer than the clock's tick cannot be undisturbed, but what the kernel does only adds: as
// much as where the pattern does nothing.
static uint64_t least_beyond_idle(const struct pattern *pattern)
{
    struct pattern idle = *pattern;
    idle.count = 0;
    uint64_t least = UINT64_MAX, least_idle = UINT64_MAX;
    for (int attempt = 0; attempt < REPEATS; attempt++) {
        bool disturbed;
        uint64_t counted_idle = count_once(&idle, &disturbed), counted = count_once(pattern, &disturbed);
        least_idle = counted_idle < least_idle ? counted_idle : least_idle;
        least = counted < least ? counted : least;
    }
    return least - least_idle;
}

// Does the page belong to the other node?
static bool page_is_others(const char *pattern, int page)
{
    if (strcmp(pattern, "border-ascending") == 0)
        return page >= PAGES / 2;
    if (strcmp(pattern, "border-descending") == 0)
        return page < PAGES / 2;
    return page % 2;
}

static char *make_array(const char *pattern)
{
    char *memory = mmap(NULL, LINES * LINE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("memory");
    for (int page = 0; page < PAGES; page++)
        memory_bind(memory + page * PAGE, PAGE, node_of(page_is_others(pattern, page) ? other : cpu));
    return memory;
}

int main(int argc, char **argv)
{
    const struct pattern *pattern = patterns, *end = patterns + sizeof patterns / sizeof *patterns;
    if (argc < 6)
        fail("arguments");
    while (pattern < end && strcmp(pattern->name, argv[1]) != 0)
        pattern++;
    if (pattern == end)
        fail(argv[1]);
    cpu = atoi(argv[2]);
    other = atoi(argv[3]);
    pin(cpu);
    array = make_array(pattern->name);
    junk_bytes = strtoul(argv[4], NULL, 10) << 20;
    junk = memory_on(node_of(cpu), junk_bytes);
    pattern->prepare();
    for (int i = 5; i < argc; i++) {
        open_events(argv[i], pattern->afterwards);
        printf("%lu\n", pattern->afterwards ? least_beyond_idle(pattern) : undisturbed(argv[i], pattern));
        for (int fd = EVENT; fd <= EVENT + beside; fd++)
            close(fd);
    }
    return 0;
}
