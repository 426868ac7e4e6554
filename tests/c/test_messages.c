// SPDX-License-Identifier: Apache-2.0
// A forked child that was not answered in time goes on: its threads tell of themselves before it is known. A hostile
// one sends without an end. Whatever is sent is handled in the order in which it was sent.
#include <stdatomic.h>

#include "profiler/recorder/targets/connections.h"

static _Atomic bool floods;

// As if there were others whenever some have been taken.
static size_t receive(struct channel_server *server, bool starts_only, struct channel_received *messages, size_t max)
{
    for (size_t i = 0; floods && i < max; i++)
        messages[i] = (struct channel_received){.kind = CHANNEL_THREAD_START, .time_ns = 1};
    return floods ? max : channel_server_receive(server, starts_only, messages, max);
}

// What happens after the messages were taken and before the connections are.
static void (*meanwhile)(void);

static bool crowded; // there are others whenever some have been taken

static size_t accept_connections(const struct connections *connections, struct channel_connection *taken, size_t max,
                                 bool *more)
{
    void (*once)(void) = meanwhile;
    meanwhile = NULL;
    if (once)
        once();
    const size_t count = connections_accept(connections, taken, max, more);
    *more |= crowded;
    return count;
}

#define channel_server_receive receive
#define connections_accept accept_connections
#include "profiler/recorder/channel/thread_starts.c"
#include "profiler/recorder/targets/messages.c"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "collectors/protocol/channel_pass.h"
#include "core/system/clock.h"
#include "hand_modules.h"
#include "profiler/recorder/targets/kernel_records.h"

enum { NUMBER = 7, AT = 5, STARTED = 1 << 29 }; // STARTED: beyond any pid there is (PID_MAX_LIMIT)
static struct channel_server server;
static struct thread_starts starts;
static struct counters counters; // none can be opened
static struct messages messages;
static struct kernel_records records;
static struct perf_stream stream;
static int go[2], done[2];

static void begin_pipes(void)
{
    CHECK_EQ(pipe(go), 0);
    CHECK_EQ(pipe(done), 0);
}

static void begin_recorder(void)
{
    hand_modules();
    CHECK_EQ(channel_server_open(&server, (const int[]){0}, 1, true), 0);
    CHECK_EQ(thread_starts_start(&starts, &server, &counters), 0);
    messages = (struct messages){
        .connections = {.channel = &server, .starts = &starts, .streams = &streams, .targets = &targets}};
}

static void begin(void)
{
    begin_pipes();
    begin_recorder();
}

static void end(void)
{
    for (int i = 0; i < 2; i++) {
        close(go[i]);
        close(done[i]);
    }
    thread_starts_close(&starts);
    messages_close(&messages);
    channel_server_close(&server);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

static void begin_with_kernel_records(void)
{
    begin();
    targets.channel = &server;
    targets.faults = &records.faults;
    records = (struct kernel_records){
        .targets = &targets, .tasks = &tasks, .streams = &streams, .losses = &losses, .samples = &samples};
    stream = (struct perf_stream){.layout = HAND_LAYOUT, .handle = kernel_records_handle, .owner = &records};
    hand_ring(&stream.ring, 1);
    CHECK_EQ(perf_streams_add(&streams, &stream), 0);
}

static void end_with_kernel_records(void)
{
    perf_streams_remove(&streams, &stream);
    perf_ring_unmap(&stream.ring);
    end();
}

static void kernel_says(uint32_t type, pid_t pid, pid_t tid)
{
    const struct hand_task record = hand_task(type, (uint32_t)pid, (uint32_t)pid, (uint32_t)tid, clock_now());
    hand_put(&stream.ring, &record);
}

// --- a child does what the library does; `go` and `done` are its bytes from and to the test

static void await_byte(int fd)
{
    char byte;
    if (read(fd, &byte, 1) != 1)
        _exit(2);
}

static void give_byte(int fd)
{
    if (write(fd, "", 1) != 1)
        _exit(3);
}

static int connects(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strcspn(server.address, ":");
    memcpy(address.sun_path + 1, server.address, length);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    if (connect(fd, (const struct sockaddr *)&address, size) < 0)
        _exit(4);
    return fd;
}

static void says(int fd, uint64_t number, uint64_t time_ns, bool knows_secret)
{
    struct channel_handshake handshake = {
        .process = number, .pid = (uint32_t)getpid(), .time_ns = time_ns, .forked = true};
    if (knows_secret)
        memcpy(handshake.secret, strchr(server.address, ':') + 1, sizeof handshake.secret);
    if (channel_pass_send(fd, &handshake, sizeof handshake, -1, 0) != sizeof handshake)
        _exit(5);
}

// Ends well once it is answered.
static void is_answered(int fd)
{
    char byte;
    _exit(recv(fd, &byte, 1, 0) == 1 ? 0 : 1);
}

static pid_t child(void (*does)(void))
{
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        does();
        _exit(6);
    }
    return pid;
}

