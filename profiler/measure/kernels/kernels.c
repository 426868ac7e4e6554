// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/kernels/kernels.h"

#include <stdbool.h>

// __builtin_cpu_supports also asks whether the operating system saves the registers.
const struct kernels *kernels_usable(size_t index)
{
    const struct kernels *found[8] = {&kernels_c};
    size_t count = 1;
#if defined(__x86_64__)
    found[count++] = &kernels_sse2;
    if (__builtin_cpu_supports("avx2"))
        found[count++] = &kernels_avx2;
    if (__builtin_cpu_supports("avx512f"))
        found[count++] = &kernels_avx512;
#elif defined(__aarch64__)
    found[count++] = &kernels_neon;
#endif
    return index < count ? found[index] : NULL;
}

const struct kernels *kernels_best(void)
{
    const struct kernels *best = NULL;
    for (size_t i = 0; kernels_usable(i); i++)
        best = kernels_usable(i);
    return best;
}
