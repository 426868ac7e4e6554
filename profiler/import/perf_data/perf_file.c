// SPDX-License-Identifier: Apache-2.0
#include "profiler/import/perf_data/perf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/util/grow.h"
#include "profiler/import/perf_data/perf_swap.h"

static const char perf_file_magic[] = "PERFILE2", perf_file_magic_swapped[] = "2ELIFREP";
static const char perf_file_first[] = "PERFFILE"; // magic of the first version

enum {
    PERF_FILE_MAGIC_BYTES = 8,
    PERF_FILE_PIPE_BYTES = 16,       // struct perf_pipe_file_header
    PERF_FILE_HEADER_BYTES = 104,    // struct perf_file_header
    PERF_FILE_SECTION_BYTES = 16,
};

struct perf_file_section {
    const char *at;
    size_t bytes;
};

// --- the bytes

// A pipe cannot be mapped: copies its bytes to a file without a name. Returns a descriptor or -errno.
static int perf_file_spool(int from)
{
    enum { CHUNK = 1 << 16 };
    FILE *to = tmpfile();
    char *chunk = malloc(CHUNK);
    ssize_t n = -1;
    int fd = -1;
    errno = chunk && to ? 0 : ENOMEM;
    while (chunk && to && (n = read(from, chunk, CHUNK)) > 0)
        if (fwrite(chunk, 1, (size_t)n, to) != (size_t)n)
            break;
    int error = errno;
    if (n == 0 && fflush(to) == 0)
        fd = fcntl(fileno(to), F_DUPFD_CLOEXEC, 0);
    error = fd < 0 && error == 0 ? errno : error;
    free(chunk);
    if (to)
        fclose(to);
    return fd >= 0 ? fd : error ? -error : -EIO;
}

static int perf_file_descriptor(const char *path)
{
    struct stat status = {0};
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
    if (fd < 0 && stat(path, &status) == 0) // a pipe's writer is waited for
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (S_ISREG(status.st_mode) ? O_NONBLOCK : 0));
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) < 0) {
        const int error = errno;
        close(fd);
        return -error;
    }
    if (S_ISREG(status.st_mode))
        return fd;
    int spooled = S_ISDIR(status.st_mode) ? -EISDIR : perf_file_spool(fd);
    close(fd);
    return spooled;
}

int perf_file_map(struct perf_file *file, const char *path)
{
    struct stat status;
    int fd = perf_file_descriptor(path), error = 0;
    if (fd < 0)
        return fd;
    if (fstat(fd, &status) < 0)
        error = -errno;
    else if (status.st_size < PERF_FILE_PIPE_BYTES)
        error = -EINVAL;
    void *bytes = error == 0 ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (error == 0 && bytes == MAP_FAILED)
        error = -errno;
    if (error < 0) {
        close(fd);
        return error;
    }
    file->fd = fd;
    file->bytes = bytes;
    file->size = (size_t)status.st_size;
    madvise(bytes, file->size, MADV_SEQUENTIAL);
    return 0;
}

void perf_file_unmap(struct perf_file *file)
{
    if (!file->bytes)
        return;
    munmap((void *)(uintptr_t)file->bytes, file->size);
    close(file->fd);
    file->bytes = NULL;
}

bool perf_file_has_shrunk(const struct perf_file *file)
{
    struct stat status;
    return fstat(file->fd, &status) < 0 || (uint64_t)status.st_size < file->size;
}

void perf_file_forget(const struct perf_file *file)
{
    madvise((void *)(uintptr_t)file->bytes, file->size, MADV_DONTNEED); // clean pages of a file: they can be read again
    if (file->expanded)
        madvise((void *)(uintptr_t)file->expanded, file->expanded_size, MADV_DONTNEED);
}

// --- sections

static struct perf_bytes perf_file_bytes(const struct perf_file *file, const char *at, size_t bytes)
{
    return (struct perf_bytes){.at = at, .end = at + bytes, .is_swapped = file->is_swapped};
}

// A section (offset, length), cut to the bytes of the file.
static struct perf_file_section perf_file_section(struct perf_file *file, struct perf_bytes *from)
{
    const uint64_t offset = perf_bytes_u64(from), bytes = perf_bytes_u64(from);
    if (offset > file->size || bytes > file->size - offset) {
        file->is_cut = true;
        const size_t begin = offset < file->size ? (size_t)offset : file->size;
        return (struct perf_file_section){.at = file->bytes + begin, .bytes = file->size - begin};
    }
    return (struct perf_file_section){.at = file->bytes + offset, .bytes = (size_t)bytes};
}

