// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: RandomAccess: the table is set in parallel and so lies on all nodes, updates go anywhere: nothing to gain
// fix: none
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    uint64_t size = 1 << 20, updates = 1 << 20, *table = malloc(size * sizeof *table), errors = 0;
#pragma omp parallel for
    for (uint64_t i = 0; i < size; i++)
        table[i] = i;
#pragma omp parallel for
    for (uint64_t j = 0; j < 128; j++) {
        uint64_t ran = j * 0x9e3779b97f4a7c15u + 7;
        for (uint64_t i = 0; i < updates / 128; i++) {
            ran ^= ran << 13;
            ran ^= ran >> 7;
            ran ^= ran << 17;
            __sync_fetch_and_xor(&table[ran & (size - 1)], ran);
        }
    }
    for (uint64_t i = 0; i < size; i += 64)
        errors += table[i] == 0;
    printf("%llu\n", (unsigned long long)errors);
}
