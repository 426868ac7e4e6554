// SPDX-License-Identifier: Apache-2.0
// The join of addresses to blocks, against a list that is searched from end to end.
#include "collectors/heap/objects.h"

#include <unistd.h>

#include "check.h"

static struct recording_queue *queue;
static struct tasks tasks;
static struct objects objects;
static struct process process;

static void begin(void)
{
    unlink("objects.numaprof");
    CHECK_EQ(recording_queue_create(&queue, "objects.numaprof"), 0);
    tasks = (struct tasks){.queue = queue};
    objects = (struct objects){.queue = queue, .tasks = &tasks};
    process = (struct process){.id = 1};
}

static void end(void)
{
    live_allocations_free(&process.heap);
    live_allocations_free(&process.mapped);
    objects_free(&objects);
    CHECK_EQ(recording_queue_stop(queue), 0);
}

static void allocate(const char *kind, uint64_t address, uint64_t bytes, uint64_t since)
{
    const struct objects_block block = {
        .address = address, .bytes = bytes, .since = since, .kind = kind, .stack = 7, .thread = 1};
    objects_allocated(&objects, &process, &block);
}

static int64_t block_at(uint64_t address, uint64_t time)
{
    struct objects_found found = objects_live(&objects, &process, address, time);
    return objects_block(&objects, &process, address, time, found);
}

TEST(a_block_is_found_from_its_first_to_its_last_byte)
{
    begin();
    allocate("heap", 0x10000, 0x1000, 10);
    int64_t block = block_at(0x10000, 11);
    CHECK(block > 0);
    CHECK_EQ(block_at(0x10fff, 11), block);
    CHECK_EQ(block_at(0x11000, 11), RECORDING_NULL);
    CHECK_EQ(block_at(0xff00, 11), RECORDING_NULL);
    end();
}

TEST(the_allocators_words_before_a_block_are_the_blocks)
{
    begin();
    allocate("heap", 0x10010, 0x1000, 10);
    CHECK(block_at(0x10000, 11) > 0);
    CHECK_EQ(block_at(0x10000, 9), RECORDING_NULL);
    end();
}

TEST(an_address_used_again_is_another_block)
{
    begin();
    allocate("heap", 0x10000, 0x1000, 10);
    int64_t first = block_at(0x10800, 11);
    struct objects_found taken = objects_live(&objects, &process, 0x10800, 12);
    objects_freed(&objects, &process, 0x10000, 20);
    CHECK_EQ(block_at(0x10800, 21), RECORDING_NULL);
    allocate("heap", 0x10000, 0x1000, 30);
    CHECK(block_at(0x10800, 31) != first);
    CHECK_EQ(objects_block(&objects, &process, 0x10800, 12, taken), first); // looked at late, taken in time
    end();
}

TEST(what_calloc_touches_is_the_block_it_returns)
{
    begin();
    struct objects_found taken = objects_live(&objects, &process, 0x10800, 15);
    CHECK_EQ(taken.block, RECORDING_NULL);
    allocate("heap", 0x10000, 0x1000, 10); // called before the touch, told of after it
    CHECK(objects_block(&objects, &process, 0x10800, 15, taken) > 0);
    end();
}

TEST(a_touch_is_the_blocks_even_if_that_lived_shortly)
{
    begin();
    struct objects_found taken = objects_live(&objects, &process, 0x10800, 15);
    allocate("heap", 0x10000, 0x1000, 10);
    objects_freed(&objects, &process, 0x10000, 20);
    CHECK(objects_block(&objects, &process, 0x10800, 15, taken) > 0);
    end();
}

TEST(a_use_after_free_is_not_the_next_blocks)
{
    begin();
    struct objects_found taken = objects_live(&objects, &process, 0x10800, 15);
    allocate("heap", 0x10000, 0x1000, 20);
    CHECK_EQ(objects_block(&objects, &process, 0x10800, 15, taken), RECORDING_NULL);
    end();
}

// Touches wait for a block, then the process runs another program: how many wait still?
static size_t waiting_after_exec(size_t touches)
{
    size_t waiting = 0;
    begin();
    for (size_t i = 0; i < touches; i++)
        objects_live(&objects, &process, 0x10000, 15);
    objects_forget_unnamed(&objects, &process);
    for (size_t i = 0; i < OBJECTS_UNNAMED; i++)
        waiting += objects.unnamed[i].process == process.id;
    end();
    return waiting;
}