// --- events

static void perf_file_swap_attr(struct perf_event_attr *attr)
{
    uint32_t *const halves[] = {&attr->type, &attr->size, &attr->wakeup_events, &attr->bp_type,
                                &attr->sample_stack_user};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        *halves[i] = __builtin_bswap32(*halves[i]);
    attr->config = __builtin_bswap64(attr->config);
    attr->sample_period = __builtin_bswap64(attr->sample_period);
    attr->sample_type = __builtin_bswap64(attr->sample_type);
    attr->read_format = __builtin_bswap64(attr->read_format);
    attr->config1 = __builtin_bswap64(attr->config1);
    attr->config2 = __builtin_bswap64(attr->config2);
    attr->branch_sample_type = __builtin_bswap64(attr->branch_sample_type);
    attr->sample_regs_user = __builtin_bswap64(attr->sample_regs_user);
    attr->sample_regs_intr = __builtin_bswap64(attr->sample_regs_intr);
    // The one-bit flags: each byte's bits stand in the other order (perf's swap_bitfield).
    unsigned char *flags = (unsigned char *)&attr->read_format + sizeof attr->read_format;
    for (size_t i = 0; i < sizeof(uint64_t); i++)
        flags[i] = (unsigned char)((flags[i] * UINT64_C(0x0202020202) & UINT64_C(0x010884422010)) % 1023);
}

static int perf_file_add_event(struct perf_file *file, const char *at, size_t bytes, struct perf_file_section ids)
{
    struct perf_event_attr attr = {0};
    if (bytes < PERF_ATTR_SIZE_VER0)
        return -EBADMSG;
    if (file->event_count == PERF_FILE_EVENTS)
        return -E2BIG;
    memcpy(&attr, at, bytes < sizeof attr ? bytes : sizeof attr);
    if (file->is_swapped)
        perf_file_swap_attr(&attr);
    struct perf_file_event *events = grow_array(file->events, &file->event_size, file->event_count + 1, sizeof *events);
    if (!events)
        return -ENOMEM;
    file->events = events;
    events[file->event_count] = (struct perf_file_event){
        .attr = attr,
        .layout = {.sample_type = attr.sample_type,
                   .regs_user = attr.sample_regs_user,
                   .regs_intr = attr.sample_regs_intr,
                   .read_format = attr.read_format,
                   .branches = attr.branch_sample_type},
    };
    struct perf_bytes from = perf_file_bytes(file, ids.at, ids.bytes);
    for (uint64_t place = 0; from.end - from.at >= (ptrdiff_t)sizeof(uint64_t); place++) {
        const uint64_t id = perf_bytes_u64(&from);
        if (table_put(&file->event_of_id, id, file->event_count) < 0 || table_put(&file->place_of_id, id, place) < 0)
            return -ENOMEM;
    }
    file->event_count++;
    return 0;
}

// stride: bytes of an event's attributes and of the section that holds its ids.
static int perf_file_read_events(struct perf_file *file, struct perf_file_section attrs, uint64_t stride)
{
    int status = 0;
    if (stride < PERF_ATTR_SIZE_VER0 + PERF_FILE_SECTION_BYTES || stride > attrs.bytes)
        return -EBADMSG;
    for (size_t i = 0; i < attrs.bytes / stride && status == 0; i++) {
        const char *at = attrs.at + i * stride;
        const size_t attr_bytes = (size_t)stride - PERF_FILE_SECTION_BYTES;
        struct perf_bytes from = perf_file_bytes(file, at + attr_bytes, PERF_FILE_SECTION_BYTES);
        status = perf_file_add_event(file, at, attr_bytes, perf_file_section(file, &from));
    }
    return status;
}

// After the record's header: the attributes, as long as they say, then the ids.
int perf_file_add_attr(struct perf_file *file, const struct perf_event_header *header)
{
    const char *at = (const char *)(header + 1), *end = (const char *)header + header->size;
    const size_t room = (size_t)(end - at);
    struct perf_bytes from = perf_file_bytes(file, at, room);
    perf_bytes_u32(&from); // type
    size_t bytes = perf_bytes_u32(&from);
    bytes = bytes == 0 ? PERF_ATTR_SIZE_VER0 : bytes;
    if (bytes > room)
        return -EBADMSG;
    return perf_file_add_event(file, at, bytes, (struct perf_file_section){.at = at + bytes, .bytes = room - bytes});
}

