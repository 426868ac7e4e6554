// SPDX-License-Identifier: Apache-2.0
// The kernel's records, from a ring made by hand through the recorder's own modules to rows of the recording. The
// process of the records is this test itself: its pages can be asked for.
#include "profiler/recorder/targets/kernel_records.h"

#include <errno.h>

#include "collectors/processes/thread_time.h"
#include "core/system/clock.h"
#include "hand_modules.h"

enum { EVENT = 1, CHILD = 1 << 29, WORKER }; // beyond any pid there is (PID_MAX_LIMIT)

static struct kernel_records records;
static struct faults_source source;
static uint32_t own;

static void begin(void)
{
    own = (uint32_t)getpid();
    hand_modules();
    targets.faults = &records.faults;
    records = (struct kernel_records){
        .targets = &targets, .tasks = &tasks, .streams = &streams, .losses = &losses, .samples = &samples,
        .faults = {.tasks = &tasks, .samples = &samples, .objects = &allocations.objects,
                   .event = EVENT, .streams = &streams, .tells_mapped = true, .sources = 1,
                   .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)}};
    CHECK_EQ(faults_prepare(&records.faults), 0);
    source = (struct faults_source){.faults = &records.faults, .fd_every = -1, .fd_some = -1,
                                    .downsample = faults_downsample_begin(16, false),
                                    .stream =
                                        {.layout = HAND_LAYOUT, .handle = kernel_records_handle, .owner = &records}};
    hand_ring(&source.stream.ring, 4);
    CHECK_EQ(perf_streams_add(&streams, &source.stream), 0);
    struct process *process = tasks_add_process(&tasks, (pid_t)own, NULL, 1, "inherited");
    CHECK(process && tasks_add_thread(&tasks, process, (pid_t)own, 1, true, NULL));
}

static void put(const void *record)
{
    hand_put(&source.stream.ring, record);
}

static void finish(void)
{
    perf_streams_drain(&streams, UINT64_MAX);
    records.faults.hurry = true;
    targets_classify(&targets, NULL);
    losses_finish(&losses, &tasks);
    samples_write_sums(&samples);
    tasks_end_all(&tasks);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0);
}

TEST(threads_begin_are_named_and_end)
{
    begin();
    const struct hand_task start = hand_task(PERF_RECORD_FORK, own, own, WORKER, 100);
    const struct hand_name name = hand_name(WORKER, "worker", 150);
    const struct hand_task end = hand_task(PERF_RECORD_EXIT, own, own, WORKER, 300);
    put(&start);
    put(&name);
    put(&end);
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM thread"), 2);
    CHECK_EQ(hand_number("SELECT end_ns - start_ns FROM thread WHERE name = 'worker'"), 200);
    CHECK_EQ(hand_number("SELECT count(*) FROM process"), 1);
}

// A recorder that got no CPU read it when the thread had hardly begun, and then heard of its end.
TEST(cpu_time_that_was_read_long_before_the_end_is_not_known)
{
    begin();
    struct process *process = tasks_process(&tasks, (pid_t)own);
    for (int i = 0; i < 2; i++) {
        struct thread *thread = tasks_add_thread(&tasks, process, WORKER + i, 2, true, NULL);
        CHECK(thread);
        thread_time_set(thread, 5000);
        tasks_end_thread(&tasks, thread, clock_now() + (i ? 10000 : 10) * CLOCK_MS);
    }
    finish();
    CHECK_EQ(hand_number("SELECT sum(cpu_ns) FROM thread WHERE tid >= 536870913"), 5000);
    CHECK_EQ(hand_number("SELECT count(*) FROM thread WHERE tid >= 536870913 AND cpu_ns IS NULL"), 1);
}

