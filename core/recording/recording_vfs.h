// SPDX-License-Identifier: Apache-2.0
// How the recording stays whole in one file. SQLite's own journals are a second file, which is lost when somebody
// copies the recording of a killed recorder, and a commit that is cut short damages the first. Here a commit
//   1. writes new pages to their places, and appends all changed pages behind them, followed by a footer with a
//      checksum,
//   2. writes the others to their places, which takes no space,
//   3. cuts the appended part off again.
// Killed in 1: no valid footer, the database is the one before this commit, what trails it is ignored by SQLite. Killed
// in 2 or 3: the footer is valid, the reader puts the appended pages into place (in memory) and has the database after
// it.
#ifndef CORE_RECORDING_RECORDING_VFS_H
#define CORE_RECORDING_RECORDING_VFS_H

#include <stdint.h>

#define RECORDING_VFS_NAME "numaprof"

// Layout of the appended part, all numbers little-endian: entries {u64 offset, u64 size, bytes}, then this footer.
struct recording_vfs_footer {
    uint64_t magic;      // RECORDING_VFS_MAGIC
    uint64_t start;      // file offset of the first entry
    uint64_t end;        // size of the database after the commit
    uint64_t checksum;   // FNV-1a over the entries, by 64-bit words where 8 bytes are left, then by bytes
};
#define RECORDING_VFS_MAGIC UINT64_C(0x74696d6d6f43504e) // "NPCommit"

// Operation of sqlite3_file_control, argument bool *: a rollback begins (true) or has ended. It writes pages as they
// were before, which is how the file has them; on a full disk there would be no room for them behind it.
#define RECORDING_VFS_UNDO 1000

// Makes the VFS known to SQLite under RECORDING_VFS_NAME; harmless when done again. -EIO if SQLite refuses.
int recording_vfs_register(void);

#endif
