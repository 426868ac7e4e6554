// SPDX-License-Identifier: Apache-2.0
// Loads the library argv[1] into a name space of its own, where it gets a C library of its own, and calls fill() of it.
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const size_t bytes = 8 << 20;
    void *library = argc > 1 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : NULL;
    void (*fill)(char *, size_t) = library ? (void (*)(char *, size_t))dlsym(library, "fill") : NULL;
    char *memory = malloc(bytes);
    if (!fill || !memory)
        return 1;
    fill(memory, bytes);
    return 0;
}
