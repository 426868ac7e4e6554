// SPDX-License-Identifier: Apache-2.0
// Perf events that need no knowledge of the CPU's model.
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectors/perf/perf_event.h"
#include "collectors/perf/perf_record.h"
#include "profiler/doctor/doctor.h"

void doctor_perf_pmu(const struct doctor *d, struct doctor_finding *f)
{
    if (d->perf.pmu[0])
        doctor_find(f, DOCTOR_YES, "%s", d->perf.pmu);
    else
        doctor_refused(f, "none in /sys/bus/event_source/devices", ENOENT, perf_explain(ENOENT, &d->perf));
}

void doctor_perf_hardware(const struct doctor *d, struct doctor_finding *f)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1, .exclude_hv = 1};
    int fd = doctor_open(d, f, "cycles", &attr, doctor_this_thread);
    if (fd >= 0) {
        close(fd);
        doctor_find(f, DOCTOR_YES, "cycles can be counted");
    } else if (!d->perf.pmu[0] && (fd == -ENOENT || fd == -EAGAIN)) {
        doctor_no_pmu(f);
    }
}

// Touches a new page and looks for the sample of it. 1 seen, 0 not seen, -errno: no ring, no page.
static int doctor_perf_sees_touch(int fd, const struct perf_layout *layout)
{
    struct perf_ring ring = {0};
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    int status = perf_ring_map(&ring, fd, 1);
    if (status < 0)
        goto done;
    perf_event_enable(fd);
    *page = 1;
    perf_event_disable(fd);
    perf_ring_refresh(&ring);
    status = 0;
    for (const struct perf_event_header *header; (header = perf_ring_front(&ring)); perf_ring_skip(&ring)) {
        struct perf_sample sample;
        if (header->type == PERF_RECORD_SAMPLE && perf_record_sample(header, layout, &sample) == 0 &&
            sample.address == (uint64_t)(uintptr_t)page)
            status = 1;
    }
done:
    perf_ring_unmap(&ring);
    munmap((void *)page, bytes);
    return status;
}

static void doctor_perf_faults_with(const struct doctor *d, struct doctor_finding *f, bool exclude_kernel)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1, .disabled = 1,
        .sample_type = PERF_SAMPLE_ADDR, .exclude_kernel = exclude_kernel, .exclude_hv = 1,
    };
    int fd = doctor_open(d, f, "page-faults", &attr, doctor_this_thread);
    if (fd < 0)
        return;
    int seen = doctor_perf_sees_touch(fd, &(struct perf_layout){.sample_type = attr.sample_type});
    close(fd);
    if (seen < 0)
        doctor_refused(f, "the ring of page-faults", seen, perf_explain_map(seen, &d->perf));
    else if (seen == 0)
        doctor_find(f, DOCTOR_NO, "the event opens, but a first touch did not show");
    else
        doctor_find(f, DOCTOR_YES, "first touches show with address, of user and kernel mode");
}

void doctor_perf_faults(const struct doctor *d, struct doctor_finding *f)
{
    doctor_perf_faults_with(d, f, false);
    if (f->state == DOCTOR_YES || !d->live)
        return;
    struct doctor_finding user = {0};
    doctor_perf_faults_with(d, &user, true);
    if (user.state != DOCTOR_YES)
        return; // the first answer says why
    doctor_find(f, DOCTOR_PART, "first touches show with address, of user mode only: not those inside system calls");
}
