// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, sixteenth
// truth: main draws all samples (15 MiB) and the first responsibilities (7.3 MiB) from a serial generator; in every E and M step each OpenMP thread uses its own range of rows of both, worked out by hand, half of them remote
// fix: parts
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Expectation maximisation of a mixture of spherical Student kernels. */

enum { SAMPLES = 240000, DIM = 16, COMPS = 8, ROUNDS = 8 };

static float uniform(void)
{
    static uint64_t rng = 0x2545f4914f6cdd1d;
    rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
    return (float)(rng >> 40) / 16777216.0f;
}

static void *page_alloc(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
    return p ? p : (abort(), p);
}

static void draw(int n, int d, float x[n][d])
{
    for (int i = 0; i < n; i++) {
        int c = (int)(uniform() * COMPS);
        for (int j = 0; j < d; j++)
            x[i][j] = 2.0f * ((c * 5 + j * 3) % 7) + uniform() + uniform() - 1.0f;
    }
}

static void first_guess(int n, int k, float r[n][k])
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int c = 0; c < k; c++)
            sum += r[i][c] = 0.05f + uniform();
        r[i][(int)(uniform() * k)] += sum;
        for (int c = 0; c < k; c++)
            r[i][c] /= 2 * sum;
    }
}

static void m_step(int n, int d, int k, float x[n][d], float r[n][k], double mean[k][d], double weight[k])
{
    double sums[k * (d + 1)];
    for (int c = 0; c < k * (d + 1); c++)
        sums[c] = 0;
#pragma omp parallel reduction(+ : sums[ : k * (d + 1)])
    {
        double(*sum)[d + 1] = (double(*)[d + 1])sums;
        int t = omp_get_thread_num(), p = omp_get_num_threads();
        for (int i = (int)((long)n * t / p), hi = (int)((long)n * (t + 1) / p); i < hi; i++)
            for (int c = 0; c < k; c++) {
                for (int j = 0; j < d; j++)
                    sum[c][j] += r[i][c] * x[i][j];
                sum[c][d] += r[i][c];
            }
    }
    for (int c = 0; c < k; c++) {
        weight[c] = sums[c * (d + 1) + d];
        for (int j = 0; j < d; j++)
            mean[c][j] = sums[c * (d + 1) + j] / weight[c];
    }
}

#define KERNEL(q) (1.0f / ((1.0f + (q)) * (1.0f + (q)) * (1.0f + (q))))

static double e_step(int n, int d, int k, float x[n][d], float r[n][k], double mean[k][d], double weight[k])
{
    double fit = 0;
#pragma omp parallel reduction(+ : fit)
    {
        int t = omp_get_thread_num(), p = omp_get_num_threads();
        for (int i = (int)((long)n * t / p), hi = (int)((long)n * (t + 1) / p); i < hi; i++) {
            float sum = 0;
            for (int c = 0; c < k; c++) {
                float dist = 0;
                for (int j = 0; j < d; j++)
                    dist += (x[i][j] - (float)mean[c][j]) * (x[i][j] - (float)mean[c][j]);
                sum += r[i][c] = (float)(weight[c] / n) * KERNEL(0.02f * dist);
            }
            for (int c = 0; c < k; c++)
                r[i][c] /= sum;
            fit += sum;
        }
    }
    return fit;
}

int main(void)
{
    float(*x)[DIM] = page_alloc(sizeof(float[SAMPLES][DIM]));
    float(*r)[COMPS] = page_alloc(sizeof(float[SAMPLES][COMPS]));
    double mean[COMPS][DIM], weight[COMPS], fit = 0;
    draw(SAMPLES, DIM, x);
    first_guess(SAMPLES, COMPS, r);
    for (int round = 0; round < ROUNDS; round++) {
        m_step(SAMPLES, DIM, COMPS, x, r, mean, weight);
        fit = e_step(SAMPLES, DIM, COMPS, x, r, mean, weight);
    }
    printf("mean density %.3e, weight 0 %.3f\n", fit / SAMPLES, weight[0] / SAMPLES);
    free(x);
    free(r);
}
