// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26, twelfth
// truth: each of eight parallel sections grows a list of its own by realloc, by a factor, and then sweeps over that list; whichever thread has the section does all of it: nothing to gain
// fix: none
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS = 200000, SWEEPS = 6 };

struct list {
    size_t used, room;
    uint64_t *number;
};

static void append(struct list *list, uint64_t number)
{
    if (list->used == list->room) {
        list->room = list->room ? list->room + list->room / 2 : 1024;
        uint64_t *more = realloc(list->number, list->room * sizeof *more);
        if (!more) {
            perror("realloc");
            exit(1);
        }
        list->number = more;
    }
    list->number[list->used++] = number;
}

static uint64_t study(uint64_t seed)
{
    struct list list = {0, 0, NULL};
    uint64_t state = seed, folded = 0;
    while (list.used < NUMBERS) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (state >> 62)
            append(&list, state >> 16);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 1; i < list.used; i++) {
            list.number[i] ^= list.number[i - 1] >> (sweep + 1);
            folded += list.number[i] & 0xffff;
        }
    free(list.number);
    return folded;
}

int main(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
#pragma omp parallel sections num_threads(8)
    {
#pragma omp section
        a = study(2);
#pragma omp section
        b = study(3);
#pragma omp section
        c = study(5);
#pragma omp section
        d = study(7);
#pragma omp section
        e = study(11);
#pragma omp section
        f = study(13);
#pragma omp section
        g = study(17);
#pragma omp section
        h = study(19);
    }
    printf("%llu\n", (unsigned long long)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h));
}
