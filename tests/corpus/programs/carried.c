// SPDX-License-Identifier: Apache-2.0
// truth: filled by a generator whose state goes from one element to the next; a pragma above that loop would be wrong
// fix: parts
#include <stdio.h>
#include <stdlib.h>

#include <stdint.h>
int main(void)
{
    size_t count = 3 << 18;
    uint64_t *keys = malloc(sizeof(uint64_t) * count), state = 88172645463325252u, sum = 0;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        keys[i] = state;
    }
    for (int sweep = 0; sweep < 20; sweep++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += keys[i] ^ (uint64_t)sweep;
    printf("%llu\n", (unsigned long long)sum);
}
