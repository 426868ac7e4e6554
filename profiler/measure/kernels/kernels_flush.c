// SPDX-License-Identifier: Apache-2.0
#include "profiler/measure/kernels/kernels_flush.h"

#include "profiler/measure/kernels/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// CPUID leaf 7, EBX bit 23 (Intel SDM, CPUID). CLFLUSH, which every CPU has, waits for each line and takes 50 times as
// long.
static bool kernels_flush_has_clflushopt(void)
{
    unsigned a, b = 0, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 23 & 1);
}

__attribute__((target("clflushopt"))) static void kernels_flush_fast(const char *from, const char *end)
{
    for (; from < end; from += KERNELS_LINE)
        _mm_clflushopt((void *)(size_t)from);
}

bool kernels_flush_lines(const char *from, size_t bytes)
{
    const char *end = from + bytes;
    if (kernels_flush_has_clflushopt())
        kernels_flush_fast(from, end);
    else
        for (; from < end; from += KERNELS_LINE)
            _mm_clflush(from);
    _mm_mfence();
    return true;
}
#elif defined(__aarch64__)
// Linux allows user programs to flush lines (SCTLR_EL1.UCI; arch/arm64).
bool kernels_flush_lines(const char *from, size_t bytes)
{
    for (const char *end = from + bytes; from < end; from += KERNELS_LINE)
        __asm__ volatile("dc civac, %0" ::"r"(from) : "memory");
    __asm__ volatile("dsb sy" ::: "memory");
    return true;
}
#elif defined(__powerpc64__)
bool kernels_flush_lines(const char *from, size_t bytes)
{
    for (const char *end = from + bytes; from < end; from += KERNELS_LINE)
        __asm__ volatile("dcbf 0, %0" ::"r"(from) : "memory");
    __asm__ volatile("sync" ::: "memory");
    return true;
}
#else
bool kernels_flush_lines(const char *from, size_t bytes)
{
    (void)from;
    (void)bytes;
    return false;
}
#endif
