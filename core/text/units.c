// SPDX-License-Identifier: Apache-2.0
#include "core/text/units.h"

#include <stdio.h>

char *units_bytes(char out[UNITS_BYTES_TEXT], int64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    // 999.5 would be printed as 1000.
    while (value >= 999.5 && unit + 1 < sizeof names / sizeof *names) {
        value /= 1024;
        unit++;
    }
    if (bytes < 0)
        snprintf(out, UNITS_BYTES_TEXT, "n/a");
    else if (unit == 0 || value >= 99.95 || value == (double)(int)value)
        snprintf(out, UNITS_BYTES_TEXT, "%.0f %s", value, names[unit]);
    else
        snprintf(out, UNITS_BYTES_TEXT, "%.1f %s", value, names[unit]);
    return out;
}
