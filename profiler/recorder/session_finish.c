// SPDX-License-Identifier: Apache-2.0
// The end of a run: what is left is taken, what waited for the end is looked up, and the recording is closed.
#include "core/system/clock.h"
#include "profiler/launch/placing.h"
#include "profiler/recorder/session.h"
#include "profiler/symbols/object_declarations.h"
#include "profiler/symbols/symbols.h"

static void session_resolve(struct session *session)
{
    struct progress progress;
    int64_t next_place;
    const struct symbols_request request = {.stacks = &session->stacks, .programs = &session->tasks.programs,
                                            .files = session->files, .since = session->started,
                                            .queue = session->queue, .progress = &progress,
                                            .next_place = &next_place};
    progress_begin(&progress, session->options->quiet ? NULL : "looking up functions and lines");
    symbols_resolve(&request);
    const struct object_declarations_request declared = {.objects = &session->objects,
                                                         .files = session->files,
                                                         .programs = &session->tasks.programs,
                                                         .queue = session->queue,
                                                         .next_place = next_place,
                                                         .next_stack = session->stacks.stack_count + 1};
    object_declarations_resolve(&declared);
    progress_end(&progress);
    const uint64_t stale = program_files_stale(session->files);
    if (stale > 0)
        session_note(session, "replaced", (int64_t)stale, "do not rebuild what is being recorded",
                     "%llu %s changed while the program ran: what stood in %s is not known", (unsigned long long)stale,
                     stale == 1 ? "file was" : "files were", stale == 1 ? "it" : "them");
}

// Where the kernel's records of it were lost.
static void session_end_target(struct session *session, uint64_t end)
{
    const struct process *target = tasks_process(&session->tasks, session->pid);
    uint64_t tid, value;
    for (size_t at = 0; target && table_next(&session->tasks.threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (thread->process != target)
            continue;
        session_end_thread(session, thread, end);
        target = tasks_process(&session->tasks, session->pid);
        at = 0; // the table has changed
    }
}

int session_finish(struct session *session, const int *wait_status, uint64_t end)
{
    session_messages(session);
    session_drain_until(session, UINT64_MAX);
    session->faults.hurry = true;
    session_settle(session, NULL);
    pages_stop(&session->pages);
    session_read_counters(session, clock_now());
    if (wait_status)
        session_end_target(session, end);
    session_close_ended(session);
    session_write_end(session, wait_status, end);
    session_write_evidence(session);
    session_close_all_blocks(session);
    session_note_blocks(session);
    session_write_losses(session);
    if (session->options->placing)
        placing_record(session->options->placing, session->queue);
    samples_write_sums(&session->samples);
    tasks_end_all(&session->tasks);
    session_resolve(session);
    RECORD(session->queue, RECORDING_COMPLETE);
    int status = recording_queue_stop(session->queue);
    session->queue = NULL;
    return status;
}
