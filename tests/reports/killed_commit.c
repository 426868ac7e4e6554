// SPDX-License-Identifier: Apache-2.0
// killed_commit FILE N: records three batches of ten notes and dies at the N-th write or truncation of the file.
// Exit status 99 when it died, 0 when it came to its end. It stands between the recorder's VFS and the system's.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/recording/recording.h"

static long steps_left;
static sqlite3_io_methods methods;
static const sqlite3_io_methods *real;

static void step(void)
{
    if (--steps_left == 0)
        _exit(99);
}

static int dying_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 offset)
{
    step();
    return real->xWrite(file, data, size, offset);
}

static int dying_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    step();
    return real->xTruncate(file, size);
}

static sqlite3_vfs *unix_none;

static int dying_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
    (void)vfs;
    int status = unix_none->xOpen(unix_none, name, file, flags, flags_out);
    if (status == SQLITE_OK) {
        real = file->pMethods;
        methods = *real;
        methods.xWrite = dying_write;
        methods.xTruncate = dying_truncate;
        file->pMethods = &methods;
    }
    return status;
}

// The columns of run that must not be NULL, by their position in the schema.
static int put_run(struct recording *recording)
{
    struct recording_value values[32];
    for (size_t i = 0; i < 32; i++)
        values[i] = (struct recording_value){.number = RECORDING_NULL};
    values[0].number = 1;
    values[1].text = "[\"./sum\"]";
    values[5].text = "2026-11-20T20:00:00.000Z";
    values[9].number = 0;
    values[19].text = "0.1.0";
    values[21].number = 4096;
    values[25].text = "compact";
    values[29].number = 100000000;
    values[31].number = 1;
    return recording_put(recording, RECORDING_RUN, 32, values);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    steps_left = atol(argv[2]);
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
    unix_none = sqlite3_vfs_find("unix-none");
    static sqlite3_vfs dying;
    dying = *unix_none;
    dying.xOpen = dying_open;
    dying.pNext = NULL;
    sqlite3_vfs_register(&dying, 1); // the first of this name is the one that is found

    struct recording *recording;
    int status = recording_create(&recording, argv[1]);
    if (status == 0)
        status = put_run(recording);
    for (int batch = 0; batch < 3 && status == 0; batch++) {
        for (int i = 0; i < 10 && status == 0; i++) {
            char text[32];
            snprintf(text, sizeof text, "note %d of batch %d", i, batch);
            struct recording_value values[] = {
                {.number = RECORDING_NULL}, {.text = "test"}, {.number = RECORDING_NULL}, {.number = RECORDING_NULL},
                {.number = RECORDING_NULL}, {.text = text}, {.number = RECORDING_NULL},
            };
            status = recording_put(recording, RECORDING_NOTE, 7, values);
        }
        if (status == 0)
            status = recording_commit(recording);
    }
    if (status == 0)
        status = recording_close(recording);
    if (status < 0)
        fprintf(stderr, "killed_commit: %s\n", strerror(-status));
    return status < 0 ? 1 : 0;
}