static void ends_well(pid_t pid)
{
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

static void connects_when_told(void)
{
    await_byte(go[0]);
    const int fd = connects();
    says(fd, NUMBER, clock_now(), true);
    give_byte(done[1]);
    is_answered(fd);
}

static void refused_crowd(int count)
{
    for (int i = 0; i < count; i++)
        says(connects(), NUMBER, clock_now(), false);
}

static struct channel_message *writes(uint32_t at, uint32_t kind, uint64_t process, pid_t tid, uint64_t time_ns)
{
    struct channel_message *message = &server.shared->messages[at];
    message->kind = kind;
    message->process = process;
    message->tid = (uint32_t)tid;
    message->time_ns = message->began_ns = time_ns;
    message->a = kind == CHANNEL_AFFINITY ? tid : CHANNEL_PIN_PLANNED;
    message->cpu = 0;
    message->waits = 0;
    return message;
}

static void sends(uint32_t at, uint32_t kind, uint64_t process, pid_t tid, uint64_t time_ns)
{
    atomic_store(&writes(at, kind, process, tid, time_ns)->state, CHANNEL_SENT);
    atomic_fetch_or(&server.shared->sent[at / 64], UINT64_C(1) << (at % 64));
}

static void starts_thread(pid_t tid)
{
    struct channel_message *message = writes(AT, CHANNEL_THREAD_START, NUMBER, tid, clock_now());
    message->waits = 1;
    atomic_store(&message->state, CHANNEL_SENT);
    atomic_fetch_or(&server.shared->sent[0], UINT64_C(1) << AT);
    channel_server_ring(&server);
    while (atomic_load(&message->state) == CHANNEL_SENT)
        sched_yield();
}

TEST(a_thread_that_arrives_before_its_process_is_known_is_kept_until_then)
{
    begin();
    const pid_t pid = child(connects_when_told);
    starts_thread(pid);
    messages_take(&messages);
    CHECK(!tasks_thread(&tasks, pid));
    CHECK_EQ(messages.arrival_count, 1);
    give_byte(go[1]);
    await_byte(done[0]);
    messages_take(&messages);
    ends_well(pid);
    const struct thread *thread = tasks_thread(&tasks, pid);
    CHECK(thread);
    CHECK_EQ(thread->pin, CHANNEL_PIN_PLANNED);
    CHECK_EQ(thread->planned_cpu, 0);
    CHECK_EQ(messages.arrival_count, 0);
    end();
}

TEST(who_never_ends_to_send_holds_nobody_up)
{
    const struct thread_starts_arrival *arrivals;
    begin();
    floods = true;
    channel_server_ring(&server);
    CHECK(messages_take(&messages) > 0);
    while (thread_starts_take(&starts, &arrivals) == 0)
        sched_yield();
    end();
}

// Joined, then another one made: its end, and the kernel's record of it, are older than the start of the next one.
TEST(a_thread_that_ended_has_left_its_cpu_slot_before_the_next_one_begins)
{
    const pid_t own = getpid(), ended = STARTED;
    begin_with_kernel_records();
    struct process *process = tasks_add_process(&tasks, own, NULL, 1, "preload");
    struct thread *thread = tasks_add_thread(&tasks, process, ended, 1, true, NULL);
    tasks_add_thread(&tasks, process, ended + 1, 1, true, NULL); // goes on
    process->channel = NUMBER;
    tasks_set_pin(&tasks, thread, CHANNEL_PIN_PLANNED, 0, NULL);
    thread_starts_register(&starts, NUMBER, own, false);
    atomic_store(&server.shared->slot_users[0], 1); // the next one's: the ended one has given it back
    sends(AT + 1, CHANNEL_THREAD_EXIT, NUMBER, ended, clock_now());
    kernel_says(PERF_RECORD_EXIT, own, ended);
    starts_thread(own);
    messages_take(&messages);
    CHECK_EQ(atomic_load(&server.shared->slot_users[0]), 1);
    CHECK(!tasks_thread(&tasks, ended));
    CHECK_EQ(tasks_thread(&tasks, own)->planned_cpu, 0);
    end_with_kernel_records();
}

// Its process was known before; then another process connects.
static void a_short_thread_then_a_connection(void)
{
    kernel_says(PERF_RECORD_FORK, getpid(), STARTED);
    sends(AT, CHANNEL_THREAD_START, NUMBER + 1, STARTED, clock_now());
    kernel_says(PERF_RECORD_EXIT, getpid(), STARTED);
    give_byte(go[1]);
    await_byte(done[0]);
}

TEST(a_connection_ends_no_thread_whose_start_is_still_to_be_taken)
{
    begin_with_kernel_records();
    const pid_t pid = child(connects_when_told);
    struct process *process = tasks_add_process(&tasks, getpid(), NULL, 1, "preload");
    tasks_add_thread(&tasks, process, getpid(), 1, true, NULL);
    process->channel = NUMBER + 1;
    atomic_store(&server.shared->slot_users[0], 1);
    meanwhile = a_short_thread_then_a_connection;
    messages_take(&messages);
    ends_well(pid);
    CHECK(tasks_thread(&tasks, pid));
    CHECK(!tasks_thread(&tasks, STARTED));
    CHECK_EQ(atomic_load(&server.shared->slot_users[0]), 0); // given back for the thread: it was known to be planned
    end_with_kernel_records();
}

static void two_connect_in_another_order(void)
{
    const uint64_t now = clock_now();
    const int slow = connects(), fast = connects();
    says(slow, NUMBER, now, true);
    says(fast, NUMBER + 1, now - 2, true);
    sends(AT, CHANNEL_THREAD_START, NUMBER + 1, getpid(), now - 1);
    give_byte(done[1]);
    is_answered(slow);
}

TEST(a_message_is_known_by_the_connection_before_it_whoever_connected_first)
{
    begin();
    const pid_t pid = child(two_connect_in_another_order);
    await_byte(done[0]);
    messages_take(&messages);
    ends_well(pid);
    CHECK_EQ(tasks_thread(&tasks, pid)->pin, CHANNEL_PIN_PLANNED);
    end();
}

// As one program after the other in the same process.
static void more_connect_than_are_taken_at_once(void)
{
    enum { MANY = 2 * sizeof messages.met / sizeof *messages.met };
    int fd = -1;
    for (int i = 0; i < MANY; i++)
        says(fd = connects(), NUMBER + (uint64_t)i, clock_now(), true);
    sends(AT, CHANNEL_THREAD_START, NUMBER + MANY - 1, getpid(), clock_now());
    give_byte(done[1]);
    is_answered(fd);
}

TEST(a_crowd_that_connects_loses_no_message)
{
    begin();
    const pid_t pid = child(more_connect_than_are_taken_at_once);
    await_byte(done[0]);
    messages_take(&messages);
    ends_well(pid);
    CHECK_EQ(tasks_thread(&tasks, pid)->pin, CHANNEL_PIN_PLANNED);
    CHECK_EQ(messages.early_count, 0);
    end();
}

enum { SENT = 200, REFUSED = 64 };

// Its last message says what its main thread is.
static void sends_much_behind_a_refused_crowd(void)
{
    refused_crowd(2 * REFUSED);
    const int fd = connects();
    says(fd, NUMBER, clock_now(), true);
    for (uint32_t i = 0; i < SENT; i++)
        sends(i, CHANNEL_AFFINITY, NUMBER, getpid(), clock_now());
    sends(SENT, CHANNEL_PINNED, NUMBER, getpid(), clock_now());
    give_byte(done[1]);
    is_answered(fd);
}

TEST(what_a_process_sends_is_kept_while_its_connection_waits)
{
    begin();
    const pid_t pid = child(sends_much_behind_a_refused_crowd);
    await_byte(done[0]);
    messages_take(&messages);
    CHECK_EQ(messages.early_count, SENT + 1);
    messages_take(&messages);
    messages_take(&messages);
    ends_well(pid);
    CHECK_EQ(tasks_thread(&tasks, pid)->pin, CHANNEL_PIN_PLANNED);
    CHECK_EQ(messages.early_count, 0);
    CHECK_EQ(messages.dropped, 0);
    end();
}

TEST(a_thread_that_takes_back_its_choice_is_planned_again)
{
    begin();
    const pid_t own = getpid();
    struct process *process = tasks_add_process(&tasks, own, NULL, 1, "preload");
    process->channel = NUMBER;
    tasks_add_thread(&tasks, process, own, 1, true, NULL);
    sends(AT, CHANNEL_AFFINITY, NUMBER, own, clock_now());
    messages_take(&messages);
    CHECK_EQ(tasks_thread(&tasks, own)->pin, CHANNEL_PIN_PROGRAM);
    sends(AT, CHANNEL_PINNED, NUMBER, own, clock_now());
    messages_take(&messages);
    CHECK_EQ(tasks_thread(&tasks, own)->pin, CHANNEL_PIN_PLANNED);
    CHECK_EQ(tasks_thread(&tasks, own)->planned_cpu, 0);
    end();
}

static void connects_behind_a_refused_crowd(void)
{
    refused_crowd(2 * REFUSED);
    const int fd = connects();
    says(fd, NUMBER, clock_now(), true);
    give_byte(done[1]);
    is_answered(fd);
}

// As the recorder does it: messages, then the kernel's records.
static void looks(void)
{
    const uint64_t until = clock_now();
    messages_take(&messages);
    perf_streams_drain(&streams, messages_drain_until(&messages, until));
}

// Begins a process of one thread, and another that connects behind a crowd and starts a thread that ends at once.
static pid_t begin_a_short_thread_behind_a_refused_crowd(void)
{
    begin_with_kernel_records();
    struct process *known = tasks_add_process(&tasks, getpid(), NULL, 1, "preload");
    tasks_add_thread(&tasks, known, getpid(), 1, true, NULL);
    known->channel = NUMBER + 1;
    atomic_store(&server.shared->slot_users[0], 1);
    const pid_t pid = child(connects_behind_a_refused_crowd);
    await_byte(done[0]);
    tasks_add_thread(&tasks, tasks_add_process(&tasks, pid, NULL, 1, "preload"), pid, 1, true, NULL);
    kernel_says(PERF_RECORD_FORK, pid, STARTED);
    sends(AT, CHANNEL_THREAD_START, NUMBER, STARTED, clock_now());
    kernel_says(PERF_RECORD_EXIT, pid, STARTED);
    return pid;
}

TEST(a_thread_is_not_over_before_its_start_that_waits_behind_a_refused_crowd_is_handled)
{
    const pid_t pid = begin_a_short_thread_behind_a_refused_crowd();
    sends(AT + 1, CHANNEL_PINNED, NUMBER + 1, getpid(), clock_now()); // of another process: its turn is later
    looks();
    CHECK(messages_are_held(&messages));
    CHECK_EQ(messages.early_count, 2);
    CHECK_EQ(tasks_thread(&tasks, getpid())->pin, CHANNEL_PIN_NONE);
    looks();
    looks();
    ends_well(pid);
    CHECK(!messages_are_held(&messages));
    CHECK(!tasks_thread(&tasks, STARTED));
    CHECK_EQ(atomic_load(&server.shared->slot_users[0]), 0); // given back for the thread: it was known to be planned
    CHECK_EQ(tasks_thread(&tasks, getpid())->pin, CHANNEL_PIN_PLANNED);
    end_with_kernel_records();
}

static void crowd_of_one_look(void)
{
    refused_crowd(REFUSED);
    _exit(0);
}

// A hostile process sends in the name of one that does not exist, and keeps others from being taken.
TEST(what_nobody_sent_is_waited_for_as_long_as_a_connection_before_it_may_wait)
{
    enum { LOOKS = 4 * (1 + SOMAXCONN / REFUSED) };
    int looked = 0;
    begin();
    struct process *known = tasks_add_process(&tasks, getpid(), NULL, 1, "preload");
    known->channel = NUMBER + 1;
    sends(AT, CHANNEL_PINNED, NUMBER + 2, getpid(), clock_now());
    sends(AT + 1, CHANNEL_PINNED, NUMBER + 1, getpid(), clock_now());
    ends_well(child(crowd_of_one_look));
    do {
        ends_well(child(crowd_of_one_look));
        messages_take(&messages);
    } while (messages_are_held(&messages) && ++looked < LOOKS);
    CHECK(messages.more);
    CHECK(looked > SOMAXCONN / REFUSED);
    CHECK(looked < LOOKS);
    CHECK_EQ(tasks_thread(&tasks, getpid())->pin, CHANNEL_PIN_PLANNED);
    CHECK_EQ(messages.early_count, 0);
    end();
}

TEST(the_last_look_waits_for_nobody_who_never_connected)
{
    begin();
    tasks_add_process(&tasks, getpid(), NULL, 1, "preload")->channel = NUMBER + 1;
    sends(AT, CHANNEL_PINNED, NUMBER + 2, getpid(), clock_now());
    sends(AT + 1, CHANNEL_PINNED, NUMBER + 1, getpid(), clock_now());
    crowded = true;
    messages_take_last(&messages);
    CHECK(!messages_are_held(&messages));
    CHECK_EQ(tasks_thread(&tasks, getpid())->pin, CHANNEL_PIN_PLANNED);
    end();
}

TEST(the_last_look_takes_what_waits_behind_a_refused_crowd)
{
    begin();
    const pid_t pid = child(sends_much_behind_a_refused_crowd);
    await_byte(done[0]);
    messages_take_last(&messages);
    ends_well(pid);
    CHECK_EQ(tasks_thread(&tasks, pid)->pin, CHANNEL_PIN_PLANNED);
    end();
}

TEST(a_thread_that_was_answered_before_the_last_look_is_known)
{
    begin();
    struct process *process = tasks_add_process(&tasks, getpid(), NULL, 1, "preload");
    process->channel = NUMBER;
    thread_starts_register(&starts, NUMBER, getpid(), false);
    starts_thread(getpid());
    thread_starts_stop(&starts);
    messages_take_last(&messages);
    CHECK(tasks_thread(&tasks, getpid()));
    CHECK_EQ(messages.arrival_count, 0);
    end();
}

// Nobody looks for it any more: the recorder leaves.
TEST(a_thread_start_that_was_sent_before_the_recorder_leaves_is_answered_and_known)
{
    begin();
    struct process *process = tasks_add_process(&tasks, getpid(), NULL, 1, "preload");
    process->channel = NUMBER;
    thread_starts_register(&starts, NUMBER, getpid(), false);
    struct channel_message *message = writes(AT, CHANNEL_THREAD_START, NUMBER, getpid(), clock_now());
    message->waits = 1;
    atomic_store(&starts.stop, true); // before it is sent: the thread is past its last look
    atomic_store(&message->state, CHANNEL_SENT);
    atomic_fetch_or(&server.shared->sent[0], UINT64_C(1) << AT);
    thread_starts_stop(&starts);
    CHECK_EQ(atomic_load(&message->state), CHANNEL_ANSWERED);
    messages_take_last(&messages);
    CHECK_EQ(tasks_thread(&tasks, getpid())->pin, CHANNEL_PIN_PLANNED);
    end();
}

enum { THREADS = 100 };
static pid_t *thread_numbers; // shared with the child

static void *is_there(void *at)
{
    *(pid_t *)at = (pid_t)syscall(SYS_gettid);
    give_byte(done[1]);
    await_byte(go[0]);
    return NULL;
}

static void has_many_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, is_there, &thread_numbers[i]) != 0)
            _exit(7);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

