// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-22
// truth: points as an array of arrays that main reads in; each thread assigns its block to small centres
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 60000, DIM = 16, CENTRES = 5 };

int main(void)
{
    float(*points)[DIM] = malloc(POINTS * sizeof *points);
    int *member = malloc(POINTS * sizeof *member);
    float centre[CENTRES][DIM];
    if (!points || !member)
        return 1;
    srand(1);
    for (int i = 0; i < POINTS; i++) {
        for (int d = 0; d < DIM; d++)
            points[i][d] = (float)(rand() % 1000);
        member[i] = -1;
    }
    memcpy(centre, points, sizeof centre);
    for (int loop = 0; loop < 4; loop++) {
        long moved = 0;
#pragma omp parallel for schedule(static) reduction(+ : moved)
        for (int i = 0; i < POINTS; i++) {
            int best = 0;
            float least = 1e30f;
            for (int c = 0; c < CENTRES; c++) {
                float sum = 0;
                for (int d = 0; d < DIM; d++)
                    sum += (points[i][d] - centre[c][d]) * (points[i][d] - centre[c][d]);
                if (sum < least) {
                    least = sum;
                    best = c;
                }
            }
            moved += member[i] != best;
            member[i] = best;
        }
        for (int c = 0; c < CENTRES; c++)
            centre[c][loop] += (float)(moved % 7);
    }
    printf("%d %d\n", member[3], member[POINTS - 1]);
}
