// SPDX-License-Identifier: Apache-2.0
#include "profiler/output/job_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/system/rank.h"
#include "core/text/diag.h"
#include "profiler/output/output_name.h"

enum { JOB_DIRECTORY_MOST_RUNS = 1000 }; // recordings of one name: pids come back in containers

// A word that makes a name of its own for each rank.
static bool job_directory_names_files(const char *pattern)
{
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at + 2, '%')) {
        if (at[1] == 'R' || at[1] == 'p' || at[1] == 'q')
            return true;
        if (at[1] == '\0')
            return false;
    }
    return false;
}

bool job_directory_is_meant(const char *pattern)
{
    struct rank rank;
    return rank_read(&rank) && rank.size != 1 && (!pattern || !job_directory_names_files(pattern));
}

// --- names

static int job_directory_join(char *out, size_t size, const char *folder, const char *name)
{
    int length = snprintf(out, size, "%s/%s", folder, name);
    return length < (int)size ? 0 : -ENAMETOOLONG;
}

// rank-07.node3.4711.numaprof: numbers as wide as the largest, so that ls sorts them. run: from 1, of that name.
static int job_directory_file_name(char *out, size_t size, const struct output_name *name, int run)
{
    char host[HOST_NAME_MAX + 1], which[16] = "";
    struct rank rank = {0};
    rank_read(&rank);
    output_name_host(host);
    int width = rank.size > 0 ? snprintf(NULL, 0, "%d", rank.size - 1) : 1;
    if (run > 1)
        snprintf(which, sizeof which, ".%d", run);
    int length = snprintf(out, size, "rank-%0*d.%s.%d%s.numaprof", width, rank.number, host, (int)name->pid, which);
    return length < (int)size ? 0 : -ENAMETOOLONG;
}

// The first name that is free: nobody but this process uses its rank, host and pid now.
static int job_directory_name(struct job_directory *job, const struct output_name *name, char *file, size_t size)
{
    struct stat there;
    for (int run = 1; run <= JOB_DIRECTORY_MOST_RUNS; run++) {
        int status = job_directory_file_name(file, size, name, run);
        if (status == 0)
            status = job_directory_join(job->path, sizeof job->path, job->folder, file);
        if (status < 0)
            return status;
        if (lstat(job->path, &there) < 0)
            return errno == ENOENT ? 0 : -errno;
    }
    return -EEXIST;
}

// --- where to record

// File systems that several hosts share, by their f_type: linux/magic.h, else the file system's own source.
static bool job_directory_is_shared(const char *folder)
{
    static const uint32_t shared[] = {
        NFS_SUPER_MAGIC, V9FS_MAGIC, FUSE_SUPER_MAGIC, CEPH_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC,
        SMB2_SUPER_MAGIC, AFS_FS_MAGIC, CODA_SUPER_MAGIC, OCFS2_SUPER_MAGIC,
        0x0BD00BD0, // Lustre: lustre/include/uapi/linux/lustre/lustre_user.h
        0x47504653, // GPFS, "GPFS"
        0x19830326, // BeeGFS: client_module/source/filesystem/FhgfsOpsSuper.h
        0xAAD7AAEA, // PanFS
        0x01161970, // GFS2: linux/gfs2_ondisk.h
    };
    struct statfs fs;
    if (statfs(folder, &fs) < 0)
        return false;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if ((uint32_t)fs.f_type == shared[i])
            return true;
    return false;
}

// NUMAPROF_LOCAL is the user's choice; without it, a shared file system is left alone until the end. NULL: record in
// place.
static const char *job_directory_scratch(const char *folder)
{
    const char *chosen = getenv("NUMAPROF_LOCAL"), *temporary = getenv("TMPDIR");
    if (chosen)
        return *chosen ? chosen : NULL;
    if (!job_directory_is_shared(folder))
        return NULL;
    return temporary && *temporary ? temporary : "/tmp";
}

