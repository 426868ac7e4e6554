// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/import.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/process/large_stack.h"
#include "core/process/shrunk_file.h"
#include "core/text/diag.h"
#include "profiler/import/import_modules.h"
#include "profiler/import/perf_data/perf_expand.h"
#include "profiler/output/output_name.h"
#include "profiler/symbols/names.h"

// The command whose text tells most; perf of Linux 6.1 wants each plus sign.
#define IMPORT_SCRIPT "perf script --ns --header -I --show-mmap-events --show-task-events --show-lost-events " \
                      "-F +pid,+addr,+data_src,+weight,+phys_addr"

// --- names

static void import_see(void *context, const struct perf_mmap *mmap, const char *path)
{
    struct import *import = context;
    if (mmap->build_id)
        program_files_expect(import->walk.files, path, mmap->build_id, mmap->build_id_bytes);
    else
        import->unproven += import->file.is_text;
}

// --- opening

// What people take for a perf.data file.
static void import_refuse_other(const struct perf_file *file, const char *name)
{
    static const struct {
        const char *magic;
        size_t bytes;
        const char *what, *remedy;
    } others[] = {
        {"\x1f\x8b", 2, "is compressed by gzip", "gzip -dc FILE | numaprof import -"},
        {"\xfd" "7zXZ", 5, "is compressed by xz", "xz -dc FILE | numaprof import -"},
        {"\x28\xb5\x2f\xfd", 4, "is compressed by zstd", "zstd -dc FILE | numaprof import -"},
        {"SQLite format 3", 15, "is not a perf.data file", "if it is a recording: numaprof report FILE"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (file->size >= others[i].bytes && memcmp(file->bytes, others[i].magic, others[i].bytes) == 0) {
            diag_error(others[i].remedy, "%s %s", name, others[i].what);
            return;
        }
    if (perf_file_is_text(file))
        diag_error("give the perf.data that it was made from, or the text of: " IMPORT_SCRIPT,
                   "%s is text, but not what perf script writes of samples", name);
    else
        diag_error("give a file that perf record wrote", "%s is not a perf.data file", name);
}

static int import_refuse(const struct import *import, int error)
{
    char clean[512];
    const char *input = import->request->input, *name = *input ? diag_clean(clean, sizeof clean, input) : "''";
    switch (error) {
    case -EINVAL:
        import_refuse_other(&import->file, name);
        break;
    case -EBADMSG:
        diag_error("record again, or copy the file again", "%s is damaged: its parts contradict each other", name);
        break;
    case -ENOTSUP:
        diag_error("record again with a perf of Linux 3.0 or later", "%s is of a version that perf itself gave up",
                   name);
        break;
    case -E2BIG:
        diag_error("record with fewer events", "%s has more than %d events", name, PERF_FILE_EVENTS);
        break;
    case -ELIBACC:
        diag_error("install libzstd (Debian: libzstd1) and use the dynamic numaprof, or record without -z",
                   "%s is compressed, and libzstd.so.1 cannot be loaded", name);
        break;
    case -EOVERFLOW:
        diag_error("record again", "%s is damaged: it expands to more than a thousand times its size", name);
        break;
    case -ENODATA:
        diag_error("copy the recorded machine's /sys/devices/system there", "no CPU is to be found below %s",
                   diag_clean(clean, sizeof clean, import->request->sysroot));
        break;
    case -EXDEV:
        diag_error("give the folder of the machine that was recorded", "--sysroot: %s is of another machine", name);
        break;
    case -ENOENT:
        diag_error("give the file that perf record wrote",
                   import->file.is_folder ? "%s is a folder that perf record did not write" : "there is no file %s",
                   name);
        break;
    case -ELOOP:
        diag_error("give the file itself", "%s is a link that leads to no file", name);
        break;
    case -ENOSPC:
    case -EDQUOT:
    case -EFBIG:
    case -ENOMEM:
        diag_error(output_name_remedy(error), "cannot read %s: %s", name, strerror(-error));
        break;
    default:
        diag_error("see what is there with ls -l", "cannot read %s: %s", name, strerror(-error));
    }
    return DIAG_EXIT_FAILED;
}

static int import_open(struct import *import)
{
    int status = stack_walk_open(&import->walk);
    import->variables = status == 0 ? variables_open(import->walk.files) : NULL;
    if (!import->variables)
        return -ENOMEM;
    program_files_of_elsewhere(import->walk.files, import->request->symfs ? import->request->symfs : "");
    import->known = (struct import_tasks){.tasks = &import->tasks, .see = import_see, .context = import};
    import->reader = (struct import_samples){
        .tasks = &import->known,
        .samples = &import->samples,
        .objects = &import->objects,
        .walk = &import->walk,
        .file = &import->file,
        .topology = &import->machine.topology,
        .page_faults = &import->page_faults,
    };
    import->page_faults.samples = &import->samples;
    import->counts = (struct import_counts){.tasks = &import->known, .file = &import->file};
    status = perf_file_open(&import->file, import->request->input);
    import->file.is_text = status == -EINVAL && perf_text_is_one(&import->file);
    if (import->file.is_text)
        return 0;
    return status < 0 ? status : perf_expand(&import->file, import->request->input);
}

static void import_close(struct import *import)
{
    import_tasks_free(&import->known);
    perf_order_free(&import->order);
    import_faults_free(&import->page_faults);
    import_counts_free(&import->counts);
    objects_free(&import->objects);
    variables_close(import->variables);
    stack_walk_close(&import->walk);
    tasks_free(&import->tasks);
    machine_close(&import->machine);
    event_catalogue_free(import->catalogue);
    perf_file_close(&import->file);
    free(import);
}

static void import_output(const struct import_request *request, char *path, size_t size)
{
    const char *name = strcmp(request->input, "-") == 0 ? "perf.data" : request->input;
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && name[start - 1] != '/')
        start--;
    if (request->output)
        snprintf(path, size, "%s", request->output);
    else
        snprintf(path, size, "%.*s.numaprof", (int)(length - start), name + start);
}

// --- the whole

// Counts of perf stat of which none can be used.
static void import_refuse_counts(const struct import *import, const char *name)
{
    char others[512], clean[512];
    if (!*import->machine.topology.cpu.vendor)
        diag_error("import a file, not a pipe, or give --sysroot / on the recorded machine",
                   "%s does not tell on which CPU model perf stat counted", name);
    else if (!import->counts.cpu)
        diag_error("numaprof events --list names the CPU models that are known",
                   "%s has counts of a CPU model whose events the event catalogue does not know", name);
    else if (import->counts.known_events > 0)
        diag_error("if perf stat prints <not supported>, see numaprof doctor; if <not counted>, run for longer",
                   "%s has no counts: the events of local and remote accesses were never counted", name);
    else {
        import_counts_others(&import->counts, others, sizeof others);
        diag_error("count local and remote DRAM; docs/recording-with-perf.md has the events",
                   "%s counts no event that the event catalogue knows on this CPU: %s", name,
                   diag_clean(clean, sizeof clean, others));
    }
}

static int import_refuse_empty(const struct import *import)
{
    char clean[512];
    const struct import_samples *reader = &import->reader;
    const char *name = diag_clean(clean, sizeof clean, import->request->input);
    if (reader->kernel_addresses > 0)
        diag_error("record the program's own accesses: perf mem record, without :k",
                   "%s holds accesses to the kernel's memory only", name);
    else if (reader->no_memory > 0 && import->file.is_text)
        diag_error("write the text with: " IMPORT_SCRIPT, 
                   "%s has no memory samples: none of its %llu lines tells an address", name,
                   (unsigned long long)reader->no_memory);
    else if (reader->no_memory > 0)
        diag_error("record with perf mem record, or perf record -e page-faults -d;"
                   " docs/recording-with-perf.md has the lines",
                   "%s has no memory samples: none of its %llu samples tells an address", name,
                   (unsigned long long)reader->no_memory);
    else if (import->counts.records > 0)
        import_refuse_counts(import, name);
    else
        diag_error("record with perf mem record; docs/recording-with-perf.md has the lines", "%s has no samples%s",
                   name, import->file.is_cut ? ", and its end is missing" : "");
    return DIAG_EXIT_FAILED;
}

static void import_tell(const struct import *import, const char *path)
{
    char clean[PATH_MAX];
    const struct import_samples *reader = &import->reader;
    if (import->file.is_cut)
        diag_warn(import->file.is_text ? "write the text again" : "let perf end by itself or by Ctrl-C",
                  "%s is cut off: the recording holds what comes before",
                  diag_clean(clean, sizeof clean, import->request->input));
    if (reader->with_cpu == 0 && reader->taken > 0)
        diag_warn("perf record --sample-cpu", "no CPU in the samples: who accessed from where is unknown");
    const bool counted = import->counts.rows > 0;
    if (!import->request->quiet)
        diag_info("imported %llu %s to %s; read it with: numaprof report %s",
                  (unsigned long long)(counted ? import->counts.rows : reader->taken), counted ? "counts" : "samples",
                  diag_clean(clean, sizeof clean, path), clean);
}

static int import_finish(struct import *import, const char *path)
{
    char clean[512];
    import_rows_write(import);
    samples_write_sums(&import->samples);
    if (!names_write(&(struct names_request){
            .tasks = &import->tasks,
            .stacks = &import->walk.stacks,
            .files = import->walk.files,
            .objects = &import->objects,
            .since = INT64_MAX, // a perf-PID.map on this machine is of another process
            .quiet = import->request->quiet}))
        diag_warn("ulimit -v unlimited", NAMES_MISSING);
    import_rows_write_missing(import);
    RECORD(import->tasks.queue, RECORDING_COMPLETE);
    int status = recording_queue_stop(import->tasks.queue);
    import->tasks.queue = NULL;
    if (status == 0)
        return 0;
    diag_error(output_name_remedy(status), "writing %s failed: %s", diag_clean(clean, sizeof clean, path),
               strerror(-status));
    return DIAG_EXIT_FAILED;
}

// Removes a recording that holds nothing, or a part: import can be repeated, unlike a run.
static int import_drop(struct import *import, const char *path)
{
    if (import->tasks.queue)
        recording_queue_stop(import->tasks.queue);
    import->tasks.queue = NULL;
    unlink(path);
    return DIAG_EXIT_FAILED;
}

static int import_convert(struct import *import)
{
    char path[PATH_MAX];
    import_output(import->request, path, sizeof path);
    int status = output_name_create(&import->tasks.queue, path);
    if (status != 0)
        return status;
    import->walk.stacks.queue = import->tasks.queue;
    import->samples = (struct samples){.queue = import->tasks.queue, .stacks = &import->walk.stacks};
    import->objects = (struct objects){.queue = import->tasks.queue, .tasks = &import->tasks,
                                       .find_variable = variables_find, .context = import->variables};
    int error = import_records_read(import);
    if (error < 0) {
        import_refuse(import, error);
        return import_drop(import, path);
    }
    if (import->reader.taken == 0 && import->counts.rows == 0) {
        import_refuse_empty(import);
        return import_drop(import, path);
    }
    if (import_finish(import, path) != 0)
        return import_drop(import, path);
    import_tell(import, path);
    return 0;
}

struct import_work {
    const struct import_request *request;
    int status;
};

static void import_work_do(void *context)
{
    struct import_work *work = context;
    struct import *import = calloc(1, sizeof *import);
    if (!import) {
        diag_error(output_name_remedy(-ENOMEM), "out of memory");
        return;
    }
    import->request = work->request;
    int error = import_open(import);
    work->status = error < 0 ? import_refuse(import, error) : import_convert(import);
    import_close(import);
}

// A record is copied to the stack, and may have 64 KiB.
int import_run(const struct import_request *request)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct import_work work = {.request = request, .status = DIAG_EXIT_FAILED};
    sigaction(SIGXFSZ, &ignore, NULL); // a limit for files is to fail a write, not to kill us
    shrunk_file_tolerate();
    large_stack_run(import_work_do, &work);
    return work.status;
}
