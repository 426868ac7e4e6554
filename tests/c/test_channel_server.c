// SPDX-License-Identifier: Apache-2.0
// Messages written by hand, as the library in the target writes them.
#include "profiler/recorder/channel/channel_server.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "collectors/protocol/channel_pass.h"
#include "core/system/clock.h"

enum { AT = 70, MAX = 4 };
static struct channel_server server;
static struct channel_received got[MAX];

static struct channel_message *put(uint32_t at, uint32_t kind, uint32_t waits, uint64_t time_ns)
{
    struct channel_message *message = &server.shared->messages[at];
    message->kind = kind;
    message->process = 7;
    message->tid = 8;
    message->time_ns = time_ns;
    message->waits = waits;
    atomic_store(&message->state, CHANNEL_SENT);
    atomic_fetch_or(&server.shared->sent[at / 64], UINT64_C(1) << (at % 64));
    return message;
}

static size_t receive(bool starts_only)
{
    return channel_server_receive(&server, starts_only, got, MAX);
}

TEST(each_reader_takes_its_messages_once_and_leaves_those_of_the_other)
{
    CHECK_EQ(channel_server_open(&server, NULL, 0, true), 0);
    put(AT, CHANNEL_THREAD_EXIT, 0, 1);
    put(AT + 1, CHANNEL_THREAD_START, 1, 2);
    put(AT + 2, CHANNEL_REGION, 1, 3);
    CHECK_EQ(receive(true), 1);
    CHECK_EQ(got[0].kind, CHANNEL_THREAD_START);
    CHECK_EQ(receive(true), 0);
    put(AT + 3, CHANNEL_THREAD_START, 1, 4);
    CHECK_EQ(receive(false), 2);
    CHECK_EQ(got[0].kind, CHANNEL_THREAD_EXIT);
    CHECK_EQ(got[1].kind, CHANNEL_REGION);
    CHECK_EQ(receive(false), 0);
    CHECK_EQ(receive(true), 1);
    CHECK_EQ(got[0].time_ns, 4);
    CHECK_EQ(atomic_load(&server.shared->messages[AT].state), CHANNEL_FREE); // nobody waits for it
    channel_server_close(&server);
}

TEST(the_answer_to_a_message_that_was_given_up_is_not_taken_for_the_next_ones)
{
    CHECK_EQ(channel_server_open(&server, NULL, 0, true), 0);
    struct channel_message *message = put(AT, CHANNEL_REGION, 1, 1);
    CHECK_EQ(receive(false), 1);
    const struct channel_received first = got[0];
    CHECK(channel_server_is_awaited(&first));
    atomic_store(&message->state, CHANNEL_FREE);
    CHECK(!channel_server_is_awaited(&first));
    put(AT, CHANNEL_REGION, 1, 2); // by the same thread
    channel_server_answer(&first);
    CHECK_EQ(atomic_load(&message->state), CHANNEL_SENT);
    CHECK_EQ(receive(false), 1);
    channel_server_answer(&got[0]);
    CHECK_EQ(atomic_load(&message->state), CHANNEL_ANSWERED);
    channel_server_close(&server);
}

TEST(a_message_from_the_future_is_answered_too)
{
    CHECK_EQ(channel_server_open(&server, NULL, 0, true), 0);
    const struct channel_message *message = put(AT, CHANNEL_REGION, 1, UINT64_MAX);
    CHECK_EQ(receive(false), 1);
    CHECK(got[0].time_ns <= clock_now());
    channel_server_answer(&got[0]);
    CHECK_EQ(atomic_load(&message->state), CHANNEL_ANSWERED);
    channel_server_close(&server);
}

static int connect_once(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strcspn(server.address, ":");
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    memcpy(address.sun_path + 1, server.address, length);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return connect(fd, (const struct sockaddr *)&address, size) == 0 ? fd : -errno;
}

TEST(nobody_waits_for_the_answer_to_a_connection_that_is_not_taken_any_more)
{
    char answer;
    CHECK_EQ(channel_server_open(&server, NULL, 0, true), 0);
    const int fd = connect_once();
    CHECK(fd >= 0);
    CHECK_EQ(recv(fd, &answer, 1, MSG_DONTWAIT), -1);
    CHECK_EQ(errno, EAGAIN);
    channel_server_leave(&server);
    CHECK_EQ(recv(fd, &answer, 1, MSG_DONTWAIT), -1);
    CHECK_EQ(errno, ECONNRESET);
    CHECK_EQ(connect_once(), -ECONNREFUSED);
    channel_server_close(&server);
    close(fd);
}

TEST(slots_can_be_given_back_after_the_last_message)
{
    const int slots[] = {3};
    CHECK_EQ(channel_server_open(&server, slots, 1, true), 0);
    CHECK_EQ(channel_server_take_slot(&server), 3);
    channel_server_leave(&server);
    CHECK_EQ(atomic_load(&server.shared->recorder_gone), 1);
    channel_server_free_slot(&server, 3);
    CHECK_EQ(atomic_load(&server.shared->slot_users[0]), 0);
    channel_server_close(&server);
}

// The number of the next descriptor that is opened.
static int next_descriptor(void)
{
    const int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

// Else a program that passes two at a time would leave the recorder without descriptors.
TEST(no_second_descriptor_beside_a_message_stays_open)
{
    int ends[2], passed, two[2] = {STDIN_FILENO, STDERR_FILENO};
    char byte = 'x', control[CMSG_SPACE(sizeof two)] = {0};
    struct iovec piece = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof two)};
    memcpy(control, &header, sizeof header);
    memcpy(control + CMSG_LEN(0), two, sizeof two);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    const int next = next_descriptor();
    CHECK_EQ(sendmsg(ends[0], &message, 0), 1);
    CHECK_EQ(channel_pass_receive(ends[1], &byte, 1, &passed), 1);
    CHECK_EQ(passed, next); // the first of them
    close(passed);
    CHECK_EQ(next_descriptor(), next);
    close(ends[0]);
    close(ends[1]);
}
