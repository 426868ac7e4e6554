// SPDX-License-Identifier: Apache-2.0
// Every operator new, and containers that fill what they allocate.
#include <cstring>
#include <malloc.h>
#include <new>
#include <vector>

static const std::size_t mib = 1 << 20;

// Returns when the recorder has come so far: an object's faults find room in its ring, however busy the host is.
extern "C" void numaprof_region_start() __attribute__((weak));

static void touch(volatile char *block)
{
    if (numaprof_region_start)
        numaprof_region_start();
    for (std::size_t i = 0; i < mib; i += 4096)
        block[i] = 1;
}

struct alignas(128) wide {
    char bytes[128];
};

__attribute__((noinline)) void by_new() { char *b = new char[mib]; touch(b); delete[] b; }
__attribute__((noinline)) void by_new_nothrow() { char *b = new (std::nothrow) char[mib]; touch(b); delete[] b; }
__attribute__((noinline)) void by_new_aligned()
{
    wide *b = new wide[mib / sizeof(wide)];
    touch(reinterpret_cast<volatile char *>(b));
    delete[] b;
}
__attribute__((noinline)) void by_new_aligned_nothrow()
{
    wide *b = new (std::nothrow) wide[mib / sizeof(wide)];
    touch(reinterpret_cast<volatile char *>(b));
    delete[] b;
}
__attribute__((noinline)) void by_operator()
{
    void *b = ::operator new(mib);
    std::memset(b, 1, mib);
    ::operator delete(b);
}
__attribute__((noinline)) void by_resize()
{
    std::vector<double> v;
    v.resize(mib / sizeof(double)); // resize
    __asm__ volatile("" : : "r"(v.data()) : "memory");
}
__attribute__((noinline)) void by_constructor()
{
    std::vector<int> v(mib / sizeof(int), 7); // constructor
    __asm__ volatile("" : : "r"(v.data()) : "memory");
}

// Before the preload library's constructor would have to run, were it not asked sooner.
static std::vector<char> global(mib, 1);

__attribute__((noinline)) void by_failing()
{
    volatile std::size_t absurd = static_cast<std::size_t>(1) << 62;
    try {
        char *b = new char[absurd];
        touch(b);
    } catch (const std::bad_alloc &) {
    }
    char *b = static_cast<char *>(::operator new(mib)); // after an exception, blocks are seen as before
    touch(b);
    ::operator delete(b);
}

int main()
{
    mallopt(M_MMAP_THRESHOLD, 256 << 10); // else the heap gives memory that was touched before
    by_new();
    by_new_nothrow();
    by_new_aligned();
    by_new_aligned_nothrow();
    by_operator();
    by_resize();
    by_constructor();
    by_failing();
    return global[5] != 1;
}
