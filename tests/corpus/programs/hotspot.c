// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, fifth
// truth: temperatures parsed from text, powers copied from a template row, by main; tiles of a grid are divided, as rows of tiles
// fix: parts
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 512, COLUMNS = 640, TILE = 16, TILES_IN_ROW = COLUMNS / TILE };

static void fatal(const char *what)
{
    fprintf(stderr, "error: %s\n", what);
    exit(1);
}

static void read_input(double *values, int rows, int columns, FILE *file)
{
    char line[64];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double value;
            if (!fgets(line, sizeof line, file) || sscanf(line, "%lf", &value) != 1)
                fatal("not a number");
            values[i * columns + j] = value;
        }
}

static void tile(double *result, const double *temp, const double *power, int r0, int c0)
{
    for (int r = r0; r < r0 + TILE; r++)
        for (int c = c0; c < c0 + TILE; c++) {
            int at = r * COLUMNS + c;
            double up = temp[r ? at - COLUMNS : at], down = temp[r + 1 < ROWS ? at + COLUMNS : at];
            double left = temp[c ? at - 1 : at], right = temp[c + 1 < COLUMNS ? at + 1 : at];
            result[at] = temp[at] + 0.1 * (power[at] + up + down + left + right - 4 * temp[at]);
        }
}

static void iteration(double *result, const double *temp, const double *power)
{
    int tiles = ROWS / TILE * TILES_IN_ROW;
#pragma omp parallel for schedule(static)
    for (int t = 0; t < tiles; t++)
        tile(result, temp, power, t / TILES_IN_ROW * TILE, t % TILES_IN_ROW * TILE);
}

int main(void)
{
    size_t bytes = sizeof(double) * ROWS * COLUMNS;
    double *temp, *power, *result;
    if (posix_memalign((void **)&temp, 64, bytes) || posix_memalign((void **)&power, 64, bytes) ||
        posix_memalign((void **)&result, 64, bytes))
        fatal("no memory");
    FILE *file = tmpfile();
    for (int i = 0; i < ROWS * COLUMNS; i++)
        fprintf(file, "%d.%d\n", 320 + i % 11, i % 10);
    rewind(file);
    read_input(temp, ROWS, COLUMNS, file);
    double row[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        row[c] = 0.001 * (c % 17);
    for (int r = 0; r < ROWS; r++)
        memcpy(power + (size_t)r * COLUMNS, row, sizeof row);
    memset(result, 0, bytes);
    for (int step = 0; step < 14; step++) {
        iteration(result, temp, power);
        double *old = temp;
        temp = result;
        result = old;
    }
    printf("%.6f\n", temp[ROWS / 2 * COLUMNS + 7]);
}
