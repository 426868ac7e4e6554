// SPDX-License-Identifier: Apache-2.0
// Reads the records of a perf.data file, puts them in order, and hands each to the module that it concerns.
#include <errno.h>
#include <string.h>

#include "profiler/import/import_modules.h"

enum { IMPORT_RECORDS_FORGET = 32 << 20 }; // bytes that are read before their memory is given back

// Reads the description of the machine once. In pipe mode records describe it, before the first sample.
static void import_records_know_machine(struct import *import)
{
    if (import->knows_machine)
        return;
    import->knows_machine = true;
    import->error = import_machine_read(&import->machine, &import->file.features, import->request->sysroot);
    if (*import->machine.topology.cpu.vendor)
        import->counts.cpu = import_events_identify(&import->file, &import->catalogue, &import->machine.topology.cpu);
    import->counts.catalogue = import->catalogue;
    import->page_faults.has_huge_pages = import_machine_has_huge_pages(&import->file.features);
    import->reader.unwinds = import_machine_is_ours(&import->file.features);
}

// The first record with a time begins the run. Records at the head of the file have no time.
static void import_records_begin(struct import *import, uint64_t time)
{
    const uint64_t told = import->file.features.first_time;
    if (import->has_begun || time == 0)
        return;
    import->has_begun = true;
    import->tasks.epoch = told != 0 && told <= time ? told : time;
}

static void import_records_handle(struct import *import, const struct perf_event_header *header, uint64_t time)
{
    struct perf_mmap mmap;
    struct perf_comm comm;
    struct perf_task task;
    struct perf_file_event *event;
    int status = 0;
    switch (header->type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        status = header->type == PERF_RECORD_MMAP ? perf_record_mmap(header, &mmap) : perf_record_mmap2(header, &mmap);
        if (status == 0)
            import_tasks_mmap(&import->known, &mmap);
        break;
    case PERF_RECORD_COMM:
        status = perf_record_comm(header, &comm);
        if (status == 0)
            import_tasks_comm(&import->known, &comm, time);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        status = perf_record_task(header, &task);
        if (status == 0 && header->type == PERF_RECORD_FORK)
            import_tasks_fork(&import->known, &task, time);
        else if (status == 0)
            import_tasks_exit(&import->known, &task, time);
        break;
    default:
        event = perf_file_event_of(&import->file, header);
        if (event) // events that a pipe tells later may leave it none
            import_samples_take(&import->reader, event, header);
        else
            status = -EBADMSG;
    }
    import->malformed += status < 0;
}

static void import_records_deliver(void *context, const char *at, uint64_t time)
{
    struct import *import = context;
    int status;
    const struct perf_event_header *header = perf_file_next(&import->file, &at, &import->room, &status);
    if (!header) { // the file changed since the record was found
        import->malformed++;
        return;
    }
    import_records_know_machine(import);
    import_records_begin(import, time);
    import_records_handle(import, header, time);
    import->delivered += header->size;
    if (import->delivered < IMPORT_RECORDS_FORGET)
        return;
    import->delivered = 0;
    perf_file_forget(&import->file);
}

// Whether the record must be handled in the order of times.
static bool import_records_is_ordered(uint32_t type)
{
    return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_COMM ||
           type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT || type == PERF_RECORD_SAMPLE;
}

static int import_records_order(struct import *import, const char *at, const struct perf_event_header *header)
{
    const struct perf_file_event *event = perf_file_event_of(&import->file, header);
    if (!event) {
        import->malformed++;
        return 0;
    }
    const bool has_time = header->type == PERF_RECORD_SAMPLE || event->attr.sample_id_all;
    return perf_order_add(&import->order, at, has_time ? perf_record_time(header, &event->layout) : 0);
}

// A feature section, which is a record in pipe mode.
static int import_records_take_feature(struct import *import, const struct perf_event_header *header)
{
    struct perf_bytes from = {.at = (const char *)(header + 1), .end = (const char *)header + header->size,
                              .is_swapped = import->file.is_swapped};
    const uint64_t bit = perf_bytes_u64(&from);
    if (from.is_short || bit >= PERF_FEATURES_BITS)
        return 0;
    return perf_features_take(&import->file.features, (unsigned)bit, from.at, (size_t)(from.end - from.at));
}

// struct perf_record_header_build_id: process, id in 24 bytes (its length follows the id if misc has the flag), path.
static void import_records_take_build_id(struct import *import, const char *at, size_t bytes, unsigned misc)
{
    enum { PID_BYTES = 4, ID_BYTES = 20, ID_ROOM = 24, SIZED = 1 << 15 };
    struct perf_bytes from = {.at = at, .end = at + bytes};
    perf_bytes_take(&from, PID_BYTES);
    const unsigned char *id = perf_bytes_take(&from, ID_ROOM);
    if (!id || !memchr(from.at, '\0', (size_t)(from.end - from.at)) || *from.at != '/')
        return;
    const unsigned length = misc & SIZED && id[ID_BYTES] < ID_BYTES ? id[ID_BYTES] : ID_BYTES;
    program_files_expect(import->walk.files, intern_text(&import->tasks.paths, from.at), id, length);
}

