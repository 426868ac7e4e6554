// SPDX-License-Identifier: Apache-2.0
#include "profiler/demangle.h"

#include <dlfcn.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *size, int *status);

char *demangle(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    // Kept open: dlopen returns the same handle again at the cost of a look-up.
    void *runtime = dlopen("libstdc++.so.6", RTLD_LAZY);
    demangle_function *function = runtime ? (demangle_function *)dlsym(runtime, "__cxa_demangle") : NULL;
    int status;
    return function ? function(name, NULL, NULL, &status) : NULL;
}
