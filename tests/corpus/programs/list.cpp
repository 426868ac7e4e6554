// SPDX-License-Identifier: Apache-2.0
// truth: nodes of a map, made by main, read by all
// fix: spread
#include <cstdio>
#include <unordered_map>
int main()
{
    std::unordered_map<unsigned, unsigned> map;
    for (unsigned i = 0; i < 60000; i++)
        map[i * 7] = i;
    unsigned long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (unsigned k = 0; k < 500000; k++)
        sum += map.find((k * 2654435761u >> 8) % 60000 * 7)->second;
    std::printf("%lu\n", sum);
}
