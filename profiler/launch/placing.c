// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch/placing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/process/memory_file.h"
#include "core/system/sysfile.h"
#include "core/text/diag.h"
#include "core/text/units.h"

static int placing_refuse(const char *path, const char *cause)
{
    char clean[256];
    diag_error("numaprof try FILE makes one; docs/trying-a-fix.md describes it", "--place %s: %s",
               diag_clean(clean, sizeof clean, path), cause);
    return -EINVAL;
}

static int placing_read(struct placing *placing, const char *path)
{
    struct placement_error error = {0};
    struct stat about;
    char *text, cause[256];
    if (stat(path, &about) < 0)
        return placing_refuse(path, strerror(errno));
    if (!S_ISREG(about.st_mode) || about.st_size > PLACEMENT_FILE_BYTES)
        return placing_refuse(path, "not a text file of at most 4 MiB");
    int length = sysfile_whole("", &text, "%s", path);
    if (length < 0)
        return placing_refuse(path, strerror(-length));
    int status = placement_parse(&placing->placement, text, (size_t)length, &error);
    free(text);
    if (status < 0 && error.line == 0)
        return placing_refuse(path, error.cause);
    if (status < 0) {
        snprintf(cause, sizeof cause, "line %u: %s", error.line, error.cause);
        return placing_refuse(path, cause);
    }
    return placing->placement.subject_count > 0 ? 0 : placing_refuse(path, "describes no allocation");
}

int placing_open(struct placing *placing, const char *path)
{
    char whole[PATH_MAX];
    placing->fd = -1;
    int status = placing_read(placing, path);
    if (status < 0)
        return status;
    if (!realpath(path, whole))
        return placing_refuse(path, strerror(errno));
    placing->fd = memory_file_make("numaprof-placed", sizeof *placing->counts);
    if (placing->fd < 0)
        return placing_refuse(path, strerror(-placing->fd));
    void *memory = mmap(NULL, sizeof *placing->counts, PROT_READ | PROT_WRITE, MAP_SHARED, placing->fd, 0);
    if (memory == MAP_FAILED)
        return placing_refuse(path, strerror(errno));
    placing->counts = memory;
    snprintf(placing->file, sizeof placing->file, PLACEMENT_ENVIRONMENT "=%s", whole);
    // By path: a program that closes all descriptors keeps the counters.
    snprintf(placing->shared, sizeof placing->shared, PLACEMENT_COUNTS_ENVIRONMENT "=/proc/%d/fd/%d", (int)getpid(),
             placing->fd);
    return 0;
}

void placing_close(struct placing *placing)
{
    if (placing->counts)
        munmap(placing->counts, sizeof *placing->counts);
    if (placing->fd >= 0)
        close(placing->fd);
}

void placing_reset(struct placing *placing)
{
    memset(placing->counts, 0, sizeof *placing->counts);
}

// --- what came of it

struct placing_sum {
    uint64_t asked, placed, placed_bytes, refused, moved_bytes, extra_bytes, checked_bytes, right_bytes;
    uint64_t without_weights;        // interleaved evenly instead
    uint32_t found, error;           // subjects with at least one allocation; errno of a refusal
};

static struct placing_sum placing_sum(const struct placing *placing)
{
    struct placing_sum sum = {0};
    for (uint32_t i = 0; i < placing->placement.subject_count; i++) {
        const struct placement_count *count = &placing->counts->subjects[i];
        sum.asked += count->asked;
        sum.placed += count->placed;
        sum.placed_bytes += count->placed_bytes;
        sum.refused += count->refused;
        sum.moved_bytes += count->moved_bytes;
        sum.extra_bytes += count->extra_bytes;
        sum.checked_bytes += count->checked_bytes;
        sum.right_bytes += count->right_bytes;
        sum.without_weights += count->without_weights;
        sum.found += count->asked > 0;
        sum.error = count->refused ? count->error : sum.error;
    }
    return sum;
}

static void placing_report_nothing(const struct placing *placing)
{
    if (placing->counts->processes == 0)
        diag_warn("a static program, or one of another C library, cannot be placed",
                  "nothing placed: the program did not "
                  "load the preload library");
    else if (placing->counts->bypassed > 0)
        diag_warn("only mappings and static variables can be placed then", "nothing placed: the program brings its own "
                  "malloc");
    else
        diag_warn("was the program rebuilt, or the file made for another one? numaprof try FILE makes a new one",
                  "nothing placed: none of the %u subjects of the placement file was found",
                  placing->placement.subject_count);
}

void placing_report(const struct placing *placing)
{
    struct placing_sum sum = placing_sum(placing);
    char placed[UNITS_BYTES_TEXT], extra[UNITS_BYTES_TEXT], checked[UNITS_BYTES_TEXT], verified[64] = "not verified";
    if (sum.asked == 0) {
        placing_report_nothing(placing);
        return;
    }
    if (sum.checked_bytes > 0)
        snprintf(verified, sizeof verified, "%.1f %% of %s checked bytes on the asked node",
                 100.0 * (double)sum.right_bytes / (double)sum.checked_bytes,
                 units_bytes(checked, (int64_t)sum.checked_bytes));
    diag_info("placed %llu of %llu allocations (%s, %u of %u subjects); %s; %s of memory more than asked",
              (unsigned long long)sum.placed, (unsigned long long)sum.asked,
              units_bytes(placed, (int64_t)sum.placed_bytes), sum.found, placing->placement.subject_count, verified,
              units_bytes(extra, (int64_t)sum.extra_bytes));
    if (sum.without_weights > 0)
        diag_warn("Linux 6.9 has it", "%llu allocations interleaved evenly: this kernel has no weighted interleave",
                  (unsigned long long)sum.without_weights);
    if (sum.refused > 0)
        diag_warn("numaprof doctor says what is allowed here", "%llu allocations not placed: %s",
                  (unsigned long long)sum.refused, strerror((int)sum.error));
}

void placing_record(const struct placing *placing, struct recording_queue *queue)
{
    static const char *const kinds[] = {
        [PLACEMENT_ALLOCATION] = "allocation", [PLACEMENT_MAPPING] = "mapping", [PLACEMENT_STATIC] = "static"};
    for (uint32_t i = 0; i < placing->placement.subject_count; i++) {
        const struct placement_subject *subject = &placing->placement.subjects[i];
        const struct placement_count *count = &placing->counts->subjects[i];
        RECORD(queue, RECORDING_PLACED, RECORD_NUMBER(subject->line), RECORD_TEXT(kinds[subject->kind]),
               RECORD_NUMBER(count->asked), RECORD_NUMBER(count->asked_bytes), RECORD_NUMBER(count->placed),
               RECORD_NUMBER(count->placed_bytes), RECORD_NUMBER(count->refused), RECORD_NUMBER(count->moved_bytes),
               RECORD_NUMBER(count->extra_bytes), RECORD_NUMBER(count->checked_bytes),
               RECORD_NUMBER(count->right_bytes), RECORD_TEXT(count->refused ? strerror((int)count->error) : NULL));
    }
}
