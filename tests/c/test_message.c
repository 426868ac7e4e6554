// SPDX-License-Identifier: Apache-2.0
// How long a thread of the target waits for the recorder's answer.
#include "collectors/preload/message.c"

#include <signal.h>
#include <sys/wait.h>

#include "check.h"

static struct channel channel;

struct channel *preload_channel(void)
{
    return &channel;
}

uint64_t preload_process(void)
{
    return 1;
}

bool preload_is_elsewhere(void)
{
    return false;
}

static bool waits_after(uint64_t ms)
{
    struct preload_wait wait = {.since = clock_now() - ms * CLOCK_MS};
    return message_waits_on(&channel, &wait);
}

static bool waits_for(pid_t recorder)
{
    struct preload_wait wait = {.since = clock_now() - CHANNEL_PATIENCE_MS * CLOCK_MS};
    return preload_waits_on(&wait, recorder);
}

TEST(a_thread_does_not_wait_for_a_recorder_that_takes_no_more_messages)
{
    channel.recorder.__data.__lock = (int)syscall(SYS_gettid); // it lives
    CHECK(waits_after(0));
    atomic_store(&channel.recorder_gone, 1);
    CHECK(!waits_after(0));
    // A thread that was about to send when it ended is not held up, and leaves room.
    preload_send((struct preload_note){.kind = CHANNEL_REGION, .waits = true});
    for (size_t i = 0; i < CHANNEL_MESSAGES; i++)
        CHECK_EQ(atomic_load(&channel.messages[i].state), CHANNEL_FREE);
}

TEST(a_thread_waits_longer_for_a_recorder_that_runs)
{
    channel.recorder.__data.__lock = (int)syscall(SYS_gettid);
    CHECK(waits_after(CHANNEL_PATIENCE_MS));
    CHECK(!waits_after(CHANNEL_STARVED_MS));
    channel.recorder.__data.__lock = FUTEX_TID_MASK; // nobody's number: /proc does not show it
    CHECK(!waits_after(CHANNEL_PATIENCE_MS));
}

// A forked child that waited for the answer to its connection does not wait as long at its end.
TEST(who_waited_in_vain_for_its_connection_waits_no_second_time)
{
    channel.recorder.__data.__lock = (int)syscall(SYS_gettid);
    CHECK(waits_after(CHANNEL_SLICE_MS));
    CHECK(!waits_for(0));
    CHECK(!waits_after(CHANNEL_SLICE_MS));
    CHECK_EQ(preload_patience_ms(CHANNEL_PATIENCE_MS), CHANNEL_SLICE_MS);
    preload_answered(true);
    CHECK(waits_after(CHANNEL_SLICE_MS));
    CHECK_EQ(preload_patience_ms(CHANNEL_PATIENCE_MS), CHANNEL_PATIENCE_MS);
}

// The recorder may go on, and says what it missed; who ends is not among that.
TEST(a_message_to_a_recorder_that_takes_no_more_is_not_missed)
{
    channel.recorder.__data.__lock = FUTEX_OWNER_DIED;
    preload_send((struct preload_note){.kind = CHANNEL_REGION, .waits = true});
    CHECK_EQ(atomic_load(&channel.missed), 0);
}

TEST(nobody_waits_longer_for_a_recorder_that_is_stopped)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
    CHECK(WIFSTOPPED(status));
    CHECK(!waits_for(pid));
    CHECK_EQ(kill(pid, SIGCONT), 0);
    CHECK_EQ(waitpid(pid, &status, WCONTINUED), pid);
    CHECK(WIFCONTINUED(status) || WIFEXITED(status));
    preload_answered(true);
    CHECK(waits_for(getpid()));
    CHECK(!waits_for(0));
}

TEST(messages_without_room_are_counted_beyond_every_width)
{
    static const uint64_t lost[] = {UINT8_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, 1ULL << 48};
    channel.recorder.__data.__lock = (int)syscall(SYS_gettid); // it lives
    for (size_t i = 0; i < CHANNEL_MESSAGES; i++)
        atomic_store(&channel.messages[i].state, CHANNEL_CLAIMED);
    for (size_t at = 0; at < sizeof lost / sizeof *lost; at++) {
        message_in_vain = true; // it has let somebody wait: for no longer than a slice
        atomic_store(&channel.missed, lost[at]);
        preload_send((struct preload_note){.kind = CHANNEL_REGION});
        CHECK_EQ(atomic_load(&channel.missed), lost[at] + 1);
    }
}
