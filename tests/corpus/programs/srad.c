// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: speckle reduction as in Rodinia: image, coefficient and four difference arrays, set by main; rows are divided
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void random_matrix(float *image, int rows, int columns)
{
    srand(7);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            image[i * columns + j] = rand() / (float)RAND_MAX;
}

int main(void)
{
    int rows = 768, columns = 512, size = rows * columns;
    float *image = (float *)malloc(size * sizeof(float));
    float *J = (float *)malloc(size * sizeof(float));
    float *c = (float *)malloc(sizeof(float) * size);
    int *iN = (int *)malloc(sizeof(int) * rows), *iS = (int *)malloc(sizeof(int) * rows);
    float *dN = (float *)malloc(sizeof(float) * size);
    float *dS = (float *)malloc(sizeof(float) * size);
    for (int i = 0; i < rows; i++) {
        iN[i] = i ? i - 1 : 0;
        iS[i] = i < rows - 1 ? i + 1 : i;
    }
    random_matrix(image, rows, columns);
    for (int k = 0; k < size; k++)
        J[k] = expf(image[k]);
    for (int step = 0; step < 12; step++) {
        float sum = 0;
        for (int i = 0; i < 128; i++)
            for (int j = 0; j < 128; j++)
                sum += J[i * columns + j];
        float mean = sum / (128 * 128);
#pragma omp parallel for shared(J, dN, dS, c, iN, iS)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int k = i * columns + j;
                dN[k] = J[iN[i] * columns + j] - J[k];
                dS[k] = J[iS[i] * columns + j] - J[k];
                float g = (dN[k] * dN[k] + dS[k] * dS[k]) / (J[k] * J[k]);
                c[k] = 1 / (1 + g / mean);
            }
#pragma omp parallel for shared(J, c)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int k = i * columns + j;
                J[k] += 0.125f * (c[k] * dN[k] + c[iS[i] * columns + j] * dS[k]);
            }
    }
    printf("%.5f %.5f\n", J[size / 3], J[size - 1]);
    free(image), free(J), free(c), free(iN), free(iS), free(dN), free(dS);
    return 0;
}
