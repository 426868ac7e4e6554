// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-27, nineteenth
// truth: main makes eight tables of embeddings (a vector of 4 MiB each in a vector of a class); OpenMP tasks, each of one batch of requests, sum up random rows of all tables; weights (16 KiB) stay in caches, the rates are small
// fix: spread
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kDepth = 32;

class Table {
public:
    Table(std::size_t rows, unsigned seed) : rows_(rows)
    {
        weights_.reserve(rows * kDepth);
        std::uint32_t state = seed * 747796405u + 2891336453u;
        for (std::size_t i = 0; i < rows * kDepth; i++) {
            state = state * 1664525u + 1013904223u;
            weights_.push_back(float(state >> 8) / float(1 << 24) - 0.5f);
        }
    }

    void add(std::uint64_t key, float *sum) const
    {
        const float *row = &weights_[(key % rows_) * kDepth];
        for (int d = 0; d < kDepth; d++)
            sum[d] += row[d];
    }

private:
    std::size_t rows_;
    std::vector<float> weights_;
};

class Model {
public:
    Model(int tables, std::size_t rows) : dense_(kDepth * kDepth)
    {
        tables_.reserve(tables);
        for (int t = 0; t < tables; t++)
            tables_.emplace_back(rows, unsigned(t) + 1);
        for (std::size_t i = 0; i < dense_.size(); i++)
            dense_[i] = 0.01f * float(i % 13) - 0.05f;
    }

    float rate(std::uint64_t user) const
    {
        float sum[kDepth] = {};
        std::uint64_t key = user * 0x9e3779b97f4a7c15u;
        for (const Table &table : tables_)
            for (int hot = 0; hot < 3; hot++) {
                key ^= key >> 29;
                key *= 0xbf58476d1ce4e5b9u;
                table.add(key >> 20, sum);
            }
        float out = 0;
        for (int d = 0; d < kDepth; d += 4)
            for (int e = 0; e < kDepth; e++)
                out += dense_[d * kDepth + e] * sum[e] * sum[d];
        return 1.0f / (1.0f + std::exp(-out));
    }

private:
    std::vector<Table> tables_;
    std::vector<float> dense_;
};

static double serve(const Model &model, int batches, int batch)
{
    std::vector<double> rates(batches);
#pragma omp parallel
#pragma omp single
    for (int b = 0; b < batches; b++) {
#pragma omp task shared(rates, model) firstprivate(b)
        {
            double sum = 0;
            for (int i = 0; i < batch; i++)
                sum += model.rate(std::uint64_t(b) * batch + i + 1);
            rates[b] = sum;
        }
    }
    double total = 0;
    for (double each : rates)
        total += each;
    return total / (double(batches) * batch);
}

int main()
{
    const Model model(8, 32768);
    std::printf("%.6f\n", serve(model, 480, 256));
    return 0;
}
