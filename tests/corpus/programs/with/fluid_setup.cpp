// SPDX-License-Identifier: Apache-2.0
#include "fluid.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

Cell *make_cells()
{
    void *memory = nullptr;
    if (posix_memalign(&memory, 128, sizeof(Cell) * NX * NY * NZ) != 0) {
        std::fprintf(stderr, "no memory\n");
        std::exit(1);
    }
    return static_cast<Cell *>(memory);
}

void fill_cells(Cell *cells)
{
    std::memset(static_cast<void *>(cells), 0, sizeof(Cell) * NX * NY * NZ);
    unsigned state = 4;
    for (int i = 0; i < NX * NY * NZ; i++) {
        cells[i].count = 4 + i % (PER_CELL - 3);
        for (int k = 0; k < cells[i].count; k++) {
            state = state * 1103515245u + 12345u;
            cells[i].p[k] = {(state >> 8 & 255) / 255.0f, (state >> 16 & 255) / 255.0f, (state >> 24) / 255.0f};
        }
    }
}
