// SPDX-License-Identifier: Apache-2.0
// impatient: connects to the recorder once more, without reading the answer, as a process does whose patience has
// ended; then makes a connection that is answered, so that the first one was.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collectors/protocol/channel.h"
#include "collectors/protocol/channel_pass.h"

static int meet(const char *address, bool forked, int no_more)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t length = strcspn(address, ":");
    struct channel_handshake handshake = {.process = (uint64_t)getpid(), .time_ns = 1, .pid = (uint32_t)getpid(),
                                          .forked = forked};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    memcpy(to.sun_path + 1, address, length);
    memcpy(handshake.secret, strchr(address, ':') + 1, sizeof handshake.secret);
    if (connect(fd, (const struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) < 0)
        return -1;
    if (no_more)
        shutdown(fd, SHUT_RD);
    return channel_pass_send(fd, &handshake, sizeof handshake, -1, 0) > 0 ? fd : -1;
}

int main(void)
{
    const char *address = getenv(CHANNEL_ENVIRONMENT);
    char answer;
    if (!address || meet(address, false, 1) < 0)
        return 1;
    int fd = meet(address, true, 0);
    return fd >= 0 && recv(fd, &answer, 1, 0) == 1 ? 0 : 2;
}
