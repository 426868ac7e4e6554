// SPDX-License-Identifier: Apache-2.0
// A library in C++ for a program that is none: see loads_plugin.c. 0: memory came, went and failed as it should.
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

struct alignas(256) wide {
    char bytes[256];
};

static bool fails_by_exception()
{
    volatile std::size_t absurd = static_cast<std::size_t>(1) << 62;
    try {
        ::operator delete(::operator new(absurd));
        return false;
    } catch (const std::bad_alloc &) {
        return new (std::nothrow) char[absurd] == nullptr;
    }
}

static const std::vector<int> before_main(1 << 20, 7);

extern "C" int plugin_run()
{
    for (std::size_t bytes = 1; bytes < 1 << 22; bytes *= 3)
        std::vector<char> filled(bytes, 1);
    wide *aligned = new wide[3];
    bool is_aligned = reinterpret_cast<std::uintptr_t>(aligned) % sizeof(wide) == 0;
    delete[] aligned;
    delete new int;
    return is_aligned && fails_by_exception() && before_main[5] == 7 ? 0 : 4;
}