TEST(a_crowd_of_threads_that_arrive_before_their_process_is_kept)
{
    int planned = 0;
    const size_t bytes = THREADS * sizeof *thread_numbers;
    begin_pipes();
    thread_numbers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(thread_numbers != MAP_FAILED);
    const pid_t pid = child(has_many_threads); // first: a copy of a process of several threads may make none
    begin_recorder();
    for (int i = 0; i < THREADS; i++)
        await_byte(done[0]);
    for (int i = 0; i < THREADS; i++)
        starts_thread(thread_numbers[i]);
    messages_take(&messages);
    CHECK_EQ(messages.arrival_count, THREADS);
    tasks_add_process(&tasks, pid, NULL, 1, "preload")->channel = NUMBER;
    messages_take(&messages);
    for (int i = 0; i < THREADS; i++) {
        const struct thread *thread = tasks_thread(&tasks, thread_numbers[i]);
        planned += thread && thread->pin == CHANNEL_PIN_PLANNED;
        give_byte(go[1]);
    }
    CHECK_EQ(planned, THREADS);
    ends_well(pid);
    munmap(thread_numbers, bytes);
    end();
}

// A process that gets no CPU between both steps.
static void connects_and_speaks_when_told(void)
{
    const int fd = connects();
    give_byte(done[1]);
    await_byte(go[0]);
    says(fd, NUMBER, clock_now(), true);
    give_byte(done[1]);
    is_answered(fd);
}

