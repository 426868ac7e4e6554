// SPDX-License-Identifier: Apache-2.0
// A list is read in, nobody knows how long it is, and then summed up by all threads:  growing [SWEEPS [MIB]]
//
// realloc lets it grow while one thread appends to it. No loop is there that could fill it in parallel.
#include <stdio.h>
#include <stdlib.h>

struct list {
    size_t count, room;
    double *items;
};

static int append(struct list *list, double item)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room + list->room / 2 : 1 << 16;
        double *larger = realloc(list->items, list->room * sizeof *larger);
        if (!larger)
            return -1;
        list->items = larger;
    }
    list->items[list->count++] = item;
    return 0;
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40;
    size_t count = ((argc > 2 ? strtoul(argv[2], NULL, 10) : 512) << 20) / sizeof(double);
    struct list list = {0};
    for (size_t i = 0; i < count; i++)
        if (append(&list, (double)i) < 0)
            return 1;
    double sum = 0;
    for (int sweep = 0; sweep < sweeps; sweep++)
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < list.count; i++)
            sum += list.items[i];
    printf("sum %g: %d sweeps of %zu items\n", sum, sweeps, list.count);
    free(list.items);
    return 0;
}
