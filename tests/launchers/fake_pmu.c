// SPDX-License-Identifier: Apache-2.0
// A PMU for machines without one: preloaded, it lets every hardware event be opened (as a file of zeros, mappable), but
// for those whose event number FAKE_PMU_REFUSES names, "0x1b7", which get the errno FAKE_PMU_ERRNO. Shows what a
// program makes of the answers; counts nothing. The ring of a sampled load holds one sample, as FAKE_PMU_SAMPLES says:
// "address" (unless told otherwise), "registers" (IBS before Linux 6.1: they alone tell the address) or "none".
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool refuses(const struct perf_event_attr *attr)
{
    const char *config = getenv("FAKE_PMU_REFUSES");
    return config && attr->type == PERF_TYPE_RAW && strtoull(config, NULL, 16) == attr->config;
}

enum { FAKE_PAGE = 4096, FAKE_ADDRESS = 0x7000, FAKE_REGISTERS = 7, FAKE_DATA2 = 3, FAKE_DATA3 = 4, FAKE_LINEAR = 5 };

static char *put(char *at, const void *from, size_t bytes)
{
    memcpy(at, from, bytes);
    return at + bytes;
}

// The order of the fields is the kernel's. Samples with others than these are not written.
static void fake_sample(int fd, uint64_t type)
{
    const uint64_t known = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT |
                           PERF_SAMPLE_DATA_SRC;
    const char *told = getenv("FAKE_PMU_SAMPLES");
    const bool in_registers = told && strcmp(told, "registers") == 0;
    if ((type & known) != type || !(type & PERF_SAMPLE_ADDR) || (told && strcmp(told, "none") == 0))
        return;
    char record[256] = {0}, *at = record + sizeof(struct perf_event_header);
    const uint64_t ip = 1, address = in_registers ? 0 : FAKE_ADDRESS, weight = 100;
    const uint32_t task[2] = {(uint32_t)getpid(), (uint32_t)getpid()};
    const union perf_mem_data_src source = {.mem_op = in_registers ? PERF_MEM_OP_NA : PERF_MEM_OP_LOAD};
    // Capabilities, then a load that missed all caches of its core, with its address.
    const uint64_t registers[FAKE_REGISTERS] = {
        [FAKE_DATA2] = 3, [FAKE_DATA3] = 0x120081, [FAKE_LINEAR] = FAKE_ADDRESS};
    const uint32_t raw_bytes = sizeof(uint32_t) + sizeof registers, capabilities = 0x3ff;
    at = put(at, &ip, sizeof ip);
    at = put(at, task, sizeof task);
    at = put(at, &address, sizeof address);
    if (type & PERF_SAMPLE_RAW) {
        at = put(at, &raw_bytes, sizeof raw_bytes);
        at = put(at, &capabilities, sizeof capabilities);
        at = put(at, registers, sizeof registers);
    }
    at = put(at, &weight, sizeof weight);
    at = put(at, &source.val, sizeof source.val);
    const struct perf_event_header header = {
        .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = (uint16_t)(at - record)};
    memcpy(record, &header, sizeof header);
    const struct perf_event_mmap_page control = {
        .data_head = header.size, .data_offset = FAKE_PAGE, .data_size = FAKE_PAGE};
    if (pwrite(fd, &control, sizeof control, 0) < 0 || pwrite(fd, record, header.size, FAKE_PAGE) < 0)
        abort();
}

static int fake_event(const struct perf_event_attr *attr)
{
    int fd = memfd_create("event", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, 64 << 20) < 0)
        return -1;
    if (fd >= 0 && attr->sample_period)
        fake_sample(fd, attr->sample_type);
    return fd;
}

long syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    const struct perf_event_attr *attr = (const struct perf_event_attr *)a[0];
    if (number == SYS_perf_event_open && attr && attr->type != PERF_TYPE_SOFTWARE) {
        if (!refuses(attr))
            return fake_event(attr);
        errno = atoi(getenv("FAKE_PMU_ERRNO"));
        return -1;
    }
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
