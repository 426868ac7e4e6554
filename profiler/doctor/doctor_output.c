// SPDX-License-Identifier: Apache-2.0
// Where a recording would be written.
#include "profiler/doctor/doctor_output.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/text/units.h"
#include "profiler/doctor/doctor.h"

// A recording of a run of some minutes, with samples, stays below this.
#define DOCTOR_OUTPUT_ROOM (INT64_C(256) << 20)

const char *doctor_output_type(unsigned long magic, bool *network)
{
    // statfs(2), <linux/magic.h>; those of file systems outside the kernel from their own sources.
    static const struct {
        unsigned long magic;
        const char *name;
        bool network;
    } types[] = {
        {0xef53, "ext4", false},         {0x58465342, "xfs", false},      {0x9123683e, "btrfs", false},
        {0x01021994, "tmpfs", false},    {0x794c7630, "overlay", false},  {0x2fc12fc1, "zfs", false},
        {0xf2f52010, "f2fs", false},     {0x65735546, "fuse", false},     {0x6969, "nfs", true},
        {0xff534d42, "cifs", true},      {0xfe534d42, "smb", true},       {0x01021997, "9p", true},
        {0x00c36400, "ceph", true},      {0x5346414f, "afs", true},       {0x0bd00bd0, "lustre", true},
        {0x47504653, "gpfs", true},      {0x19830326, "beegfs", true},    {0xaad7aaea, "panfs", true},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].magic == magic) {
            *network = types[i].network;
            return types[i].name;
        }
    return NULL;
}

// The folder that a recording called path would be in; path may be that folder.
static const char *doctor_output_parent(char copy[PATH_MAX], const char *path)
{
    struct stat about;
    snprintf(copy, PATH_MAX, "%s", path);
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? copy : dirname(copy);
}

static void doctor_output_no(struct doctor_finding *f, const char *folder, const char *cause)
{
    doctor_find(f, DOCTOR_NO, "%s", folder);
    doctor_cause(f, "%s", cause);
    doctor_remedy(f, "-o PATH writes the recording elsewhere");
}

void doctor_output_folder(const struct doctor *d, struct doctor_finding *f)
{
    char copy[PATH_MAX], room[UNITS_BYTES_TEXT], number[32];
    struct statfs about;
    if (!d->live) {
        doctor_find(f, DOCTOR_UNKNOWN, "a snapshot does not tell");
        return;
    }
    const char *folder = doctor_output_parent(copy, d->output);
    if (statfs(folder, &about) < 0 || access(folder, W_OK | X_OK) < 0) {
        doctor_output_no(f, folder, errno == EROFS ? "its file system is read-only" : strerror(errno));
        return;
    }
    int64_t bytes = (int64_t)about.f_bavail * about.f_bsize;
    bool network = false;
    const char *type = doctor_output_type((unsigned long)about.f_type, &network);
    snprintf(number, sizeof number, "file system 0x%lx", (unsigned long)about.f_type);
    if (bytes == 0) {
        doctor_output_no(f, folder, "its file system is full");
        return;
    }
    doctor_find(f, network || bytes < DOCTOR_OUTPUT_ROOM ? DOCTOR_PART : DOCTOR_YES, "%s: %s, %s free", folder,
                type ? type : number, units_bytes(room, bytes));
    if (bytes < DOCTOR_OUTPUT_ROOM)
        doctor_cause(f, "a long recording may not fit");
    else if (network)
        doctor_cause(f, "a network file system: writing may hold the recorder up");
    if (f->state == DOCTOR_PART)
        doctor_remedy(f, "-o PATH writes the recording elsewhere");
}