TEST(a_child_process_has_its_parent_and_ends_with_its_last_thread)
{
    begin();
    const struct hand_task start = hand_task(PERF_RECORD_FORK, CHILD, own, CHILD, 100);
    const struct hand_task second = hand_task(PERF_RECORD_FORK, CHILD, CHILD, WORKER, 110);
    const struct hand_task first_end = hand_task(PERF_RECORD_EXIT, CHILD, CHILD, CHILD, 200);
    const struct hand_task last_end = hand_task(PERF_RECORD_EXIT, CHILD, CHILD, WORKER, 300);
    put(&start);
    put(&second);
    put(&first_end);
    put(&last_end);
    finish();
    CHECK_EQ(hand_number("SELECT p.pid FROM process c JOIN process p ON c.parent = p.id"), (long long)own);
    CHECK_EQ(hand_number("SELECT end_ns FROM process WHERE parent IS NOT NULL"), 299);
    CHECK_EQ(hand_number("SELECT count(*) FROM thread"), 3);
}

TEST(a_thread_that_execs_goes_on_as_the_main_thread)
{
    begin();
    const struct hand_task start = hand_task(PERF_RECORD_FORK, own, own, WORKER, 100);
    const struct hand_task end = hand_task(PERF_RECORD_EXIT, own, own, own, 200);
    struct hand_name exec = hand_name(own, "other", 300);
    exec.header.misc = PERF_RECORD_MISC_COMM_EXEC;
    const struct hand_sample sample = hand_sample(own, 400, 0x400010, 0x1000);
    put(&start);
    put(&end);
    put(&exec);
    put(&sample);
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM note WHERE kind = 'unmatched'"), 0);
    CHECK_EQ(hand_number("SELECT count(*) FROM process"), 1);
    CHECK_EQ(hand_number("SELECT count(*) FROM thread"), 3);
    CHECK_EQ(hand_number("SELECT end_ns = start_ns + 200 FROM thread WHERE tid = 536870913"), 1);
    CHECK_EQ(hand_number("SELECT count(*) FROM sample JOIN thread ON thread.id = thread AND name = 'other'"), 1);
}

TEST(after_its_main_thread_a_process_is_shown_by_another_one)
{
    begin();
    const struct process *process = tasks_process(&tasks, (pid_t)own);
    CHECK(tasks_add_thread(&tasks, tasks_process(&tasks, (pid_t)own), WORKER, 2, true, NULL));
    CHECK_EQ(process->shown, (pid_t)own);
    tasks_end_thread(&tasks, tasks_thread(&tasks, (pid_t)own), 3);
    CHECK_EQ(process->shown, WORKER);
    finish();
}

// Each page is written first, so that the kernel knows its node when the samples are classified.
TEST(faults_on_new_memory_are_first_touches_with_their_page_and_weight)
{
    enum { PAGES = 8 };
    begin();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, PAGES * page);
    struct process *process = tasks_process(&tasks, (pid_t)own);
    address_space_clear(&process->space);
    CHECK_EQ(address_space_read(&process->space, &tasks.paths, process->pid), 0);
    for (uint64_t i = 0; i < PAGES; i++) {
        const struct hand_sample sample = hand_sample(own, 100 + i, 0x400010, (uintptr_t)memory + i * page);
        put(&sample);
    }
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM sample WHERE kind = 10 AND page_node >= 0"), PAGES);
    CHECK_EQ(hand_number("SELECT sum(weight) FROM sample WHERE kind = 10"), PAGES);
    CHECK_EQ(hand_number("SELECT samples FROM sample_sum WHERE kind = 10"), PAGES);
}

TEST(a_sample_that_both_events_report_counts_once)
{
    begin();
    struct hand_sample sample = hand_sample(own, 100, 0x400010, (uintptr_t)&machine);
    put(&sample);
    sample.id++;
    put(&sample);
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM sample"), 1);
}

TEST(samples_of_unknown_threads_are_counted_as_unmatched)
{
    begin();
    const struct hand_sample sample = hand_sample(WORKER, 100, 0x400010, 0x1000);
    put(&sample);
    finish();
    CHECK_EQ(hand_number("SELECT value FROM note WHERE kind = 'unmatched'"), 1);
    CHECK_EQ(hand_number("SELECT count(*) FROM sample"), 0);
}

