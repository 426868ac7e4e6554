// SPDX-License-Identifier: Apache-2.0
// held-out: 2026-11-23, seventh
// truth: queens on a board counted by std::async, on stacks alone: nothing to gain
// fix: none
#include <cstdio>
#include <future>
#include <vector>

static long place(unsigned full, unsigned columns, unsigned left, unsigned right)
{
    if (columns == full)
        return 1;
    long found = 0;
    for (unsigned free = full & ~(columns | left | right); free; free &= free - 1) {
        unsigned bit = free & -free;
        found += place(full, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

int main()
{
    const int size = 12;
    std::vector<std::future<long>> parts;
    for (int column = 0; column < size; column++)
        parts.push_back(std::async(std::launch::async, [=] {
            unsigned bit = 1u << column;
            long found = 0;
            for (int round = 0; round < 4; round++)
                found += place((1u << size) - 1, bit, bit << 1, bit >> 1);
            return found;
        }));
    long found = 0;
    for (auto &part : parts)
        found += part.get();
    std::printf("%ld\n", found);
}