TEST(no_touch_of_the_program_before_an_exec_waits_for_a_block)
{
    CHECK_EQ(waiting_after_exec(1), 0);
    CHECK_EQ(waiting_after_exec(OBJECTS_UNNAMED - 1), 0);
    CHECK_EQ(waiting_after_exec(OBJECTS_UNNAMED), 0);
    CHECK_EQ(waiting_after_exec(OBJECTS_UNNAMED + 3), 0);
}

TEST(blocks_of_an_allocator_lie_in_what_it_mapped)
{
    begin();
    allocate("mapping", 0x100000, 0x100000, 10);
    int64_t arena = block_at(0x180000, 11);
    allocate("heap", 0x180000, 0x1000, 20);
    CHECK(block_at(0x180000, 21) != arena);
    CHECK_EQ(block_at(0x190000, 21), arena);
    objects_freed(&objects, &process, 0x180000, 30);
    CHECK_EQ(block_at(0x180000, 31), arena);
    end();
}

TEST(a_mapping_may_lose_its_ends_and_its_middle)
{
    begin();
    allocate("mapping", 0x100000, 0x100000, 10);
    int64_t block = block_at(0x180000, 11);
    objects_unmapped(&objects, &process, 0x100000, 0x10000, 20);
    objects_unmapped(&objects, &process, 0x1f0000, 0x20000, 20);
    CHECK_EQ(block_at(0x100000, 21), RECORDING_NULL);
    CHECK_EQ(block_at(0x1f0000, 21), RECORDING_NULL);
    CHECK_EQ(block_at(0x180000, 21), block);
    objects_unmapped(&objects, &process, 0x140000, 0x10000, 30);
    CHECK_EQ(block_at(0x140000, 31), RECORDING_NULL);
    CHECK_EQ(block_at(0x13ffff, 31), block);
    CHECK(block_at(0x150000, 31) > 0);
    end();
}

static bool find_one(void *context, const struct mapping *mapping, uint64_t address, struct objects_variable *variable)
{
    (void)context;
    (void)mapping;
    (void)address;
    *variable = (struct objects_variable){.name = "c", .start = 0x10080, .bytes = 0x3000};
    return true;
}

TEST(a_variable_in_two_mappings_of_its_file_is_one)
{
    begin();
    objects.find_variable = find_one;
    struct mapping of_file = {.start = 0x10000, .end = 0x11000, .path = "/bin/x", .serial = 1, .kind = MAPPING_STATIC};
    struct mapping rest = {.start = 0x11000, .end = 0x14000, .path = of_file.path, .serial = 2, .kind = MAPPING_STATIC};
    CHECK_EQ(address_space_add(&process.space, of_file), 0);
    CHECK_EQ(address_space_add(&process.space, rest), 0);
    int64_t block = block_at(0x10800, 1);
    CHECK(block > 0);
    CHECK_EQ(block_at(0x12000, 2), block);
    address_space_clear(&process.space);
    end();
}

TEST(variables_of_the_observing_library_have_no_names)
{
    begin();
    objects.find_variable = find_one;
    const char *path = "/memfd:libnumaprof-preload.so (deleted)";
    const struct mapping file = {.start = 0x10000, .end = 0x11000, .path = path, .serial = 1, .kind = MAPPING_STATIC};
    const struct mapping rest = {.start = 0x11000, .end = 0x14000, .path = path, .serial = 2, .kind = MAPPING_STATIC};
    CHECK_EQ(address_space_add(&process.space, file), 0);
    CHECK_EQ(address_space_add(&process.space, rest), 0);
    CHECK(block_at(0x10800, 1) != block_at(0x12000, 2)); // each mapping by itself: the file's name says whose it is
    address_space_clear(&process.space);
    end();
}

TEST(after_missed_frees_nothing_is_called_by_an_old_name)
{
    begin();
    for (uint64_t i = 0; i < 100; i++)
        allocate("heap", 0x100000 + i * 0x1000, 0x1000, 10);
    objects_forget_heap(&objects, &process, 20);
    for (uint64_t i = 0; i < 100; i++)
        CHECK_EQ(block_at(0x100000 + i * 0x1000, 21), RECORDING_NULL);
    end();
}

TEST(a_million_blocks_of_one_path_are_not_a_million_rows)
{
    begin();
    for (uint64_t i = 0; i < 1000000; i++) {
        allocate("heap", 0x100000, 0x1000, i);
        objects_freed(&objects, &process, 0x100000, i);
    }
    CHECK_EQ(objects.object_count, 1);
    CHECK_EQ(objects.block_count, OBJECTS_BLOCKS_OF_ONE);
    allocate("heap", 0x100000, 0x1000, 1000000);
    CHECK(block_at(0x100000, 1000001) > OBJECTS_BLOCKS_OF_ONE); // one that has a sample has a row
    end();
}

