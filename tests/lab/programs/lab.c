// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

#include <dirent.h>
#include <fcntl.h>
#include <perfmon/pfmlib_perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

static bool hardware_is_here(const char *device)
{
    char path[300], vendor[16] = "", type[16] = "";
    const struct {
        const char *name;
        char *text;
    } files[] = {{"vendor", vendor}, {"device", type}};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", device, files[i].name);
        FILE *file = fopen(path, "r");
        if (!file || !fgets(files[i].text, 16, file))
            fail(path);
        fclose(file);
    }
    return strcmp(vendor, "0x1af4\n") == 0 && strcmp(type, "0x1110\n") == 0;
}

const volatile struct lab_shared *hardware_map(void)
{
    static const volatile struct lab_shared *mapped;
    DIR *devices = mapped ? NULL : opendir("/sys/bus/pci/devices");
    for (struct dirent *entry; devices && (entry = readdir(devices));) {
        if (entry->d_name[0] == '.' || !hardware_is_here(entry->d_name))
            continue;
        char path[300];
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/resource2", entry->d_name);
        int fd = open(path, O_RDWR);
        mapped = fd < 0 ? MAP_FAILED : mmap(NULL, LAB_SHARED_BYTES, PROT_READ, MAP_SHARED, fd, 0);
        if (mapped == MAP_FAILED)
            fail(path);
    }
    if (!mapped || mapped->magic != LAB_MAGIC)
        fail("the hardware's counters");
    return mapped;
}

unsigned hardware_index(int cpu)
{
    // The hardware counts CPUs in the order of their APIC numbers.
    int ids[LAB_CPUS], processor = -1, count = 0;
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        fail("/proc/cpuinfo");
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "processor : %d", &processor);
        if (sscanf(line, "apicid : %d", &ids[processor < 0 ? 0 : processor]) == 1)
            count++;
    }
    fclose(file);
    unsigned index = 0;
    for (int other = 0; other < count; other++)
        index += ids[other] < ids[cpu];
    return index;
}

struct matrix matrix_of(int cpu)
{
    static unsigned indices[LAB_CPUS]; // + 1
    struct matrix matrix;
    if (!indices[cpu])
        indices[cpu] = hardware_index(cpu) + 1;
    const volatile uint64_t *from = &hardware_map()->cpu[indices[cpu] - 1].requests[0][0][0];
    uint64_t *to = &matrix.requests[0][0][0];
    for (size_t i = 0; i < sizeof matrix / sizeof *to; i++)
        to[i] = from[i];
    return matrix;
}

struct matrix matrix_less(struct matrix after, const struct matrix *before)
{
    for (size_t i = 0; i < sizeof after / sizeof(uint64_t); i++)
        (&after.requests[0][0][0])[i] -= (&before->requests[0][0][0])[i];
    return after;
}

void matrix_add(struct matrix *sum, const struct matrix *more)
{
    for (size_t i = 0; i < sizeof *sum / sizeof(uint64_t); i++)
        (&sum->requests[0][0][0])[i] += (&more->requests[0][0][0])[i];
}

void matrix_print(const struct matrix *matrix, unsigned level)
{
    for (int class = 0; class < LAB_CLASSES; class++)
        for (int outcome = 0; outcome < LAB_OUTCOMES; outcome++)
            printf("%s%lu", outcome ? "," : class ? "],[" : "[[", matrix->requests[level][class][outcome]);
    printf("]]");
}

struct perf_event_attr event_encode(const char *name)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t encode = {.size = sizeof encode, .attr = &attr};
    if (pfm_initialize() != PFM_SUCCESS)
        fail("libpfm");
    bool raw = sscanf(name, "raw:%llx:%llx", &attr.config, &attr.config1) > 0;
    attr.type = PERF_TYPE_RAW;
    int error = raw ? PFM_SUCCESS : pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encode);
    if (error != PFM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", name, pfm_strerror(error));
        exit(1);
    }
    attr.exclude_kernel = 1;
    attr.disabled = 1;
    return attr;
}

