// SPDX-License-Identifier: Apache-2.0
// The operators new and delete of C++, under their mangled names. Those of jemalloc and tcmalloc do not call malloc.
// Those of the standard library do; noted here, the allocation site is the caller of new.
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "collectors/preload/alloc/alloc.h"
#include "collectors/preload/alloc_filter.h"
#include "collectors/preload/place/place_heap.h"
#include "collectors/preload/preload.h"

// Also when operator new leaves by an exception.
static void new_end_quiet(const bool *before)
{
    alloc_set_quiet(*before);
}

// --- where the C++ library is out of our sight: loaded by dlopen for one library alone, as Python loads numpy's.
// Then new asks malloc itself, as all of them do; to fail properly is left to the one of the caller.

static char new_nowhere; // its address: looked for, and not found

typedef void *_Atomic new_cache;

static void *new_next(new_cache *kept, const char *name)
{
    void *found = atomic_load_explicit(kept, memory_order_relaxed);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        if (!found) {
            dlerror(); // was ours, not the program's
            found = &new_nowhere;
        }
        atomic_store_explicit(kept, found, memory_order_relaxed); // for good: blocks must return to whence they came
    }
    return found == &new_nowhere ? NULL : found;
}

static void *new_by_malloc(size_t bytes, size_t alignment)
{
    void *block = NULL;
    if (alignment == 0)
        return malloc(bytes ? bytes : 1);
    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    return posix_memalign(&block, alignment, bytes ? bytes : 1) == 0 ? block : NULL;
}

// The function of that name that the caller's library would call without the preload library. new[] of the C++ library
// tail-calls new: then the caller seems to be the preload library, and the previous answer holds.
static void *new_of_caller(const char *name, const void *caller)
{
    static __thread const void *last;
    Dl_info where, ours;
    if (!dladdr(&new_nowhere, &ours) || !dladdr(caller, &where))
        return NULL;
    if (where.dli_fbase != ours.dli_fbase)
        last = caller;
    else if (!dladdr(last, &where) || where.dli_fbase == ours.dli_fbase)
        return NULL;
    void *library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : NULL;
    if (library)
        dlclose(library);
    return found;
}

// Prototypes are the compiler's own; these are those of the Itanium C++ ABI on a machine with 64-bit size_t.
#define NEW(name, parameters, arguments, alignment)                                                                    \
    PRELOAD_EXPORT void *name parameters;                                                                              \
    void *name parameters                                                                                              \
    {                                                                                                                  \
        static new_cache kept;                                                                                         \
        void *(*next) parameters = (__typeof__(next))new_next(&kept, #name);                                           \
        if (next && bytes < ALLOC_THRESHOLD)                                                                           \
            return next arguments;                                                                                     \
        uint64_t since = alloc_since(bytes);                                                                           \
        void *block = bytes < ALLOC_THRESHOLD ? NULL : place_allocate(bytes, alignment, __builtin_return_address(0));  \
        if (!block) {                                                                                                  \
            bool before __attribute__((cleanup(new_end_quiet), unused)) = alloc_set_quiet(true);                       \
            block = next ? next arguments : new_by_malloc(bytes, alignment);                                           \
            if (!block && !next && (next = (__typeof__(next))new_of_caller(#name, __builtin_return_address(0))))       \
                block = next arguments;                                                                                \
        }                                                                                                              \
        return bytes < ALLOC_THRESHOLD ? block : alloc_note(block, bytes, since);                                      \
    }

#define DELETE(name, parameters, arguments)                                                                            \
    PRELOAD_EXPORT void name parameters;                                                                               \
    void name parameters                                                                                               \
    {                                                                                                                  \
        static new_cache kept;                                                                                         \
        void (*next) parameters = (__typeof__(next))new_next(&kept, #name);                                            \
        if (block && alloc_filter_may_hold(block))                                                                     \
            alloc_note_free(block);                                                                                    \
        if (block && alloc_filter_may_hold(block) && place_release(block))                                             \
            return;                                                                                                    \
        if (next)                                                                                                      \
            next arguments;                                                                                            \
        else                                                                                                           \
            free(block);                                                                                               \
    }

NEW(_Znwm, (size_t bytes), (bytes), 0)                                                                     // new
NEW(_Znam, (size_t bytes), (bytes), 0)                                                                     // new[]
NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow), 0)
NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow), 0)
NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment), alignment)
NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment), alignment)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *nothrow),
    (bytes, alignment, nothrow), alignment)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *nothrow),
    (bytes, alignment, nothrow), alignment)
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
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t alignment, const void *nothrow),
       (block, alignment, nothrow))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t alignment, const void *nothrow),
       (block, alignment, nothrow))