int perf_file_add_index(struct perf_file *file, const struct perf_event_header *header)
{
    struct perf_bytes from = perf_file_bytes(file, (const char *)(header + 1), header->size - sizeof *header);
    const uint64_t count = perf_bytes_u64(&from);
    for (uint64_t i = 0; i < count && !from.is_short; i++) {
        const uint64_t id = perf_bytes_u64(&from);
        perf_bytes_u64(&from); // index
        const uint64_t cpu = perf_bytes_u64(&from);
        perf_bytes_u64(&from); // thread
        if (!from.is_short && cpu < PERF_FEATURES_CPUS && table_put(&file->cpu_of_id, id, cpu) < 0)
            return -ENOMEM;
    }
    return from.is_short ? -EBADMSG : 0;
}

// Position of the event's id in a sample, in words from the header; -1: the sample has none.
static int perf_file_id_position(uint64_t sample_type)
{
    const uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
    if (sample_type & PERF_SAMPLE_IDENTIFIER)
        return 0;
    return sample_type & PERF_SAMPLE_ID ? __builtin_popcountll(sample_type & before) : -1;
}

static uint64_t perf_file_id_of(const struct perf_file *file, const struct perf_event_header *header)
{
    const struct perf_layout *layout = &file->events[0].layout;
    const int position = perf_file_id_position(layout->sample_type);
    uint64_t id = 0;
    if (header->type != PERF_RECORD_SAMPLE)
        return file->events[0].attr.sample_id_all ? perf_record_id(header, layout) : 0;
    if (position >= 0 && header->size >= sizeof *header + ((size_t)position + 1) * sizeof id)
        memcpy(&id, (const char *)(header + 1) + (size_t)position * sizeof id, sizeof id);
    return id;
}

struct perf_file_event *perf_file_event_of(const struct perf_file *file, const struct perf_event_header *header)
{
    uint64_t index = 0;
    if (file->event_count == 0)
        return NULL;
    if (file->event_count > 1) {
        const uint64_t id = perf_file_id_of(file, header);
        if (!table_get(&file->event_of_id, id, &index) && id != 0 && header->type == PERF_RECORD_SAMPLE)
            return NULL;
    }
    return &file->events[index];
}

// --- records

// sample_type of the fields that sample_id_all appends to records; 0: none.
static uint64_t perf_file_tail(const struct perf_file *file)
{
    return file->event_count > 0 && file->events[0].attr.sample_id_all ? file->events[0].attr.sample_type : 0;
}

static void perf_file_swap(const struct perf_file *file, struct perf_event_header *header)
{
    perf_swap_record(header, perf_file_tail(file));
    const struct perf_file_event *event =
        header->type == PERF_RECORD_SAMPLE ? perf_file_event_of(file, header) : NULL;
    if (event)
        perf_swap_sample(header, &event->layout);
}

// Bytes that follow a record without being part of it (pipe mode, hardware traces).
static uint64_t perf_file_behind(const struct perf_file *file, const struct perf_event_header *header)
{
    struct perf_bytes from = perf_file_bytes(file, (const char *)(header + 1), header->size - sizeof *header);
    if (header->type == PERF_FILE_AUXTRACE)
        return perf_bytes_u64(&from);
    if (header->type == PERF_FILE_TRACING_DATA)
        return ((uint64_t)perf_bytes_u32(&from) + 7) & ~UINT64_C(7);
    return 0;
}

const struct perf_event_header *perf_file_next(const struct perf_file *file, const char **at,
                                               struct perf_file_room *room, int *status)
{
    struct perf_event_header header;
    const char *record = *at;
    const size_t left = (size_t)(file->records_end - record);
    *status = 0;
    if (left == 0)
        return NULL;
    *status = -EBADMSG;
    if (left < sizeof header)
        return NULL;
    memcpy(&header, record, sizeof header);
    if (file->is_swapped)
        header = (struct perf_event_header){.type = __builtin_bswap32(header.type),
                                            .misc = __builtin_bswap16(header.misc),
                                            .size = __builtin_bswap16(header.size)};
    if (header.size < sizeof header || header.size > left)
        return NULL;
    memcpy(room->words, record, header.size);
    memcpy(room->words, &header, sizeof header); // the file may have changed since its size was checked
    if (file->is_swapped && header.type < PERF_FILE_OWN)
        perf_file_swap(file, (struct perf_event_header *)room->words);
    const struct perf_event_header *found = (const struct perf_event_header *)room->words;
    const uint64_t behind = perf_file_behind(file, found);
    if (behind > left - header.size)
        return NULL;
    *at = record + header.size + behind;
    *status = 0;
    return found;
}

