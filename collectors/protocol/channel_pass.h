// SPDX-License-Identifier: Apache-2.0
// Messages of the channel's socket, each with one descriptor beside it or none (unix(7), SCM_RIGHTS).
#ifndef COLLECTORS_PROTOCOL_CHANNEL_PASS_H
#define COLLECTORS_PROTOCOL_CHANNEL_PASS_H

#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

union channel_pass_control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

// As sendmsg(2). passed: the descriptor; negative: none.
static inline ssize_t channel_pass_send(int socket, const void *data, size_t bytes, int passed, int flags)
{
    union channel_pass_control control = {0};
    struct iovec piece = {.iov_base = (void *)data, .iov_len = bytes};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (passed >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof passed);
        memcpy(CMSG_DATA(header), &passed, sizeof passed);
    }
    return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

// As recvmsg(2). *passed: the descriptor, which closes on exec; -1: none. The kernel closes more than one (MSG_CTRUNC):
// CMSG_LEN has room for one, the padding of CMSG_SPACE for two.
static inline ssize_t channel_pass_receive(int socket, void *data, size_t bytes, int *passed)
{
    union channel_pass_control control = {0};
    struct iovec piece = {.iov_base = data, .iov_len = bytes};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(sizeof *passed)};
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = n >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *passed = -1;
    if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof *passed))
        memcpy(passed, CMSG_DATA(header), sizeof *passed);
    return n;
}

#endif