// The link says who records where: a rank whose host dies leaves a trace.
static int job_directory_use_scratch(struct job_directory *job, const char *scratch, const char *file)
{
    char absolute[PATH_MAX];
    int status = job_directory_join(job->scratch, sizeof job->scratch, scratch, "numaprof-XXXXXX");
    if (status < 0 || !realpath(scratch, absolute) || !mkdtemp(job->scratch)) {
        status = status < 0 ? status : -errno;
        job->scratch[0] = '\0';
        return status;
    }
    if (!realpath(job->scratch, absolute) ||
        job_directory_join(job->recording, sizeof job->recording, absolute, file) < 0)
        return -ENAMETOOLONG;
    return symlink(job->recording, job->path) < 0 ? -errno : 0;
}

// Ranks make it at the same time: who comes second finds it.
static int job_directory_make(const char *folder)
{
    struct stat there;
    if (mkdir(folder, 0777) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    if (stat(folder, &there) < 0)
        return -errno;
    return S_ISDIR(there.st_mode) ? 0 : -ENOTDIR;
}

static int job_directory_refuse(const char *what, const char *path, int status)
{
    char clean[512];
    diag_error(status == -ENOTDIR
               ? "ranks of a job record into a directory: choose another name with -o, or one with %R"
                                  : output_name_remedy(status),
               "%s %s: %s", what, diag_clean(clean, sizeof clean, path), strerror(-status));
    return status;
}

int job_directory_open(struct job_directory *job, const struct output_name *name)
{
    const struct output_name folder = {.pattern = name->pattern ? name->pattern : JOB_DIRECTORY_DEFAULT,
                                       .program = name->program, .pid = name->pid, .repeat = name->repeat,
                                       .repeats = 1};
    char file[NAME_MAX + 1];
    struct rank rank = {0};
    *job = (struct job_directory){0};
    rank_read(&rank);
    job->is_first = rank.number == 0;
    int status = output_name_for(job->folder, sizeof job->folder, &folder);
    if (status < 0)
        return status; // it has printed why
    size_t length = strlen(job->folder);
    while (length > 1 && job->folder[length - 1] == '/')
        job->folder[--length] = '\0';
    status = job_directory_make(job->folder);
    if (status == 0)
        status = job_directory_name(job, name, file, sizeof file);
    if (status < 0)
        return job_directory_refuse("cannot record into", job->folder, status);
    const char *scratch = job_directory_scratch(job->folder);
    if (!scratch) {
        memcpy(job->recording, job->path, sizeof job->recording);
        return 0;
    }
    status = job_directory_use_scratch(job, scratch, file);
    if (status == 0)
        return 0;
    job_directory_cancel(job);
    return job_directory_refuse("cannot record by way of", scratch, status);
}

// --- the end

static int job_directory_copy(int from, int to)
{
    enum { BUFFER = 1 << 14 };
    char buffer[BUFFER];
    for (;;) {
        ssize_t n = read(from, buffer, sizeof buffer);
        if (n <= 0)
            return n == 0 ? 0 : -errno;
        for (ssize_t done = 0; done < n;) {
            ssize_t written = write(to, buffer + done, (size_t)(n - done));
            if (written < 0)
                return -errno;
            done += written;
        }
    }
}

// A reader of the folder sees the link or the whole file.
static int job_directory_move(const char *source, const char *path)
{
    char beside[PATH_MAX + 8];
    snprintf(beside, sizeof beside, "%s.part", path);
    int from = open(source, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    int status = to >= 0 ? job_directory_copy(from, to) : -errno;
    if (to >= 0 && (fsync(to) < 0 || close(to) < 0) && status == 0)
        status = -errno;
    if (from >= 0)
        close(from);
    if (status == 0 && rename(beside, path) < 0)
        status = -errno;
    if (status < 0 && to >= 0)
        unlink(beside);
    return status;
}

int job_directory_close(struct job_directory *job)
{
    if (!*job->scratch)
        return 0;
    int status = job_directory_move(job->recording, job->path);
    if (status < 0) {
        char clean[512];
        diag_error(output_name_remedy(status), "cannot move the recording into %s: %s; it stays in %s", job->folder,
                   strerror(-status), diag_clean(clean, sizeof clean, job->recording));
        return status;
    }
    unlink(job->recording);
    rmdir(job->scratch);
    return 0;
}

void job_directory_cancel(struct job_directory *job)
{
    if (!*job->scratch)
        return;
    unlink(job->path); // the link
    unlink(job->recording);
    rmdir(job->scratch);
}