// The build ids of the file's header: records without a break.
static void import_records_take_build_ids(struct import *import)
{
    const struct perf_features *features = &import->file.features;
    const char *at = features->build_ids;
    struct perf_event_header header;
    while (at && (size_t)(features->build_ids_end - at) >= sizeof header) {
        memcpy(&header, at, sizeof header);
        if (import->file.is_swapped)
            header = (struct perf_event_header){.misc = __builtin_bswap16(header.misc),
                                                .size = __builtin_bswap16(header.size)};
        if (header.size < sizeof header || header.size > features->build_ids_end - at)
            return;
        import_records_take_build_id(import, at + sizeof header, header.size - sizeof header, header.misc);
        at += header.size;
    }
}

static int import_records_take_own(struct import *import, const struct perf_event_header *header)
{
    switch (header->type) {
    case PERF_FILE_ATTR:
        return perf_file_add_attr(&import->file, header);
    case PERF_FILE_ID_INDEX:
        return perf_file_add_index(&import->file, header);
    case PERF_FILE_FEATURE:
        return import_records_take_feature(import, header);
    case PERF_FILE_BUILD_ID:
        import_records_take_build_id(import, (const char *)(header + 1), header->size - sizeof *header, header->misc);
        return 0;
    case PERF_FILE_STAT:
        import_records_know_machine(import);
        return import_counts_take(&import->counts, header);
    case PERF_FILE_THREAD_MAP:
    case PERF_FILE_CPU_MAP:
    case PERF_FILE_STAT_CONFIG:
    case PERF_FILE_STAT_ROUND:
    case PERF_FILE_EVENT_UPDATE:
        return import_counts_take(&import->counts, header);
    case PERF_FILE_FINISHED_ROUND:
        if (!import->file.is_folder)
            perf_order_round(&import->order);
        return 0;
    default:
        import->unknown += header->type > PERF_FILE_LAST_KNOWN;
        return 0;
    }
}

// Since 6.1, perf writes a sum of each event's lost samples (LOST_SAMPLES) beside the kernel's count of records that a
// full buffer lost (LOST): the same ones, so that the larger number counts.
static void import_records_take_lost(struct import *import, const struct perf_event_header *header)
{
    uint64_t lost;
    if (perf_record_lost(header, &lost) < 0)
        return;
    *(header->type == PERF_RECORD_LOST ? &import->lost_records : &import->lost_samples) += lost;
    import->lost = import->lost_records > import->lost_samples ? import->lost_records : import->lost_samples;
}

static int import_records_take(struct import *import, const char *at, const struct perf_event_header *header)
{
    if (header->type >= PERF_FILE_OWN)
        return import_records_take_own(import, header);
    if (import_records_is_ordered(header->type))
        return import_records_order(import, at, header);
    if (header->type == PERF_RECORD_LOST || header->type == PERF_RECORD_LOST_SAMPLES)
        import_records_take_lost(import, header);
    import->throttled += header->type == PERF_RECORD_THROTTLE;
    return 0;
}

static uint64_t import_records_address(void *context, uint32_t tid, const char *path, uint64_t place)
{
    return import_tasks_address(context, tid, path, place);
}

// Lines stand in the order of their times. Each sample names its thread.
static void import_records_take_line(struct import *import, const struct perf_event_header *header)
{
    const struct perf_text *text = &import->text;
    const struct perf_comm comm = {.pid = text->pid, .tid = text->tid, .name = text->comm};
    import_records_know_machine(import);
    import_records_begin(import, text->time);
    if (header->type == PERF_RECORD_LOST || header->type == PERF_RECORD_LOST_SAMPLES) {
        import_records_take_lost(import, header);
        return;
    }
    if (header->type == PERF_RECORD_SAMPLE && *comm.name != ':') // perf makes up such a name of a number
        import_tasks_comm(&import->known, &comm, text->time);
    import_records_handle(import, header, text->time);
}

static int import_records_read_text(struct import *import)
{
    const struct perf_event_header *header;
    const char *forgotten = import->file.bytes;
    int status;
    import->text.file = &import->file;
    import->text.address_of = import_records_address;
    import->text.context = &import->known;
    while ((header = perf_text_next(&import->text, &import->room, &status))) {
        import_records_take_line(import, header);
        if (import->text.at - forgotten < IMPORT_RECORDS_FORGET)
            continue;
        forgotten = import->text.at;
        perf_file_forget(&import->file);
    }
    import->malformed += import->text.unread;
    return status;
}

static int import_records_read_data(struct import *import)
{
    const char *at = import->file.records;
    int status = 0;
    import->order = (struct perf_order){.deliver = import_records_deliver, .context = import};
    import_records_take_build_ids(import);
    for (;;) {
        const char *here = at;
        int damage;
        const struct perf_event_header *header = perf_file_next(&import->file, &at, &import->room, &damage);
        import->file.is_cut |= damage < 0;
        if (!header)
            break;
        status = import_records_take(import, here, header);
        if (status < 0 && status != -EBADMSG)
            break;
        import->malformed += status < 0;
        status = 0;
    }
    perf_order_finish(&import->order);
    return status;
}

int import_records_read(struct import *import)
{
    const int status = import->file.is_text ? import_records_read_text(import) : import_records_read_data(import);
    import->file.is_cut |= perf_file_has_shrunk(&import->file);
    import->page_faults.has_huge_pages &= import->lost == 0; // a lone fault may be one of 512 that were lost
    import_faults_finish(&import->page_faults);
    import_counts_finish(&import->counts);
    import_records_know_machine(import);
    return status < 0 ? status : import->error;
}
