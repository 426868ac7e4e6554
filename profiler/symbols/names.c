// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/names.h"

#include "core/process/large_stack.h"
#include "profiler/symbols/files/code_files.h"
#include "profiler/symbols/object_declarations.h"
#include "profiler/symbols/symbols.h"

static void names_write_here(void *context)
{
    const struct names_request *request = context;
    struct recording_queue *queue = request->tasks->queue;
    struct progress progress;
    int64_t next_place;
    progress_begin(&progress, request->quiet ? NULL : "looking up functions and lines");
    symbols_resolve(&(struct symbols_request){.stacks = request->stacks,
                                              .programs = &request->tasks->programs,
                                              .files = request->files,
                                              .since = request->since,
                                              .queue = queue,
                                              .progress = &progress,
                                              .next_place = &next_place});
    object_declarations_resolve(&(struct object_declarations_request){.objects = request->objects,
                                                                      .files = request->files,
                                                                      .programs = &request->tasks->programs,
                                                                      .queue = queue,
                                                                      .next_place = next_place,
                                                                      .next_stack = request->stacks->stack_count + 1});
    code_files_write(request->files, queue);
    progress_end(&progress);
}

bool names_write(const struct names_request *request)
{
    struct names_request here = *request;
    return large_stack_run(names_write_here, &here);
}
