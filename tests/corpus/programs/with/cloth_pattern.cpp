// SPDX-License-Identifier: Apache-2.0
#include "cloth.h"

#include <algorithm>
#include <cmath>

static void pin(Cloth &cloth, int row, float height, float slack)
{
    for (int column = 0; column < cloth.columns; column++) {
        float wave = slack * std::sin(0.05f * column) * std::cos(0.03f * row);
        cloth.at(row, column) = {0.01f * column, height + wave, 0.01f * row, row == 0 ? 0.0f : 1.0f};
    }
}

void hang(Cloth &cloth, float height, float slack)
{
    std::size_t points = std::size_t(cloth.rows) * cloth.columns;
    for (int row = 0; row < cloth.rows; row++)
        pin(cloth, row, height, slack);
    std::copy(cloth.now, cloth.now + points, cloth.before);
    std::fill_n(&cloth.force[0][0], 4 * points, 0.0f);
}
