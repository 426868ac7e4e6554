// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: blocks of cells as pointers to pointers to rows, allocated and set one by one by main; a stencil's blocks are divided
// fix: parts
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int number, level, refine;
    double ****array;
} block;

static block *blocks;
static int num_blocks = 32, num_vars = 2, x_block_size = 20, y_block_size = 20, z_block_size = 20;

static void *ma_malloc(size_t size, const char *file, int line)
{
    void *ptr = malloc(size);
    if (ptr == NULL) {
        printf("NULL from malloc in %s line %d\n", file, line);
        exit(-1);
    }
    return ptr;
}

#define MA_MALLOC(size) ma_malloc(size, __FILE__, __LINE__)

static void allocate(void)
{
    blocks = (block *)MA_MALLOC(num_blocks * sizeof(block));
    for (int n = 0; n < num_blocks; n++) {
        blocks[n].number = -1;
        blocks[n].array = (double ****)MA_MALLOC(num_vars * sizeof(double ***));
        for (int m = 0; m < num_vars; m++) {
            blocks[n].array[m] = (double ***)MA_MALLOC((x_block_size + 2) * sizeof(double **));
            for (int i = 0; i < x_block_size + 2; i++) {
                blocks[n].array[m][i] = (double **)MA_MALLOC((y_block_size + 2) * sizeof(double *));
                for (int j = 0; j < y_block_size + 2; j++)
                    blocks[n].array[m][i][j] = (double *)MA_MALLOC((z_block_size + 2) * sizeof(double));
            }
        }
    }
}

static void init(void)
{
    for (int n = 0; n < num_blocks; n++) {
        block *bp = &blocks[n];
        bp->number = n;
        bp->level = bp->refine = 0;
        for (int var = 0; var < num_vars; var++)
            for (int i = 0; i < x_block_size + 2; i++)
                for (int j = 0; j < y_block_size + 2; j++)
                    for (int k = 0; k < z_block_size + 2; k++)
                        bp->array[var][i][j][k] = (double)((n + i * j + k) % 17);
    }
}

static void stencil_calc(int var)
{
#pragma omp parallel for schedule(static)
    for (int n = 0; n < num_blocks; n++) {
        block *bp = &blocks[n];
        double work[22][22];
        for (int i = 1; i <= x_block_size; i++) {
            for (int j = 1; j <= y_block_size; j++)
                for (int k = 1; k <= z_block_size; k++)
                    work[j][k] = (bp->array[var][i - 1][j][k] + bp->array[var][i][j - 1][k] + bp->array[var][i][j][k - 1] +
                                  bp->array[var][i][j][k] + bp->array[var][i][j][k + 1] + bp->array[var][i][j + 1][k] +
                                  bp->array[var][i + 1][j][k]) /
                                 7.0;
            for (int j = 1; j <= y_block_size; j++)
                for (int k = 1; k <= z_block_size; k++)
                    bp->array[var][i][j][k] = work[j][k];
        }
    }
}

int main(void)
{
    allocate();
    init();
    for (int ts = 0; ts < 8; ts++)
        for (int var = 0; var < num_vars; var++)
            stencil_calc(var);
    printf("%.10f\n", blocks[13].array[1][10][11][12]);
}