int event_open(struct perf_event_attr *attr, int tid, int cpu, int group)
{
    return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

uint64_t event_read(int fd)
{
    uint64_t value;
    if (read(fd, &value, sizeof value) != sizeof value)
        fail("read of an event");
    return value;
}

void event_enable(int fd)
{
    if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
        fail("PERF_EVENT_IOC_ENABLE");
}

void event_disable(int fd)
{
    if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) < 0)
        fail("PERF_EVENT_IOC_DISABLE");
}

static int open_tracepoint(const char *name, int cpu)
{
    char path[128];
    unsigned long id;
    snprintf(path, sizeof path, "/sys/kernel/tracing/events/irq_vectors/%s_entry/id", name);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%lu", &id) != 1)
        fail(path);
    fclose(file);
    struct perf_event_attr attr = {.size = sizeof attr, .type = PERF_TYPE_TRACEPOINT, .config = id};
    int fd = event_open(&attr, -1, cpu, -1);
    if (fd < 0)
        fail(path);
    return fd;
}

uint64_t interrupts(int cpu)
{
    static const char *const names[] = {"local_timer", "reschedule", "call_function",
                                         "call_function_single", "irq_work"};
    enum { NAMES = sizeof names / sizeof *names };
    static int fds[LAB_CPUS][NAMES]; // 0: not open yet
    uint64_t sum = 0;
    for (int i = 0; i < NAMES; i++) {
        if (!fds[cpu][i])
            fds[cpu][i] = open_tracepoint(names[i], cpu);
        sum += event_read(fds[cpu][i]);
    }
    return sum;
}

void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) < 0)
        fail("sched_setaffinity");
}

int node_of(int cpu)
{
    char path[64];
    for (int node = 0; node < LAB_NODES; node++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", cpu, node);
        if (access(path, F_OK) == 0)
            return node;
    }
    fail("the CPU's node");
}

void wait_asleep(int tid)
{
    char path[64], text[64], state = 'R';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    while (state != 'S') {
        FILE *file = fopen(path, "r");
        if (!file || !fgets(text, sizeof text, file) || sscanf(text, "%*d (%*[^)]) %c", &state) != 1)
            fail(path);
        fclose(file);
    }
}

bool node_has_memory(int node)
{
    char path[64], line[256];
    unsigned long kilobytes = 0;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo", node);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Node %*d MemTotal: %lu", &kilobytes);
    if (file)
        fclose(file);
    return kilobytes > 0;
}

void memory_bind(char *memory, size_t bytes, int node)
{
    enum { MPOL_BIND = 2 };
    unsigned long mask = 1ul << node;
    if (syscall(SYS_mbind, memory, bytes, MPOL_BIND, &mask, 64, 0) < 0)
        fail("memory on a node");
    for (size_t i = 0; i < bytes; i += PAGE)
        memory[i] = 1;
}

char *memory_on(int node, size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("memory");
    memory_bind(memory, bytes, node);
    return memory;
}

char *chain_by_turns(char *const halves[2], size_t bytes)
{
    enum { STEP_LINES = 1031 }; // a prime: all lines come
    size_t lines = bytes / LINE;
    for (size_t k = 0; k < lines; k++) {
        size_t at = k * STEP_LINES % lines * LINE, next = (k + 1) * STEP_LINES % lines * LINE;
        *(char **)(halves[0] + at) = halves[1] + at;
        *(char **)(halves[1] + at) = halves[0] + next;
    }
    return halves[0];
}

char *chase(char *at, size_t count)
{
    for (; count; count--)
        at = *(char *volatile *)at;
    return at;
}

void sweep(const char *junk, size_t bytes)
{
    size_t lines = bytes / LINE;
    // A step that is no neighbour's and shares no factor with a power of two: every line once.
    for (size_t i = 0, at = 0; i < lines; i++, at = (at + 4099) % lines)
        (void)*(const volatile char *)(junk + at * LINE);
}
