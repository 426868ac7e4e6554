// SPDX-License-Identifier: Apache-2.0
// The operators new and delete of C++, under their mangled names: allocators that bring their own (jemalloc, tcmalloc) do
// not come by malloc. The standard library's do; noted here, the caller of the block is the caller of new.
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "collectors/preload/alloc.h"
#include "collectors/preload/preload.h"
#include "core/clock.h"

// Also when operator new leaves by an exception.
static void new_end_quiet(const bool *before)
{
    alloc_set_quiet(*before);
}

// Prototypes are the compiler's own; these are those of the Itanium C++ ABI on a machine with 64-bit size_t.
#define NEW(name, parameters, arguments)                                                                               \
    PRELOAD_EXPORT void *name parameters;                                                                              \
    void *name parameters                                                                                              \
    {                                                                                                                  \
        static void *(*next) parameters;                                                                               \
        if (!next)                                                                                                     \
            next = (__typeof__(next))dlsym(RTLD_NEXT, #name);                                                          \
        if (bytes < ALLOC_THRESHOLD)                                                                                   \
            return next arguments;                                                                                     \
        uint64_t since = clock_now();                                                                                  \
        void *block;                                                                                                   \
        {                                                                                                              \
            bool before __attribute__((cleanup(new_end_quiet), unused)) = alloc_set_quiet(true);                       \
            block = next arguments;                                                                                    \
        }                                                                                                              \
        return alloc_note(block, bytes, since);                                                                        \
    }

#define DELETE(name, parameters, arguments)                                                                            \
    PRELOAD_EXPORT void name parameters;                                                                               \
    void name parameters                                                                                               \
    {                                                                                                                  \
        static void (*next) parameters;                                                                                \
        if (!next)                                                                                                     \
            next = (__typeof__(next))dlsym(RTLD_NEXT, #name);                                                          \
        if (block && alloc_filter_may_hold(block))                                                                     \
            alloc_note_free(block);                                                                                    \
        next arguments;                                                                                                \
    }

NEW(_Znwm, (size_t bytes), (bytes))                                                                     // new
NEW(_Znam, (size_t bytes), (bytes))                                                                     // new[]
NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow))
NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow))
NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow))
DELETE(_ZdlPv, (void *block), (block))                                                                  // delete
DELETE(_ZdaPv, (void *block), (block))                                                                  // delete[]
DELETE(_ZdlPvm, (void *block, size_t bytes), (block, bytes))
DELETE(_ZdaPvm, (void *block, size_t bytes), (block, bytes))
DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *nothrow), (block, nothrow))
DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *nothrow), (block, nothrow))
DELETE(_ZdlPvSt11align_val_t, (void *block, size_t alignment), (block, alignment))
DELETE(_ZdaPvSt11align_val_t, (void *block, size_t alignment), (block, alignment))
DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t bytes, size_t alignment), (block, bytes, alignment))
DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t bytes, size_t alignment), (block, bytes, alignment))
