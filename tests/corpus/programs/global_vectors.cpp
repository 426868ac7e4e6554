// SPDX-License-Identifier: Apache-2.0
// truth: vectors at namespace scope and a static one of a function, filled by their constructors in main; OpenMP divides them
// fix: parts
#include <cstdio>
#include <vector>

namespace channel {
const int rows = 512, columns = 700;
std::vector<double> height(rows *columns, 1.0), flow(rows *columns);
}

static std::vector<double> &friction()
{
    static std::vector<double> of_cell(channel::rows * channel::columns, 0.02);
    return of_cell;
}

static void advance(const std::vector<double> &drag)
{
    using namespace channel;
#pragma omp parallel for schedule(static)
    for (int r = 1; r < rows - 1; r++)
        for (int c = 0; c < columns; c++) {
            const int at = r * columns + c;
            flow[at] = (1 - drag[at]) * flow[at] - 0.1 * (height[at + columns] - height[at - columns]);
        }
#pragma omp parallel for schedule(static)
    for (int r = 1; r < rows - 1; r++)
        for (int c = 0; c < columns; c++)
            height[r * columns + c] -= 0.05 * flow[r * columns + c];
}

int main()
{
    auto &drag = friction();
    for (int c = 0; c < channel::columns; c++)
        channel::height[channel::columns + c] = 1.5;
    for (int step = 0; step < 8; step++)
        advance(drag);
    std::printf("%.6f %.6f\n", channel::height[9 * channel::columns + 3], channel::flow[2 * channel::columns]);
}
