// SPDX-License-Identifier: Apache-2.0
// truth: an array that realloc grows while main fills it
// fix: spread
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    size_t count = 0, room = 1024;
    double *a = malloc(room * sizeof *a), sum = 0;
    while (count < 600000) {
        if (count == room) {
            room *= 2;
            a = realloc(a, room * sizeof *a);
        }
        a[count] = (double)count;
        count++;
    }
    for (int sweep = 0; sweep < 20; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    }
    printf("%.1f\n", sum);
}
