// SPDX-License-Identifier: Apache-2.0
// The session's page-fault events: one source for each CPU, which also tell of mappings, forks, names and ends.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/sysfile.h"
#include "profiler/recorder/session.h"

enum {
    FAULTS_RINGS_BYTES = 32 << 20,    // of all CPUs together ...
    FAULTS_RINGS_MOST_PAGES = 1024,   // ... but not more than this for one
    FAULTS_RINGS_LEAST_PAGES = 16,
    FAULTS_EVENT = 1,                // its id in the recording; those of the counters follow
};

void session_close_faults(struct session *session)
{
    for (size_t i = 0; i < session->fault_source_count; i++)
        faults_close(&session->fault_sources[i]);
    free(session->fault_sources);
    session->fault_sources = NULL;
    session->fault_source_count = 0;
}

// A power of two, as the kernel wants it.
static size_t faults_ring_pages(const struct session *session)
{
    size_t pages = FAULTS_RINGS_MOST_PAGES;
    while (pages > FAULTS_RINGS_LEAST_PAGES &&
           pages * session->faults.page_bytes * session->topology.cpu_count > FAULTS_RINGS_BYTES)
        pages /= 2;
    return pages;
}

static int faults_open_sources(struct session *session, size_t ring_pages)
{
    session->fault_sources = calloc(session->topology.cpu_count, sizeof *session->fault_sources);
    if (!session->fault_sources)
        return -ENOMEM;
    for (size_t i = 0; i < session->topology.cpu_count; i++) {
        const struct topology_cpu *cpu = &session->topology.cpus[i];
        if (!cpu->online)
            continue;
        struct faults_source *source = &session->fault_sources[session->fault_source_count];
        int status = faults_open(&session->faults, source, session->pid, cpu->id, true, ring_pages);
        if (status < 0)
            return status;
        session->fault_source_count++;
        source->stream.handle = session_fault_record;
        source->stream.owner = session;
        status = session_add_stream(session, &source->stream);
        if (status < 0)
            return status;
    }
    return 0;
}

// Without privilege locked memory is a common allowance for the rings of all CPUs: all of them are of one size, or the
// first would take what the last needs.
static int faults_open_equal(struct session *session)
{
    size_t pages = faults_ring_pages(session);
    int status = faults_open_sources(session, pages);
    while (status == -ENOBUFS && (pages /= 2) >= FAULTS_RING_LEAST_PAGES) {
        session_close_faults(session);
        session->stream_count = 0;
        status = faults_open_sources(session, pages);
    }
    return status;
}

void session_open_faults(struct session *session)
{
    char huge[64] = "";
    int64_t balancing = 0;
    sysfile_text("", huge, sizeof huge, "/sys/kernel/mm/transparent_hugepage/enabled");
    sysfile_number("", &balancing, "/proc/sys/kernel/numa_balancing");
    session->faults.queue = session->queue;
    session->faults.event = FAULTS_EVENT;
    session->faults.tasks = &session->tasks;
    session->faults.samples = &session->samples;
    session->faults.objects = &session->objects;
    session->faults.tells_mapped = true;
    session->faults.balancing = balancing > 0;
    session->faults.huge_pages = *huge && !strstr(huge, "[never]");
    session->faults.sources = (int)session->topology.cpu_count;
    session->faults.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    session->faults_error = session->options->no_faults ? -ECANCELED : faults_prepare(&session->faults);
    if (session->faults_error == 0)
        session->faults_error = faults_open_equal(session);
    if (session->faults_error < 0) {
        session_close_faults(session);
        session->stream_count = 0;
    }
}
