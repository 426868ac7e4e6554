// SPDX-License-Identifier: Apache-2.0
// Rows that SQLite takes by itself: a table "rows" (c0, c1, ...) that exists only while a statement runs and reads the
// values where they are. INSERT ... SELECT from it costs half of what it costs to bind them one by one.
#ifndef CORE_RECORDING_RECORDING_ROWS_H
#define CORE_RECORDING_RECORDING_ROWS_H

#include <sqlite3.h>
#include <stddef.h>

#include "core/recording/recording.h"

struct recording_rows {
    const struct recording_value *const *rows;
    size_t count;
};

// Makes the table known to this connection. It shows what rows points to whenever a statement begins to read it.
int recording_rows_register(sqlite3 *db, const struct recording_rows *rows);

#endif
