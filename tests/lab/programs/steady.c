// SPDX-License-Identifier: Apache-2.0
// Reads memory of two nodes in the same proportion all the time: steady ROUNDS[,LINES[,PAUSE[,NODE]]] CPU... A round
// reads two pieces of node 0's memory and one of NODE's (1), every line or each LINES-th, pausing after each, then goes
// on to the next of the CPUs. Nothing fits in the caches.
#include "lab.h"

#include <stdlib.h>

enum { PIECE = 16 << 10, BUFFER = 8 << 20, PAUSE = 40 };

static size_t stride = LINE, waits = PAUSE;

static void read_piece(const char *buffer, size_t number)
{
    const char *piece = buffer + number * PIECE % BUFFER;
    for (size_t at = 0; at < PIECE; at += stride) {
        (void)*(const volatile char *)(piece + at);
        for (size_t i = 0; i < waits; i++)
            __asm__ volatile("" : : "r"(i)); // time, which costs the simulation less than memory does
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage: steady ROUNDS[,LINES[,PAUSE[,NODE]]] CPU...");
    char *more;
    size_t rounds = strtoul(argv[1], &more, 10);
    if (*more == ',')
        stride = strtoul(more + 1, &more, 10) * LINE;
    if (*more == ',')
        waits = strtoul(more + 1, &more, 10);
    const int node = *more == ',' ? atoi(more + 1) : 1;
    const char *near = memory_on(0, BUFFER), *far = memory_on(node, BUFFER);
    for (size_t round = 0; round < rounds; round++) {
        if (argc > 3 || round == 0)
            pin(atoi(argv[2 + round % (size_t)(argc - 2)]));
        read_piece(near, 2 * round);
        read_piece(near, 2 * round + 1);
        read_piece(far, round);
    }
    return 0;
}
