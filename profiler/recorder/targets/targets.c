// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/targets/targets.h"

#include "collectors/processes/thread_time.h"

void targets_classify(const struct targets *targets, struct process *ending)
{
    faults_classify(targets->faults, ending);
    loads_classify(&targets->sets->loads);
}

void targets_fork(const struct targets *targets, const struct perf_task *task, uint64_t time)
{
    struct tasks *tasks = targets->tasks;
    struct process *parent = tasks_process(tasks, (pid_t)task->parent_pid);
    struct process *process = tasks_process(tasks, (pid_t)task->pid);
    struct thread *thread = NULL;
    if (!process && parent) {
        targets_classify(targets, NULL); // what the parent touched before is shared from here on
        process = tasks_add_process(tasks, (pid_t)task->pid, parent, time, "inherited");
        if (process)
            objects_inherit(&targets->allocations->objects, process, parent);
    }
    if (process)
        thread = tasks_add_thread(tasks, process, (pid_t)task->tid, time, true,
                                  tasks_thread(tasks, (pid_t)task->parent_tid)); // the kernel reports every new name
    if (thread && targets->counts_at_fork) {
        tasks_mark_late(tasks, thread);
        counter_sets_count(targets->sets, thread);
    } else if (thread && process == parent) {
        outside_threads_began(&targets->outside, process, thread);
    } else if (thread && parent && programs_is_outside(parent)) {
        outside_threads_child(&targets->outside, parent, thread);
    }
}

void targets_exec(const struct targets *targets, struct thread *thread)
{
    struct process *process = thread->process;
    outside_threads_release(&targets->outside, thread);
    targets_classify(targets, process);
    if (targets->pages)
        pages_forget(targets->pages, process);
    objects_forget_unnamed(&targets->allocations->objects, process);
    allocations_close_ring(targets->allocations, process);
    programs_ended(&targets->programs, process);
    tasks_exec(targets->tasks, process);
    if (!targets->counts_at_fork) // else no program is to load the library
        programs_executed(&targets->programs, process);
    outside_threads_follow(process, thread);
}

void targets_recover(const struct targets *targets, struct process *process)
{
    struct tasks *tasks = targets->tasks;
    struct thread *thread = tasks_thread(tasks, process->pid);
    if (!thread || process->lost == tasks->lost)
        return;
    process->lost = tasks->lost;
    if (tasks_runs_another(tasks, process)) {
        targets_exec(targets, thread);
        tasks_read_name(tasks, thread);
    }
    address_space_read(&process->space, &tasks->paths, process->shown);
}

void targets_end_thread(const struct targets *targets, struct thread *thread, uint64_t time)
{
    struct process *process = thread->process;
    if (process->threads == 1) {
        targets_classify(targets, process);
        if (targets->pages)
            pages_ended(targets->pages, process);
        allocations_close_ring(targets->allocations, process);
        programs_ended(&targets->programs, process);
    }
    thread_time_end(thread);
    counter_sets_end(targets->sets, thread, time);
    if (thread->pin == CHANNEL_PIN_PLANNED && !thread->left_slot && targets->channel)
        channel_server_free_slot(targets->channel, thread->planned_cpu); // it was killed
    tasks_end_thread(targets->tasks, thread, time);
}

void targets_end_process(const struct targets *targets, const struct process *process, uint64_t time)
{
    uint64_t tid, value;
    int left = process->threads; // process is freed with the last one
    for (size_t at = 0; left > 0 && table_next(&targets->tasks->threads, &at, &tid, &value);) {
        struct thread *thread = (struct thread *)(uintptr_t)value;
        if (thread->process != process)
            continue;
        targets_end_thread(targets, thread, time);
        left--;
        at = 0; // the table has changed
    }
}