TEST(who_connects_and_says_nothing_yet_is_heard_later)
{
    begin();
    const pid_t pid = child(connects_and_speaks_when_told);
    await_byte(done[0]);
    messages_take(&messages);
    CHECK_EQ(server.silent_count, 1);
    give_byte(go[1]);
    await_byte(done[0]);
    messages_take(&messages);
    ends_well(pid);
    CHECK_EQ(server.silent_count, 0);
    CHECK(tasks_thread(&tasks, pid));
    end();
}

static void too_many_connect_in_silence(void)
{
    char byte;
    const int oldest = connects();
    for (int i = 0; i < CHANNEL_SERVER_SILENT; i++)
        connects();
    give_byte(done[1]);
    if (recv(oldest, &byte, 1, 0) > 0) // it is closed: it would ask again
        _exit(8);
    const int fd = connects();
    says(fd, NUMBER, clock_now(), true);
    give_byte(done[1]);
    is_answered(fd);
}

TEST(a_crowd_that_says_nothing_keeps_nobody_waiting)
{
    begin();
    const pid_t pid = child(too_many_connect_in_silence);
    await_byte(done[0]);
    for (int i = 0; i < 2; i++)
        messages_take(&messages);
    CHECK_EQ(server.silent_count, CHANNEL_SERVER_SILENT);
    await_byte(done[0]);
    messages_take(&messages);
    ends_well(pid);
    CHECK(tasks_thread(&tasks, pid));
    end();
}

