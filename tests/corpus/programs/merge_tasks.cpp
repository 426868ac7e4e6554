// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: a merge sort by nested OpenMP tasks over two vectors that main fills: any thread takes any piece
// fix: spread
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

static void merge_sort(std::vector<uint64_t> &a, std::vector<uint64_t> &scratch, size_t from, size_t to)
{
    if (to - from < 4096) {
        std::sort(a.begin() + from, a.begin() + to);
        return;
    }
    size_t middle = from + (to - from) / 2;
#pragma omp task shared(a, scratch)
    merge_sort(a, scratch, from, middle);
#pragma omp task shared(a, scratch)
    merge_sort(a, scratch, middle, to);
#pragma omp taskwait
    std::merge(a.begin() + from, a.begin() + middle, a.begin() + middle, a.begin() + to, scratch.begin() + from);
    std::copy(scratch.begin() + from, scratch.begin() + to, a.begin() + from);
}

int main()
{
    const size_t n = 1 << 19;
    std::vector<uint64_t> a(n), scratch(n);
    uint64_t check = 0;
    for (int round = 0; round < 3; round++) {
        uint64_t state = 5 + round;
        for (auto &each : a)
            each = state = state * 6364136223846793005u + 1442695040888963407u;
#pragma omp parallel
#pragma omp single
        merge_sort(a, scratch, 0, n);
        check ^= a[n / 3];
    }
    std::printf("%llu\n", (unsigned long long)check);
}
