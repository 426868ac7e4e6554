// SPDX-License-Identifier: Apache-2.0
// A virtual table of SQLite's (https://sqlite.org/vtab.html), the least that can be read.
#include "core/recording/recording_rows.h"

#include <stdlib.h>

struct recording_rows_table {
    sqlite3_vtab base;    // SQLite's view; must be first
    const struct recording_rows *rows;
};

struct recording_rows_cursor {
    sqlite3_vtab_cursor base;
    size_t at;
};

static const struct recording_rows *recording_rows_of(const struct recording_rows_cursor *cursor)
{
    return ((const struct recording_rows_table *)cursor->base.pVtab)->rows;
}

static int recording_rows_connect(sqlite3 *db, void *rows, int count, const char *const *arguments, sqlite3_vtab **out,
                                  char **error)
{
    (void)count, (void)arguments, (void)error;
    struct recording_rows_table *table = calloc(1, sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    table->rows = rows;
    *out = &table->base;
    return sqlite3_declare_vtab(db, "CREATE TABLE rows (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11)");
}

static int recording_rows_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

// All rows in their order is the only way to read them.
static int recording_rows_best_index(sqlite3_vtab *table, sqlite3_index_info *index)
{
    (void)table, (void)index;
    return SQLITE_OK;
}

static int recording_rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct recording_rows_cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *out = &cursor->base;
    return SQLITE_OK;
}

static int recording_rows_close(sqlite3_vtab_cursor *cursor)
{
    free(cursor);
    return SQLITE_OK;
}

static int recording_rows_first(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
                                sqlite3_value **values)
{
    (void)number, (void)text, (void)count, (void)values;
    ((struct recording_rows_cursor *)cursor)->at = 0;
    return SQLITE_OK;
}

static int recording_rows_next(sqlite3_vtab_cursor *cursor)
{
    ((struct recording_rows_cursor *)cursor)->at++;
    return SQLITE_OK;
}

static int recording_rows_is_end(sqlite3_vtab_cursor *base)
{
    const struct recording_rows_cursor *cursor = (const struct recording_rows_cursor *)base;
    return cursor->at >= recording_rows_of(cursor)->count;
}

// A column that is given no value is NULL.
static int recording_rows_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct recording_rows_cursor *cursor = (const struct recording_rows_cursor *)base;
    const struct recording_value *value = &recording_rows_of(cursor)->rows[cursor->at][column];
    if (value->text)
        sqlite3_result_text(context, value->text, -1, SQLITE_STATIC);
    else if (value->number != RECORDING_NULL)
        sqlite3_result_int64(context, value->number);
    return SQLITE_OK;
}

static int recording_rows_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = (sqlite3_int64)((struct recording_rows_cursor *)cursor)->at;
    return SQLITE_OK;
}

// Without xCreate the table needs no CREATE and leaves nothing in the file.
static const sqlite3_module recording_rows_module = {
    .xConnect = recording_rows_connect,
    .xBestIndex = recording_rows_best_index,
    .xDisconnect = recording_rows_disconnect,
    .xOpen = recording_rows_open,
    .xClose = recording_rows_close,
    .xFilter = recording_rows_first,
    .xNext = recording_rows_next,
    .xEof = recording_rows_is_end,
    .xColumn = recording_rows_column,
    .xRowid = recording_rows_rowid,
};

int recording_rows_register(sqlite3 *db, const struct recording_rows *rows)
{
    return sqlite3_create_module(db, "rows", &recording_rows_module, (void *)rows);
}
