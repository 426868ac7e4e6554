// SPDX-License-Identifier: Apache-2.0
#include "profiler/symbols/demangle.h"

#include <dlfcn.h>
#include <string.h>

#include "profiler/symbols/rust_names.h"

typedef char *demangle_function(const char *name, char *buffer, size_t *size, int *status);

// Weak: there only in the program of `make static`.
extern char *__cxa_demangle(const char *, char *, size_t *, int *) __attribute__((weak));

static demangle_function *demangle_find(void)
{
    if (__cxa_demangle)
        return __cxa_demangle;
    // Kept open: dlopen returns the same handle again at the cost of a look-up.
    void *runtime = dlopen("libstdc++.so.6", RTLD_LAZY);
    return runtime ? (demangle_function *)dlsym(runtime, "__cxa_demangle") : NULL;
}

char *demangle(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return rust_names_read(name);
    demangle_function *function = demangle_find();
    int status;
    char *readable = function ? function(name, NULL, NULL, &status) : NULL;
    if (readable)
        rust_names_unescape(readable);
    return readable;
}