static void connects_in_silence_until_it_is_closed(void)
{
    char byte;
    const int fd = connects();
    give_byte(done[1]);
    _exit(recv(fd, &byte, 1, 0) > 0 ? 1 : 0);
}

// Where descriptors are few, the next connection needs those held back for it.
TEST(nobody_is_set_aside_on_the_last_descriptors)
{
    struct rlimit few, before;
    begin();
    const pid_t pid = child(connects_in_silence_until_it_is_closed);
    await_byte(done[0]);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)dup(server.listener); // the lowest free one
    close((int)few.rlim_cur);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    messages_take(&messages);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    ends_well(pid);
    CHECK_EQ(server.silent_count, 0);
    for (size_t i = 0; i < CHANNEL_SERVER_SPARE; i++)
        CHECK(server.spare[i] >= 0);
    end();
}

// In another pid namespace it calls itself by a number that is another process's here.
TEST(a_thread_of_no_known_process_is_none_of_a_stranger)
{
    begin();
    starts_thread(getppid());
    messages_take(&messages);
    CHECK_EQ(messages.arrival_count, 1);
    CHECK_EQ(messages.arrivals[0].tid, 0);
    end();
}

// A counter of the library's, and one of ours whose buffer is full: their note has the sum.
static void counts_one_more_than(uint64_t lost)
{
    begin();
    messages.early_count = CHANNEL_MESSAGES;
    messages.dropped = lost;
    messages_postpone(&messages, &(struct channel_received){.kind = CHANNEL_REGION});
    messages.early_count = 0;
    atomic_store(&server.shared->missed, lost + 1);
    atomic_store(&server.shared->unmade, lost + 1);
    messages_finish(&messages);
    end();
    CHECK_EQ(hand_number("SELECT value FROM note WHERE kind = 'unmatched'"), 2 * (long long)(lost + 1));
    CHECK_EQ(hand_number("SELECT value FROM note WHERE kind = 'unmade'"), (long long)lost + 1);
}

TEST(lost_messages_and_unmade_threads_are_counted_beyond_16_bits)
{
    counts_one_more_than(UINT16_MAX);
}

TEST(lost_messages_and_unmade_threads_are_counted_beyond_32_bits)
{
    counts_one_more_than(UINT32_MAX);
}

TEST(lost_messages_and_unmade_threads_are_counted_beyond_48_bits)
{
    counts_one_more_than(1ULL << 48);
}
