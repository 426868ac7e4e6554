// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, sixth
// truth: a batch of small matrices, made by main and factored long by std::threads, each in a copy on its stack: compute-bound
// fix: none
#include <array>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

template <typename T, int N> class Small {
public:
    T &operator()(int i, int j) { return cell[i * N + j]; }
    T operator()(int i, int j) const { return cell[i * N + j]; }

private:
    std::array<T, N * N> cell;
};

using Matrix = Small<double, 24>;

static double factor(Matrix m)
{
    double product = 1;
    for (int repeat = 0; repeat < 3; repeat++)
        for (int k = 0; k < 24; k++) {
            product *= 1 + 1e-3 * m(k, k);
            for (int i = k + 1; i < 24; i++) {
                m(i, k) /= m(k, k) + 25;
                for (int j = k + 1; j < 24; j++)
                    m(i, j) -= m(i, k) * m(k, j);
            }
        }
    return product;
}

int main()
{
    std::vector<Matrix> batch(640);
    for (size_t b = 0; b < batch.size(); b++)
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                batch[b](i, j) = double((b + i * j) % 9) / 9;
    const size_t threads = 8;
    std::vector<double> results(batch.size());
    std::vector<std::thread> team;
    for (size_t t = 0; t < threads; t++)
        team.emplace_back([&, t] {
            for (size_t b = batch.size() * t / threads; b < batch.size() * (t + 1) / threads; b++)
                results[b] = factor(batch[b]);
        });
    for (auto &thread : team)
        thread.join();
    double sum = 0;
    for (double result : results)
        sum += result;
    std::printf("%.9f\n", sum);
}
