// SPDX-License-Identifier: Apache-2.0
// stranger ADDRESS_FILE [guess]: a process that the target did not start. Finds the recorder whose address is in the
// file (with its secret; guess: only its name, in /proc/net/unix, and makes up a secret), connects as fast as it can
// and asks for the segment, until its standard input closes. Makes the file ADDRESS_FILE.met when it has connected.
// Prints how often it connected and how many descriptors it got.
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "collectors/protocol/channel.h"
#include "collectors/protocol/channel_pass.h"

static bool read_address(const char *path, char *address)
{
    FILE *file = fopen(path, "r");
    bool found = file && fgets(address, CHANNEL_ADDRESS, file);
    if (file)
        fclose(file);
    return found;
}

// The name is one that anybody can see.
static bool guess_secret(char *address)
{
    char line[512], name[CHANNEL_ADDRESS + 1];
    bool found = false;
    snprintf(name, sizeof name, "@%.*s", (int)strcspn(address, ":"), address);
    FILE *file = fopen("/proc/net/unix", "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, name) != NULL;
    if (file)
        fclose(file);
    snprintf(address, CHANNEL_ADDRESS, "%s:%032d", name + 1, 0);
    return found;
}

static void tell(const char *address_file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.met", address_file);
    FILE *file = fopen(path, "w");
    if (file)
        fclose(file);
}

static int meet(const char *address)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t length = strcspn(address, ":");
    const struct timeval patience = {.tv_usec = 50000};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    memcpy(to.sun_path + 1, address, length);
    if (connect(fd, (const struct sockaddr *)&to,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0)
        return fd;
    close(fd);
    return -1;
}

// Returns the number of descriptors it got.
static int ask(int fd, const char *address, bool forked)
{
    struct channel_handshake handshake = {.process = (uint64_t)getpid(), .time_ns = 1, .pid = (uint32_t)getpid(),
                                          .forked = forked};
    struct channel_settings answer;
    int segment = -1;
    memcpy(handshake.secret, strchr(address, ':') + 1, sizeof handshake.secret);
    (void)!channel_pass_send(fd, &handshake, sizeof handshake, -1, 0);
    (void)!channel_pass_receive(fd, &answer, sizeof answer, &segment);
    if (segment >= 0)
        close(segment);
    return segment >= 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    enum { HELD = 64 }; // connections that say nothing
    char address[CHANNEL_ADDRESS + 1];
    int held[HELD], got = 0;
    unsigned long connected = 0;
    struct pollfd input = {.fd = 0, .events = POLLIN};
    for (int i = 0; i < HELD; i++)
        held[i] = -1;
    while (poll(&input, 1, 0) == 0) {
        if (!read_address(argv[1], address) || !strchr(address, ':') || (argc > 2 && !guess_secret(address)))
            continue;
        for (int i = 0; i < HELD; i++) {
            int fd = meet(address);
            if (fd >= 0 && connected++ == 0)
                tell(argv[1]);
            if (fd >= 0 && i == 0)
                got += ask(fd, address, connected % 2);
            if (held[i] >= 0)
                close(held[i]);
            held[i] = fd;
        }
    }
    printf("%lu %d\n", connected, got);
    return 0;
}
