// SPDX-License-Identifier: Apache-2.0
// A new process waits for the answer to its connection no longer than the recorder lives.
#include "collectors/preload/connect.c"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "check.h"

struct preload_self preload_self;

// What connect.c asks of the rest of the library.
int alloc_write_make(void)
{
    return -ENOMEM;
}

bool preload_is_bypassed(void)
{
    return false;
}

bool preload_awaits(void)
{
    return true;
}

void *preload_map(size_t bytes, int flags, int fd)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
}

void alloc_write_forked(void)
{
}

void alloc_thread_variables(uint64_t since)
{
    (void)since;
}

void preload_slot_start(void)
{
}

bool preload_is_filtered(void)
{
    return false;
}

void preload_slot_forked(void)
{
}

// A recorder that listens, and takes no connection.
static pid_t listen_only(void)
{
    int ready[2];
    char byte;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(preload_self.address, sizeof preload_self.address, "numaprof-test-%d:secret", getpid());
    const size_t length = strcspn(preload_self.address, ":");
    memcpy(address.sun_path + 1, preload_self.address, length);
    CHECK_EQ(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
        const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
        if (bind(fd, (struct sockaddr *)&address, size) < 0 ||
            listen(fd, 8) < 0 || write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    return pid;
}

static void *kill_it(void *argument)
{
    kill(*(pid_t *)argument, SIGKILL);
    return NULL;
}

// -EAGAIN would be the end of its patience.
TEST(a_recorder_that_is_killed_lets_a_process_go_that_waits_for_its_connection)
{
    pthread_t killer;
    int ring = -1;
    for (int forked = 0; forked < 2; forked++) {
        pid_t recorder = listen_only();
        const int fd = connect_meet(forked, &ring);
        CHECK(fd >= 0);
        CHECK_EQ(pthread_create(&killer, NULL, kill_it, &recorder), 0);
        CHECK_EQ(forked ? connect_receive_byte(fd) : connect_receive(fd), -ECONNRESET);
        CHECK_EQ(pthread_join(killer, NULL), 0);
        CHECK_EQ(waitpid(recorder, NULL, 0), recorder);
        CHECK_EQ(connect_meet(forked, &ring), -ECONNREFUSED); // the next try ends at once
        close(fd);
    }
}

TEST(a_recorder_that_is_stopped_lets_it_go_when_its_patience_ends)
{
    int ring = -1, status;
    pid_t recorder = listen_only();
    CHECK_EQ(kill(recorder, SIGSTOP), 0);
    CHECK_EQ(waitpid(recorder, &status, WUNTRACED), recorder);
    const int fd = connect_meet(true, &ring);
    CHECK(fd >= 0);
    CHECK_EQ(connect_receive_byte(fd), -EAGAIN);
    CHECK_EQ(kill(recorder, SIGKILL), 0);
    CHECK_EQ(waitpid(recorder, NULL, 0), recorder);
}

static uint64_t limit_ms(int fd, int option)
{
    struct timeval limit;
    socklen_t size = sizeof limit;
    CHECK_EQ(getsockopt(fd, SOL_SOCKET, option, &limit, &size), 0);
    return (uint64_t)limit.tv_sec * 1000 + (uint64_t)limit.tv_usec / 1000;
}

// A stopped recorder costs a fork server its patience once, not for each child.
TEST(a_child_knows_that_its_parent_waited_in_vain)
{
    int ring = -1;
    const pid_t recorder = listen_only();
    preload_answered(false);
    const int fd = connect_meet(true, &ring);
    CHECK(fd >= 0);
    CHECK(limit_ms(fd, SO_RCVTIMEO) < CHANNEL_ASK_MS);
    CHECK(limit_ms(fd, SO_SNDTIMEO) < CHANNEL_ASK_MS);
    struct preload_wait wait = {.since = clock_now() - CHANNEL_SLICE_MS * CLOCK_MS};
    CHECK(!preload_waits_on(&wait, recorder));
    CHECK_EQ(connect_receive_byte(fd), -EAGAIN);
    CHECK_EQ(kill(recorder, SIGKILL), 0);
    CHECK_EQ(waitpid(recorder, NULL, 0), recorder);
    close(fd);
}
