// SPDX-License-Identifier: Apache-2.0
// loads_plugin LIBRARY: a C program that loads a C++ one, as Python does: only that library sees the C++ runtime.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = library ? (int (*)(void))dlsym(library, "plugin_run") : NULL;
    int status = run ? run() : 3;
    if (library)
        dlclose(library);
    printf("%d\n", status);
    return status;
}
