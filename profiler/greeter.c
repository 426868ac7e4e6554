// SPDX-License-Identifier: Apache-2.0
#include "profiler/greeter.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *greeter_run(void *argument)
{
    struct greeter *greeter = argument;
    uint32_t seen = 0;
    const uint64_t one = 1;
    while (!atomic_load(&greeter->stop)) {
        uint32_t before = seen;
        channel_server_await(greeter->server, &seen);
        if (seen != before)
            (void)!write(greeter->wake, &one, sizeof one);
    }
    return NULL;
}

int greeter_start(struct greeter *greeter, struct channel_server *server)
{
    *greeter = (struct greeter){.server = server, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (greeter->wake < 0)
        return -errno;
    int status = -pthread_create(&greeter->thread, NULL, greeter_run, greeter);
    greeter->runs = status == 0;
    if (status < 0)
        close(greeter->wake);
    return status;
}

void greeter_awake(const struct greeter *greeter)
{
    uint64_t times;
    (void)!read(greeter->wake, &times, sizeof times);
}

void greeter_stop(struct greeter *greeter)
{
    if (!greeter->runs)
        return;
    atomic_store(&greeter->stop, true);
    channel_server_ring(greeter->server); // or it would look only after its next slice
    pthread_join(greeter->thread, NULL);
    close(greeter->wake);
    greeter->runs = false;
}
