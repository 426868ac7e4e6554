// SPDX-License-Identifier: Apache-2.0
// hostile SEED ROUNDS: a program that does to the recorder whatever it can by the channel: introduces itself wrongly,
// with descriptors that are no ring or are cut short, and writes chance into all the memory the two share, the ring of
// blocks included. Ends with 0.
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collectors/protocol/alloc_ring.h"
#include "collectors/protocol/channel.h"
#include "collectors/protocol/channel_pass.h"
#include "tests/targets/chance.h"

static struct channel_handshake hello_with_secret(uint64_t process)
{
    struct channel_handshake handshake = {.process = process, .pid = (uint32_t)getpid()};
    const char *address = getenv(CHANNEL_ENVIRONMENT), *secret = address ? strchr(address, ':') : NULL;
    if (secret)
        memcpy(handshake.secret, secret + 1, strnlen(secret + 1, sizeof handshake.secret));
    return handshake;
}

static int meet(void)
{
    const char *name = getenv(CHANNEL_ENVIRONMENT);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (!name || fd < 0)
        return -1;
    size_t length = strcspn(name, ":");
    memcpy(address.sun_path + 1, name, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (connect(fd, (const struct sockaddr *)&address, size) == 0)
        return fd;
    close(fd);
    return -1;
}

static int make_ring(bool sealed, char **memory)
{
    size_t bytes = ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES;
    int fd = memfd_create("hostile", MFD_ALLOW_SEALING);
    if (ftruncate(fd, (off_t)bytes) < 0 || (sealed && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0))
        exit(1);
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return fd;
}

// A ring full of chance, some of it in the shape of records.
static void scribble_ring(char *memory)
{
    struct perf_event_mmap_page *control = (struct perf_event_mmap_page *)memory;
    char *data = memory + ALLOC_RING_CONTROL_BYTES;
    for (size_t at = 0; at + 8 < ALLOC_RING_BYTES;) {
        struct perf_event_header header = {
            .type = (uint32_t)(chance() % 4 ? chance() % 8 : chance()),
            .misc = (uint16_t)(chance() % 2 ? chance() % 32 : chance()),
            .size = (uint16_t)(chance() % 3 ? 8 * (1 + chance() % 40) : chance()),
        };
        memcpy(data + at, &header, sizeof header);
        size_t end = at + (header.size > 8 ? header.size & ~7U : 8);
        for (at += 8; at < end && at + 8 <= ALLOC_RING_BYTES; at += 8) {
            uint64_t word = chance() % 2 ? chance() : chance() % 65536;
            memcpy(data + at, &word, sizeof word);
        }
    }
    __atomic_store_n(&control->data_head, chance() % 2 ? ALLOC_RING_BYTES : chance(), __ATOMIC_RELEASE);
}

static void introduce(uint64_t process)
{
    struct channel_handshake handshake = hello_with_secret(chance() % 3 ? process : chance());
    handshake.time_ns = chance();
    handshake.pid = chance() % 2 ? (uint32_t)getpid() : (uint32_t)chance();
    handshake.forked = (uint32_t)(chance() % 2);
    if (chance() % 8 == 0)
        handshake.secret[chance() % CHANNEL_SECRET] ^= 1;
    char *memory;
    int fd = meet(), ring = -1;
    switch (chance() % 5) {
    case 0:
        ring = open("/dev/null", O_RDONLY);
        break;
    case 1:
    case 2:
        ring = make_ring(true, &memory);
        scribble_ring(memory);
        munmap(memory, ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES);
        break;
    case 3:
        ring = make_ring(false, &memory);
        scribble_ring(memory);
        munmap(memory, ALLOC_RING_CONTROL_BYTES + ALLOC_RING_BYTES);
        break;
    default:
        break;
    }
    (void)!channel_pass_send(fd, &handshake, chance() % 4 ? sizeof handshake : chance() % sizeof handshake, ring, 0);
    if (ring >= 0)
        (void)!ftruncate(ring, 0); // too late, or refused
    if (ring >= 0)
        close(ring);
    if (fd >= 0)
        close(fd);
}

static void scribble_message(struct channel *channel, uint64_t process)
{
    size_t at = chance() % CHANNEL_MESSAGES;
    struct channel_message *message = &channel->messages[at];
    message->kind = (uint32_t)(chance() % (CHANNEL_KINDS + 2)); // and numbers of no message
    message->process = chance() % 8 ? process : chance();
    message->time_ns = chance();
    message->began_ns = chance();
    message->tid = (uint32_t)(chance() % 2 ? chance() % 4194304 : chance());
    message->cpu = (int32_t)chance();
    message->a = (int64_t)(chance() % 2 ? chance() % 1000 : chance());
    message->waits = (uint32_t)(chance() % 2);
    for (size_t i = 0; i < sizeof message->text; i++)
        message->text[i] = (char)chance();
    atomic_store(&message->state, (uint32_t)(chance() % 5));
    atomic_fetch_or(&channel->sent[at / 64], chance() % 2 ? UINT64_C(1) << (at % 64) : chance());
}

static void scribble_anywhere(struct channel *channel)
{
    ((char *)channel)[chance() % sizeof *channel] = (char)chance();
    for (int i = 0; i < 4; i++)
        atomic_store(&channel->slot_users[chance() % CPULIST_MAX], (uint32_t)chance());
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1 : 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 100, fd = meet();
    const struct channel_handshake handshake = hello_with_secret(chance());
    if (fd < 0)
        return 0; // run alone
    (void)!channel_pass_send(fd, &handshake, sizeof handshake, -1, 0);
    struct channel_settings settings;
    int segment;
    (void)!channel_pass_receive(fd, &settings, sizeof settings, &segment);
    close(fd);
    if (ftruncate(segment, 0) == 0 || ftruncate(segment, sizeof(struct channel) + 1) == 0)
        return 2; // the recorder would get a SIGBUS
    struct channel *channel = mmap(NULL, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
    if (channel == MAP_FAILED)
        return 3;
    for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < 200; j++)
            scribble_message(channel, handshake.process);
        scribble_anywhere(channel);
        introduce(handshake.process);
    }
    // The C library's list of robust mutexes goes through here.
    memset((void *)&channel->recorder, 0xAA, sizeof channel->recorder);
    _exit(0);
}