// --- opening

static int perf_file_read_features(struct perf_file *file, const uint64_t *bits, const char *table)
{
    struct perf_bytes from = perf_file_bytes(file, table, (size_t)(file->bytes + file->size - table));
    int status = 0;
    for (unsigned bit = 0; bit < PERF_FEATURES_BITS && status == 0; bit++) {
        if (!(bits[bit / 64] >> bit % 64 & 1))
            continue;
        struct perf_file_section section = perf_file_section(file, &from);
        if (from.is_short) {
            file->is_cut = true;
            break;
        }
        status = perf_features_take(&file->features, bit, section.at, section.bytes);
    }
    return status;
}

static int perf_file_read_header(struct perf_file *file)
{
    uint64_t bits[PERF_FEATURES_BITS / 64];
    struct perf_bytes from =
        perf_file_bytes(file, file->bytes + PERF_FILE_MAGIC_BYTES, file->size - PERF_FILE_MAGIC_BYTES);
    perf_bytes_u64(&from); // bytes of the header
    const uint64_t stride = perf_bytes_u64(&from);
    struct perf_file_section attrs = perf_file_section(file, &from), data = perf_file_section(file, &from);
    perf_file_section(file, &from); // types of events: no longer written
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        bits[i] = perf_bytes_u64(&from);
    if (from.is_short)
        return -EBADMSG;
    if (data.bytes == 0) { // perf was killed before it wrote the size: records reach to the file's end, no features
        file->is_cut = true;
        data.bytes = (size_t)(file->bytes + file->size - data.at);
        memset(bits, 0, sizeof bits);
    }
    file->records = data.at;
    file->records_end = data.at + data.bytes;
    int status = perf_file_read_events(file, attrs, stride);
    return status < 0 ? status : perf_file_read_features(file, bits, file->records_end);
}

static int perf_file_read(struct perf_file *file)
{
    if (memcmp(file->bytes, perf_file_first, PERF_FILE_MAGIC_BYTES) == 0)
        return -ENOTSUP;
    file->is_swapped = memcmp(file->bytes, perf_file_magic_swapped, PERF_FILE_MAGIC_BYTES) == 0;
    if (!file->is_swapped && memcmp(file->bytes, perf_file_magic, PERF_FILE_MAGIC_BYTES) != 0)
        return -EINVAL;
    file->features.is_swapped = file->is_swapped;
    struct perf_bytes from = perf_file_bytes(file, file->bytes + PERF_FILE_MAGIC_BYTES, sizeof(uint64_t));
    file->is_pipe = perf_bytes_u64(&from) == PERF_FILE_PIPE_BYTES;
    file->records = file->bytes + PERF_FILE_PIPE_BYTES;
    file->records_end = file->bytes + file->size;
    if (file->is_pipe)
        return 0;
    return file->size < PERF_FILE_HEADER_BYTES ? -EBADMSG : perf_file_read_header(file);
}

bool perf_file_is_text(const struct perf_file *file)
{
    enum { LOOKED_AT = 256 };
    static const char blanks[] = {'\t', '\n', '\r'};
    const size_t bytes = file->size < LOOKED_AT ? file->size : LOOKED_AT;
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)file->bytes[i] < ' ' && !memchr(blanks, file->bytes[i], sizeof blanks))
            return false;
    return bytes > 0;
}

int perf_file_open(struct perf_file *file, const char *path)
{
    char data[PATH_MAX];
    struct stat about;
    *file = (struct perf_file){.is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode)};
    snprintf(data, sizeof data, file->is_folder ? "%s/data" : "%s", path);
    int status = perf_file_map(file, data);
    return status < 0 ? status : perf_file_read(file);
}

void perf_file_close(struct perf_file *file)
{
    perf_file_unmap(file);
    if (file->expanded)
        munmap((void *)(uintptr_t)file->expanded, file->expanded_size);
    free(file->events);
    table_free(&file->event_of_id);
    table_free(&file->place_of_id);
    table_free(&file->cpu_of_id);
    perf_features_free(&file->features);
    *file = (struct perf_file){0};
}