// Each past 2^8 and 2^16.
TEST(every_loss_is_counted_in_full)
{
    static const uint64_t lost[] = {255, 1, 65535, 1, 1ULL << 40};
    uint64_t all = 0;
    begin();
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        const struct hand_lost record = hand_lost(lost[i], 100 + i);
        put(&record);
        all += lost[i];
    }
    finish();
    CHECK_EQ(hand_number("SELECT value FROM note WHERE kind = 'lost'"), (long long)all);
}

TEST(a_malformed_record_is_counted_and_the_next_one_is_read)
{
    begin();
    struct hand_sample cut = hand_sample(own, 100, 0x400010, 0x1000);
    cut.chain_count = 1000;
    const struct hand_task start = hand_task(PERF_RECORD_FORK, own, own, WORKER, 200);
    put(&cut);
    put(&start);
    finish();
    CHECK_EQ(hand_number("SELECT value FROM note WHERE text LIKE '%malformed%'"), 1);
    CHECK_EQ(hand_number("SELECT count(*) FROM thread"), 2);
}

static long long weight_of(const uint64_t *periods, size_t count)
{
    begin();
    source.id_some = 7; // of hand_sample
    for (size_t i = 0; i < count; i++) {
        struct hand_sample sample = hand_sample(own, 100 + i, 0x400010, 0x1000 * (i + 1));
        sample.period = periods[i];
        put(&sample);
    }
    finish();
    return hand_number("SELECT sum(weight) FROM sample");
}

// 1 fault up to the first sample, 1 to the second, 4 to the third, and half of the 9 until the next one.
TEST(a_downsampled_fault_stands_for_half_of_those_before_and_half_of_those_after)
{
    CHECK_EQ(weight_of((const uint64_t[]){1, 4, 9}, 3), 1 + (1 + 4) / 2 + (4 + 9 + 1) / 2);
}

TEST(a_downsampled_fault_that_is_recorded_twice_weighs_one)
{
    begin();
    source.id_some = 7;
    struct hand_sample sample = hand_sample(own, 100, 0x400010, 0x1000);
    sample.period = 50;
    put(&sample);
    sample.id = 8;
    sample.period = 1;
    put(&sample);
    finish();
    CHECK_EQ(hand_number("SELECT sum(weight) FROM sample"), 1);
}

// Short threads inherit a long period, and have no samples: what the event counted more goes to the next samples.
TEST(faults_without_a_sample_are_shared_by_the_next_samples)
{
    enum { SAMPLES = 400, COUNTED = 100000 };
    begin();
    source.downsample.is_on = source.is_off = true;
    source.counted = COUNTED; // at the end of the last window
    faults_adapt(&source, 1000000000);
    CHECK_EQ(source.downsample.owed, COUNTED);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const struct hand_sample sample = hand_sample(own, 100 + i, 0x400010, 0x1000 * (i + 1));
        put(&sample);
        perf_streams_drain(&streams, UINT64_MAX); // the ring is small
    }
    finish();
    CHECK_EQ(hand_number("SELECT sum(weight) FROM sample"), COUNTED + SAMPLES);
    CHECK_EQ(hand_number("SELECT max(weight) < 0.05 * sum(weight) FROM sample"), 1);
}

