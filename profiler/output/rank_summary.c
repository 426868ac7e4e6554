// SPDX-License-Identifier: Apache-2.0
#include "profiler/output/rank_summary.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/abstract_name.h"
#include "core/system/sysfile.h"
#include "core/util/table.h"
#include "profiler/install/reports_program.h"

enum { RANK_SUMMARY_TRIES = 4 }; // of finding somebody to ask, or nobody

// Whoever has the same name opens the same files by the same paths, and runs the same numaprof.
static struct abstract_name rank_summary_name(const char *folder)
{
    char program[PATH_MAX] = "";
    struct stat space = {0}, here = {0}, ranks = {0};
    if (sysfile_link("", program, sizeof program, "/proc/self/exe") < 0)
        program[0] = '\0';
    stat("/proc/self/ns/mnt", &space);
    stat(".", &here);
    stat(folder, &ranks);
    uint64_t key = table_mix(table_mix_text(0, program), space.st_ino);
    key = table_mix(table_mix(key, here.st_dev), here.st_ino);
    key = table_mix(table_mix(key, ranks.st_dev), ranks.st_ino);
    return abstract_name("summaries-of-numaprof-%u-%016llx", (unsigned)geteuid(), (unsigned long long)key);
}

static int rank_summary_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

// A descriptor that other ranks connect to; -EADDRINUSE: they connect to somebody else's.
static int rank_summary_listen(const struct abstract_name *name)
{
    int fd = rank_summary_socket();
    if (fd < 0)
        return fd;
    if (bind(fd, (const struct sockaddr *)&name->address, name->size) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    int status = -errno;
    close(fd);
    return status;
}

// Anybody may take a name: only our own user is told a file, and believed.
static bool rank_summary_is_ours(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

// Who is asked answers with one byte.
static bool rank_summary_converse(int fd, const struct abstract_name *name, const char *recording)
{
    char answer;
    if (connect(fd, (const struct sockaddr *)&name->address, name->size) < 0 || !rank_summary_is_ours(fd) ||
        send(fd, recording, strlen(recording), MSG_NOSIGNAL) < 0)
        return false;
    ssize_t got;
    do
        got = recv(fd, &answer, 1, 0);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

static bool rank_summary_ask(const struct abstract_name *name, const char *recording)
{
    int fd = rank_summary_socket();
    if (fd < 0)
        return false;
    bool is_done = rank_summary_converse(fd, name, recording);
    close(fd);
    return is_done;
}

void rank_summary_write(const char *folder, const char *recording, const sigset_t *mask)
{
    const struct abstract_name name = rank_summary_name(folder);
    int listener = -EADDRINUSE;
    for (int i = 0; i < RANK_SUMMARY_TRIES && listener == -EADDRINUSE; i++) {
        listener = rank_summary_listen(&name);
        if (listener == -EADDRINUSE && rank_summary_ask(&name, recording))
            return;
    }
    reports_program_summarize(recording, listener, mask);
}
