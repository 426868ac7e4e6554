// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, twenty-first
// truth: main makes one table of codes (4096 entries of 4 bytes, 16 KiB) that all threads read for each symbol; each pthread makes, packs and unpacks messages in two buffers of its own (512 KiB each, from malloc in the thread): nothing to gain
// fix: none
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, SYMBOLS = 256 * 1024, BITS = 12, MESSAGES = 12 };

struct entry {
    uint8_t symbol, length;
    uint16_t code;
};

static struct entry *decode_table;
static struct entry encode_table[64];

/* A prefix code: symbol s has s / 8 + 5 bits, as far as they fit. */
static int make_tables(void)
{
    unsigned code = 0;

    decode_table = calloc(1 << BITS, sizeof *decode_table);
    if (!decode_table)
        return -1;
    for (int s = 0; s < 64; s++) {
        int length = s / 8 + 5;
        length = length < BITS ? length : BITS;
        unsigned span = 1u << (BITS - length);
        if (code + span > 1u << BITS)
            break;
        encode_table[s] = (struct entry){(uint8_t)s, (uint8_t)length, (uint16_t)(code >> (BITS - length))};
        for (unsigned k = 0; k < span; k++)
            decode_table[code + k] = encode_table[s];
        code += span;
    }
    return 0;
}

static size_t pack(uint8_t *out, uint32_t seed, size_t count)
{
    uint64_t bits = 0;
    int have = 0;
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        struct entry e = encode_table[(seed >> 26) & (seed >> 20) & 31];
        bits = bits << e.length | e.code;
        for (have += e.length; have >= 8; have -= 8)
            out[bytes++] = (uint8_t)(bits >> (have - 8));
    }
    out[bytes++] = (uint8_t)(bits << (8 - have));
    out[bytes] = out[bytes + 1] = 0;
    return bytes;
}

static uint64_t unpack(uint16_t *out, const uint8_t *in, size_t count)
{
    uint64_t bits = 0, sum = 0;
    int have = 0;

    for (size_t i = 0; i < count; i++) {
        for (; have < BITS; have += 8)
            bits = bits << 8 | *in++;
        struct entry e = decode_table[bits >> (have - BITS) & ((1 << BITS) - 1)];
        have -= e.length;
        out[i] = e.symbol;
        sum += e.symbol * (i & 7);
    }
    return sum;
}

static void *serve(void *argument)
{
    uint64_t *sum = argument;
    uint8_t *packed = malloc(SYMBOLS * 2);
    uint16_t *symbols = malloc(SYMBOLS * sizeof *symbols);

    for (int m = 0; packed && symbols && m < MESSAGES; m++) {
        pack(packed, (uint32_t)*sum + (uint32_t)m, SYMBOLS / 2);
        *sum += unpack(symbols, packed, SYMBOLS / 2) + symbols[m * 5];
    }
    free(packed);
    free(symbols);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    uint64_t sums[THREADS], total = 0;

    if (make_tables())
        return 1;
    for (int t = 0; t < THREADS; t++) {
        sums[t] = (uint64_t)t * 1000;
        if (pthread_create(&threads[t], NULL, serve, &sums[t]))
            return 1;
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        total += sums[t];
    }
    printf("%llu\n", (unsigned long long)total);
    free(decode_table);
    return 0;
}
