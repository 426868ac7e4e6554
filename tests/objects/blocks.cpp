// SPDX-License-Identifier: Apache-2.0
// A parallel region in a block of its function: its inlined calls belong to lines of this file.
#include <cstdlib>
#include <memory>

struct table {
    explicit table(int rows)
    {
        if (rows > 0) {
            const int last = rows;
#pragma omp parallel for
            for (int i = 0; i < last; i++) {
                auto row = std::make_unique<long[]>(1 << 20); // the line
                sum += row[1000];
            }
        }
    }
    long sum = 0;
};

int main(int argc, char **)
{
    return (int)table(argc).sum;
}
