// SPDX-License-Identifier: Apache-2.0
// samples CPU OTHER PERIOD TIMED RING_PAGES EVENT [LEADER]: samples a thread's loads while it reads and shares memory
// of all nodes, some of which OTHER has used before. First line: what was counted, how many samples were lost, and
// where things are. Then a line a sample, with what the kernel says about the page of its address:
// ip address physical weight source tid cpu pagemap node
// TIMED 1 asks for times, and so for an interrupt at each sample; 0 lets the hardware collect them.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

enum { NODE_BYTES = 2 << 20, STEP_LINES = 1031 }; // the step shares no factor with a power of two
enum { LOST_FORMAT = 1 << 4 }; // PERF_FORMAT_LOST, Linux 6.0

static char *memory[LAB_NODES];
static int nodes, pagemap;

struct sample {
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t address;
    uint32_t cpu, unused;
};

__attribute__((noinline, aligned(64))) static void loads(void)
{
    size_t lines = NODE_BYTES / LINE;
    for (size_t i = 0; i < lines * (size_t)nodes; i++)
        (void)*(volatile uint64_t *)(memory[i % (size_t)nodes] + i / (size_t)nodes * STEP_LINES % lines * LINE);
}
__attribute__((noinline)) static void loads_end(void)
{
    __asm__ volatile("");
}

static int memory_nodes(void)
{
    char path[64];
    int count = 0;
    for (int node = 0; node < LAB_NODES; node++) {
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d", node);
        if (access(path, F_OK) == 0 && node_has_memory(node))
            memory[count++] = memory_on(node, NODE_BYTES);
    }
    return count;
}

// The CPU reads and writes a sixteenth of the lines, so that its cache will answer the loads of them.
static void use(int cpu, size_t sixteenth)
{
    pin(cpu);
    for (int node = 0; node < nodes; node++) {
        char *first = memory[node] + NODE_BYTES / 16 * sixteenth;
        for (size_t at = 0; at < NODE_BYTES / 16; at += 3 * LINE)
            first[at] = (char)(first[at + 2 * LINE] + 1);
    }
}

static uint64_t pagemap_of(uint64_t address)
{
    uint64_t entry;
    if (pread(pagemap, &entry, 8, (off_t)(address / PAGE * 8)) != 8 || !(entry >> 63))
        return 0;
    return (entry & ((1ull << 55) - 1)) * PAGE + address % PAGE;
}

static int node_of_address(uint64_t address)
{
    void *page = (void *)(address / PAGE * PAGE);
    int node = -1;
    syscall(SYS_move_pages, 0, 1ul, &page, NULL, &node, 0);
    return node;
}

static void print_sample(const char *record, bool timed)
{
    const struct sample *sample = (const void *)(record + sizeof(struct perf_event_header));
    // In the order of the sample type's bits: ip, tid, (time,) addr, cpu, weight, data source, physical address.
    const char *at = (const char *)sample + offsetof(struct sample, address) + (timed ? 8 : 0);
    uint64_t address = *(const uint64_t *)at;
    uint32_t cpu = *(const uint32_t *)(at + 8);
    const uint64_t *rest = (const uint64_t *)(at + 16); // weight, source, physical
    printf("%lx %lx %lx %lu %lx %u %u %lx %d\n", sample->ip, address, rest[2], rest[0], rest[1], sample->tid, cpu,
           pagemap_of(address), node_of_address(address));
}

// A copy of the record that starts at `tail`, whole even where the ring ends.
static const char *copied(const char *ring, size_t size, uint64_t tail, char *copy)
{
    struct perf_event_header header;
    for (size_t i = 0; i < sizeof header; i++)
        ((char *)&header)[i] = ring[(tail + i) % size];
    for (size_t i = 0; i < header.size; i++)
        copy[i] = ring[(tail + i) % size];
    return copy;
}

static void print_samples(struct perf_event_mmap_page *page, size_t size, bool timed)
{
    static char copy[1 << 16] __attribute__((aligned(8)));
    const char *ring = (const char *)page + PAGE;
    for (uint64_t tail = page->data_tail; tail < page->data_head;) {
        const struct perf_event_header *header = (const void *)copied(ring, size, tail, copy);
        if (header->type == PERF_RECORD_SAMPLE)
            print_sample(copy, timed);
        else if (header->type != PERF_RECORD_THROTTLE && header->type != PERF_RECORD_UNTHROTTLE)
            printf("record %u\n", header->type);
        tail += header->size;
    }
}

int main(int argc, char **argv)
{
    if (argc < 7)
        fail("arguments");
    int cpu = atoi(argv[1]), leader = -1;
    bool timed = atoi(argv[4]);
    size_t size = strtoul(argv[5], NULL, 10) * PAGE;
    struct perf_event_attr attr = event_encode(argv[6]);
    attr.sample_period = strtoul(argv[3], NULL, 10);
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_WEIGHT |
                       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR | (timed ? PERF_SAMPLE_TIME : 0);
    attr.precise_ip = 2;
    attr.read_format = LOST_FORMAT;
    attr.disabled = argc == 7;
    if (argc > 7) {
        struct perf_event_attr first = event_encode(argv[7]);
        if ((leader = event_open(&first, 0, -1, -1)) < 0)
            fail(argv[7]);
    }
    int fd = event_open(&attr, 0, -1, leader);
    if (fd < 0)
        fail(argv[6]);
    struct perf_event_mmap_page *page = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pagemap = open("/proc/self/pagemap", O_RDONLY);
    if (page == MAP_FAILED || pagemap < 0)
        fail("ring");
    nodes = memory_nodes();
    use(atoi(argv[2]), 0);
    use(cpu, 1);
    event_enable(leader < 0 ? fd : leader);
    loads();
    event_disable(leader < 0 ? fd : leader);
    uint64_t values[2];
    if (read(fd, values, sizeof values) != sizeof values)
        fail("read");
    printf("{\"count\": %lu, \"lost\": %lu, \"tid\": %d, \"node\": %d, \"code\": [%lu, %lu], \"memory\": [", values[0],
           values[1], getpid(), node_of(cpu), (uint64_t)loads, (uint64_t)loads_end);
    for (int node = 0; node < nodes; node++)
        printf("%s[%lu, %lu]", node ? ", " : "", (uint64_t)memory[node], (uint64_t)memory[node] + NODE_BYTES);
    printf("]}\n");
    print_samples(page, size, timed);
    return 0;
}