// Lost records are shared by the samples of the next memory, which has fewer pages than that, each touched once.
TEST(faults_without_a_sample_are_first_touches_of_the_next_memory_as_far_as_it_has_pages)
{
    enum { PAGES = 64, COUNTED = 4000 };
    begin();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, PAGES * page);
    struct process *process = tasks_process(&tasks, (pid_t)own);
    const struct mapping mapping = {.start = (uintptr_t)memory, .end = (uintptr_t)memory + PAGES * page, .path = ""};
    address_space_clear(&process->space);
    CHECK_EQ(address_space_add(&process->space, mapping), 0);
    source.downsample.is_on = source.is_off = true;
    source.counted = COUNTED;
    faults_adapt(&source, 1000000000);
    for (uint64_t i = 0; i < PAGES; i++) {
        const struct hand_sample sample = hand_sample(own, 100 + i, 0x400010, (uintptr_t)memory + i * page);
        put(&sample);
        perf_streams_drain(&streams, UINT64_MAX); // the ring is small
    }
    finish();
    CHECK_EQ(hand_number("SELECT count(*) FROM sample WHERE kind = 10"), PAGES);
    CHECK_EQ(hand_number("SELECT sum(weight) BETWEEN 64 AND 2 * 64 FROM sample WHERE kind = 10"), 1);
    CHECK_EQ(hand_number("SELECT sum(weight) > 0.8 * 4000 FROM sample"), 1);
    CHECK_EQ(hand_number("SELECT count(*) FROM sample WHERE kind = 19 AND address IS NULL AND stack IS NULL"), PAGES);
}

TEST(faults_whose_samples_may_still_wait_are_not_owed)
{
    begin();
    source.downsample.is_on = source.is_off = true;
    source.counted = 5;
    source.downsample.represented = 9;
    faults_adapt(&source, 1000000000);
    CHECK_EQ(source.downsample.owed, 0);
}

// A merged neighbour keeps what faults were seen to place in it; a new mapping of the same size has nothing.
TEST(placed_pages_stay_with_a_mapping_that_the_kernel_joins_with_another)
{
    struct address_space space = {0};
    const struct mapping first = {.start = 0x10000, .end = 0x20000, .path = ""};
    const struct mapping joined = {.start = 0x8000, .end = 0x20000, .path = ""};
    CHECK_EQ(address_space_add(&space, first), 0);
    address_space_find(&space, 0x10000)->placed_pages = 16;
    CHECK_EQ(address_space_add(&space, joined), 0);
    CHECK_EQ(address_space_find(&space, 0x10000)->placed_pages, 16);
    CHECK_EQ(address_space_add(&space, joined), 0);
    CHECK_EQ(address_space_find(&space, 0x10000)->placed_pages, 0);
    address_space_clear(&space);
}

// Opens the rings of this process, on one CPU.
static void open_own(void)
{
    static struct topology_cpu cpu = {.online = true, .allowed = true};
    static const struct topology topology = {.cpus = &cpu, .cpu_count = 1};
    begin();
    perf_streams_remove(&streams, &source.stream); // the list keeps room for the next one
    records.topology = &topology;
    kernel_records_open_running(&records, getpid());
}

TEST(rings_of_the_kernel_that_nobody_can_drain_are_closed_and_the_cause_is_kept)
{
    open_own();
    CHECK_SKIP_UNLESS(records.error == 0, "the kernel lets nobody see page faults here");
    CHECK_EQ(streams.count, 1);
    kernel_records_close(&records);
    perf_streams_free(&streams);
    CHECK_EQ(recording_queue_stop(tasks.queue), 0); // a ring that is not opened writes no row
    tasks.queue = NULL;
    check_no_memory = true;
    kernel_records_open_running(&records, getpid());
    CHECK_EQ(records.error, -ENOMEM);
    CHECK_EQ(records.count + streams.count, 0);
    CHECK(!tasks.has_kernel_records);
}

enum { PAGE = 4096 };

TEST(ranks_of_one_host_share_the_memory_for_rings)
{
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(2, 2, 1)), 1024);
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(2, 2, -1)), 1024); // how many there are is not told
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(2, 2, 64)), 64);   // 64 x 2 rings in 32 MiB
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(512, 512, 64)), 16); // never less
}

TEST(bound_ranks_do_not_take_from_the_rings_of_others)
{
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(64, 64, 1)), 128);
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(64, 1, 64)), 128);
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(64, 8, 64)), 16);
    CHECK_EQ(kernel_records_ring_pages(PAGE, kernel_records_rings(64, 1, 2)), 128);
}