TEST(absurd_sizes_are_no_blocks)
{
    begin();
    allocate("heap", 0x10000, 0, 10);
    allocate("heap", 0x10000, UINT64_MAX, 10);
    CHECK_EQ(block_at(0x10000, 11), RECORDING_NULL);
    end();
}

// --- random intervals and reuse

enum { MODEL_BLOCKS = 4000, MODEL_STEPS = 40000, MODEL_SPACE = 1 << 16 };

static struct {
    uint64_t start, end, since;
    int64_t row;                     // as first seen, 0: not yet
    bool lives;
} model[MODEL_BLOCKS];
static int model_count;

static uint64_t model_random(uint64_t below)
{
    static uint64_t state = 12345;
    return (state = table_mix(state, 1)) % below;
}

static void model_allocate(uint64_t time)
{
    uint64_t start = model_random(MODEL_SPACE), bytes = 1 + model_random(500);
    if (model_count == MODEL_BLOCKS)
        return;
    for (int i = 0; i < model_count; i++)
        if (model[i].start < start + bytes && start < model[i].end)
            model[i].lives = false;
    allocate("heap", start, bytes, time);
    model[model_count].start = start;
    model[model_count].end = start + bytes;
    model[model_count].since = time;
    model[model_count++].lives = true;
}

static void model_free(uint64_t time)
{
    uint64_t address = model_random(MODEL_SPACE);
    if (model_count > 0 && model_random(4) > 0)
        address = model[model_random((uint64_t)model_count)].start;
    for (int i = 0; i < model_count; i++)
        model[i].lives &= model[i].start != address;
    objects_freed(&objects, &process, address, time);
}

static void model_look(uint64_t time)
{
    uint64_t address = model_random(MODEL_SPACE);
    int expected = -1;
    for (int i = 0; i < model_count; i++)
        if (model[i].lives && model[i].start <= address && address < model[i].end)
            expected = i;
    int64_t row = objects_live(&objects, &process, address, time).block;
    CHECK_EQ(row == RECORDING_NULL, expected < 0);
    if (expected < 0)
        return;
    CHECK(model[expected].row == 0 || model[expected].row == row);
    model[expected].row = row;
    for (int i = 0; i < model_count; i++)
        CHECK(i == expected || model[i].row != row);
}

TEST(random_blocks_are_found_as_by_a_search_of_all)
{
    begin();
    for (uint64_t time = 1; time < MODEL_STEPS; time++) {
        uint64_t what = model_random(10);
        if (what == 0)
            model_allocate(time);
        else if (what == 1)
            model_free(time);
        else
            model_look(time);
    }
    CHECK(model_count > MODEL_BLOCKS / 2);
    end();
}

static int64_t block_of_shared(struct process *other, uint64_t address, uint64_t bytes, uint64_t offset, uint64_t inode)
{
    const struct mapping shared =
        {.start = address, .end = address + bytes, .file_offset = offset, .inode = inode, .device = 1,
                                   .path = "/dev/shm/x", .kind = MAPPING_SHARED, .shared = true};
    const struct objects_found found = {.block = RECORDING_NULL};
    address_space_clear(&other->space);
    CHECK_EQ(address_space_add(&other->space, shared), 0);
    return objects_block(&objects, other, address, 1, found);
}

TEST(shared_memory_is_one_object_at_every_address)
{
    begin();
    struct process second = {.id = 2};
    int64_t first = block_of_shared(&process, 0x100000, 0x8000, 0, 7);
    CHECK_EQ(objects.object_count, 1);
    CHECK_EQ(block_of_shared(&second, 0x100000, 0x8000, 0, 7), first);
    int64_t elsewhere = block_of_shared(&second, 0x900000, 0x8000, 0, 7);
    CHECK(elsewhere != first);
    CHECK_EQ(block_of_shared(&process, 0x900000, 0x8000, 0, 7), elsewhere);
    CHECK(block_of_shared(&second, 0x300000, 0x4000, 0, 7) != first); // a part of it
    CHECK_EQ(objects.object_count, 1);
    block_of_shared(&second, 0x100000, 0x9000, 0, 7);
    CHECK_EQ(objects.object_count, 2); // more of it
    block_of_shared(&second, 0x100000, 0x8000, 0x8000, 7);
    CHECK_EQ(objects.object_count, 3); // another part
    block_of_shared(&second, 0x100000, 0x8000, 0, 8);
    CHECK_EQ(objects.object_count, 4); // another file
    address_space_clear(&process.space);
    address_space_clear(&second.space);
    end();
}
