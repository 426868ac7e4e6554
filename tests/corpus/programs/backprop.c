// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-26
// truth: main sets the input weights, hidden units divided; the calloc'ed momentum is touched by its users
// fix: parts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ETA 0.3f
#define MOMENTUM 0.3f

typedef struct {
    int inputs, hidden, outputs;
    float *in, *hid, *out, *target, *hid_delta, *out_delta;
    float **w_in, **w_in_prev; /* [hidden][inputs] */
    float **w_out;             /* [outputs][hidden] */
} bpnn;

static float **rows_over(float *chunk, int rows, int columns)
{
    float **row = malloc(rows * sizeof *row);
    if (!row || !chunk)
        exit(1);
    for (int i = 0; i < rows; i++)
        row[i] = chunk + (size_t)i * columns;
    return row;
}

static void randomize(float **w, int rows, int columns, unsigned seed)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            seed = seed * 1103515245u + 12345u;
            w[i][j] = ((float)(seed >> 16) / 65536.0f - 0.5f) * 0.05f;
        }
}

static bpnn *create(int inputs, int hidden, int outputs)
{
    bpnn *net = malloc(sizeof *net);
    *net = (bpnn){.inputs = inputs, .hidden = hidden, .outputs = outputs};
    net->in = malloc(inputs * sizeof(float));
    net->hid = malloc(hidden * sizeof(float));
    net->hid_delta = malloc(hidden * sizeof(float));
    net->out = malloc(outputs * sizeof(float));
    net->out_delta = malloc(outputs * sizeof(float));
    net->target = malloc(outputs * sizeof(float));
    net->w_in = rows_over(malloc(sizeof(float) * inputs * hidden), hidden, inputs);
    net->w_in_prev = rows_over(calloc((size_t)inputs * hidden, sizeof(float)), hidden, inputs);
    net->w_out = rows_over(malloc(sizeof(float) * hidden * outputs), outputs, hidden);
    randomize(net->w_in, hidden, inputs, 7);
    randomize(net->w_out, outputs, hidden, 8);
    return net;
}

static float layer_forward(const float *from, float *to, float **w, int n_from, int n_to)
{
#pragma omp parallel for schedule(static)
    for (int j = 0; j < n_to; j++) {
        float sum = 0.1f;
        for (int k = 0; k < n_from; k++)
            sum += w[j][k] * from[k];
        to[j] = 1.0f / (1.0f + expf(-sum));
    }
    return to[0];
}

static void output_error(bpnn *net)
{
    for (int j = 0; j < net->outputs; j++)
        net->out_delta[j] = net->out[j] * (1 - net->out[j]) * (net->target[j] - net->out[j]);
}

static void hidden_error(bpnn *net)
{
    for (int j = 0; j < net->hidden; j++) {
        float sum = 0;
        for (int k = 0; k < net->outputs; k++)
            sum += net->out_delta[k] * net->w_out[k][j];
        net->hid_delta[j] = net->hid[j] * (1 - net->hid[j]) * sum;
    }
}

static void adjust(const float *delta, int n_to, const float *from, int n_from, float **w, float **prev)
{
#pragma omp parallel for schedule(static)
    for (int j = 0; j < n_to; j++)
        for (int k = 0; k < n_from; k++) {
            float change = ETA * delta[j] * from[k] + MOMENTUM * prev[j][k];
            w[j][k] += change;
            prev[j][k] = change;
        }
}

int main(void)
{
    bpnn *net = create(2048, 768, 4);
    for (int epoch = 0; epoch < 4; epoch++) {
        for (int k = 0; k < net->inputs; k++)
            net->in[k] = (float)((k * 37 + epoch * 11) % 101) / 101.0f;
        for (int k = 0; k < net->outputs; k++)
            net->target[k] = (k + epoch) % 2 ? 0.9f : 0.1f;
        layer_forward(net->in, net->hid, net->w_in, net->inputs, net->hidden);
        layer_forward(net->hid, net->out, net->w_out, net->hidden, net->outputs);
        output_error(net);
        hidden_error(net);
        adjust(net->hid_delta, net->hidden, net->in, net->inputs, net->w_in, net->w_in_prev);
    }
    printf("%.4f %.4f %.4f\n", net->out[0], net->hid[5], net->w_in[700][2000]);
    return 0;
}
