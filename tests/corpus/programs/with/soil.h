// SPDX-License-Identifier: Apache-2.0
#ifndef SOIL_H
#define SOIL_H
#include <stddef.h>

enum { LAYERS = 5 };

struct soil {
    size_t columns;
    double *water[LAYERS];
    double *conductivity;
};

/* NULL where memory is short. The field is zero. */
double *field_new(size_t count);
struct soil *soil_new(size_t columns);
void soil_free(struct soil *soil);

#endif
