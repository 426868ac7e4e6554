// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-28, twenty-sixth
// truth: a server that runs guests of tenants in a small virtual machine, each in a slot of 1.25 MiB of one pool (anonymous mmap, 10 MiB in all): main writes every page of the pool first, because pool_warm_up runs the guest once in each slot, but slot_reset then gives the pages back by madvise(MADV_DONTNEED), so that they are new again; each of eight pthreads puts the data of the guest into its own slot, writes all of it first and alone runs its 14 requests there, and it resets the slot itself once, half way; the code of the guest (some 100 bytes) stays in caches: nothing to gain, about none of the requests are remote
// fix: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLOTS 8
#define SLOT_SIZE ((size_t)1280 << 10)
#define REQUESTS 14

enum op { SET, ADD, MUL, XOR, STEP, LOAD, STORE, JUMP_BELOW, RETURN };

struct instruction {
    uint8_t op, a, b;
    int32_t value;
};

struct module {
    const struct instruction *code;
    const void *data; // copied to the start of the memory of an instance
    size_t instructions, data_size;
};

struct worker {
    pthread_t thread;
    uint8_t *pool;
    const struct module *module;
    unsigned slot, trapped;
    uint64_t answer;
};

// Adds a request to all records of 16 bytes of a session, and mixes them.
static const struct instruction session_code[] = {
    {LOAD, 5, 6, 0}, // the factor is in the data, r6 is 0
    {SET, 1, 0, 64}, {SET, 2, 0, SLOT_SIZE}, {SET, 3, 0, 0},
    {LOAD, 4, 1, 0}, {ADD, 4, 0, 0}, {ADD, 4, 1, 0}, {MUL, 4, 5, 0}, {STORE, 4, 1, 0},
    {XOR, 3, 4, 0}, {STEP, 1, 0, 16}, {JUMP_BELOW, 1, 2, 4},
    {STORE, 3, 6, 8}, {RETURN, 3, 0, 0},
};
static const uint64_t session_data[] = {6364136223846793005u, 0, 1, 1, 2, 3, 5, 8};

static uint8_t *slot_memory(uint8_t *pool, unsigned slot)
{
    return pool + slot * SLOT_SIZE;
}

static int slot_reset(uint8_t *pool, unsigned slot)
{
    return madvise(slot_memory(pool, slot), SLOT_SIZE, MADV_DONTNEED);
}

static void instantiate(uint8_t *pool, unsigned slot, const struct module *module)
{
    memcpy(slot_memory(pool, slot), module->data, module->data_size);
}

// Runs the guest; returns 1 for an access outside of its memory or a bad instruction.
static int run(const struct module *module, uint8_t *memory, uint64_t argument, uint64_t *result)
{
    uint64_t r[8] = {argument};

    for (size_t at = 0; at < module->instructions; at++) {
        const struct instruction *i = &module->code[at];
        uint64_t address = r[i->b] + (uint64_t)(int64_t)i->value;
        switch ((enum op)i->op) {
        case SET: r[i->a] = (uint64_t)(int64_t)i->value; break;
        case ADD: r[i->a] += r[i->b]; break;
        case MUL: r[i->a] *= r[i->b]; break;
        case XOR: r[i->a] ^= r[i->b]; break;
        case STEP: r[i->a] += (uint64_t)(int64_t)i->value; break;
        case LOAD:
        case STORE:
            if (address > SLOT_SIZE - 8)
                return 1;
            i->op == LOAD ? memcpy(&r[i->a], memory + address, 8) : memcpy(memory + address, &r[i->a], 8);
            break;
        case JUMP_BELOW: at = r[i->a] < r[i->b] ? (size_t)i->value - 1 : at; break;
        case RETURN: *result = r[i->a]; return 0;
        default: return 1;
        }
    }
    return 1;
}

// No slot is handed out that has not answered a first request as the others have.
static int pool_warm_up(uint8_t *pool, const struct module *module)
{
    uint64_t expected = 0, result;

    for (unsigned slot = 0; slot < SLOTS; slot++) {
        instantiate(pool, slot, module);
        if (run(module, slot_memory(pool, slot), 1, &result) != 0)
            return -1;
        expected = slot == 0 ? result : expected;
        if (result != expected || slot_reset(pool, slot) != 0)
            return -1;
    }
    return 0;
}

static void *serve(void *argument)
{
    struct worker *w = argument;
    uint64_t result = 0;

    for (unsigned request = 0; request < REQUESTS && !w->trapped; request++) {
        if (request % (REQUESTS / 2) == 0) { // the next tenant
            if (request > 0 && slot_reset(w->pool, w->slot) != 0)
                w->trapped = 1;
            instantiate(w->pool, w->slot, w->module);
        }
        w->trapped |= (unsigned)run(w->module, slot_memory(w->pool, w->slot), 100 * w->slot + request, &result);
        w->answer = w->answer * 31 + result;
    }
    return NULL;
}

int main(void)
{
    static const struct module session = {
        session_code, session_data, sizeof session_code / sizeof *session_code, sizeof session_data};
    struct worker workers[SLOTS] = {0};
    uint8_t *pool;
    uint64_t answers = 0;
    unsigned trapped = 0;

    pool = mmap(NULL, SLOTS * SLOT_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pool == MAP_FAILED || pool_warm_up(pool, &session) != 0) {
        fprintf(stderr, "no pool\n");
        return EXIT_FAILURE;
    }
    for (unsigned t = 0; t < SLOTS; t++) {
        workers[t] = (struct worker){.pool = pool, .module = &session, .slot = t};
        if (pthread_create(&workers[t].thread, NULL, serve, &workers[t]) != 0)
            return EXIT_FAILURE;
    }
    for (unsigned t = 0; t < SLOTS; t++) {
        pthread_join(workers[t].thread, NULL);
        answers = answers * 37 + workers[t].answer;
        trapped += workers[t].trapped;
    }
    printf("answers %016llx, %u trapped\n", (unsigned long long)answers, trapped);
    munmap(pool, SLOTS * SLOT_SIZE);
    return trapped != 0;
}
