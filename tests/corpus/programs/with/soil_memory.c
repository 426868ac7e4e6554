// SPDX-License-Identifier: Apache-2.0
#include "soil.h"
#include <stdlib.h>
#include <string.h>

double *field_new(size_t count)
{
    void *field = NULL;
    if (posix_memalign(&field, 64, count * sizeof(double)) != 0)
        return NULL;
    return memset(field, 0, count * sizeof(double));
}

struct soil *soil_new(size_t columns)
{
    struct soil *soil = calloc(1, sizeof(*soil));
    if (!soil)
        return NULL;
    soil->columns = columns;
    soil->conductivity = field_new(columns);
    int short_of_memory = !soil->conductivity;
    for (int layer = 0; layer < LAYERS; layer++) {
        soil->water[layer] = field_new(columns);
        short_of_memory |= !soil->water[layer];
    }
    if (short_of_memory) {
        soil_free(soil);
        return NULL;
    }
    return soil;
}

void soil_free(struct soil *soil)
{
    for (int layer = 0; layer < LAYERS; layer++)
        free(soil->water[layer]);
    free(soil->conductivity);
    free(soil);
}
