// SPDX-License-Identifier: Apache-2.0
// A perf.data file whose owner changes it while it is read.
#include "profiler/import/perf_data/perf_file.h"

#include <errno.h>
#include <unistd.h>

#include "check.h"
#include "core/process/shrunk_file.h"

enum { PIPE_HEADER = 16, RECORDS = 4096 };

static const char name[] = "perf.data";

static void write_file(void)
{
    const struct perf_event_header round = {.type = PERF_FILE_FINISHED_ROUND, .size = sizeof round};
    const uint64_t size = PIPE_HEADER;
    FILE *file = fopen(name, "we");
    fwrite("PERFILE2", 8, 1, file);
    fwrite(&size, sizeof size, 1, file);
    for (int i = 0; i < RECORDS; i++)
        fwrite(&round, sizeof round, 1, file);
    fclose(file);
}

static unsigned count_records(const struct perf_file *file, int *status)
{
    struct perf_file_room room;
    const char *at = file->records;
    unsigned count = 0;
    while (perf_file_next(file, &at, &room, status))
        count++;
    return count;
}

TEST(a_file_that_shrinks_while_it_is_mapped_ends_there)
{
    struct perf_file file;
    int status;
    write_file();
    shrunk_file_tolerate();
    CHECK_EQ(perf_file_open(&file, name), 0);
    CHECK_EQ(count_records(&file, &status), RECORDS);
    CHECK_EQ(status, 0);
    CHECK(!perf_file_has_shrunk(&file));
    CHECK_EQ(truncate(name, PIPE_HEADER + 10 * (off_t)sizeof(struct perf_event_header)), 0);
    CHECK_EQ(count_records(&file, &status), 10);
    CHECK_EQ(status, -EBADMSG);
    CHECK(perf_file_has_shrunk(&file));
    CHECK_EQ(truncate(name, 0), 0);
    CHECK_EQ(count_records(&file, &status), 0);
    CHECK_EQ(status, -EBADMSG);
    perf_file_close(&file);
}

TEST(a_record_and_a_section_stay_as_they_were_checked)
{
    struct perf_file file;
    struct perf_file_room room;
    int status;
    write_file();
    CHECK_EQ(perf_file_open(&file, name), 0);
    const char *at = file.records;
    const struct perf_event_header *record = perf_file_next(&file, &at, &room, &status);
    CHECK(record && (const char *)record == (const char *)room.words);
    char section[] = "\4\0\0\0abc";
    CHECK_EQ(perf_features_take(&file.features, PERF_FEATURES_HOSTNAME, section, sizeof section), 0);
    memset(section, 'x', sizeof section);
    CHECK(strcmp(file.features.host, "abc") == 0);
    perf_file_close(&file);
}
