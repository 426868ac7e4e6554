// SPDX-License-Identifier: Apache-2.0
// Calls fill() of the shared library argv[1], then empties the file in place, as cp and install do before they write.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void (*fill)(char *, size_t) = library ? (void (*)(char *, size_t))dlsym(library, "fill") : NULL;
    const size_t bytes = 8 << 20;
    char *memory = malloc(bytes);
    if (!fill || !memory)
        return 1;
    fill(memory, bytes);
    printf("%d\n", memory[bytes - 1]);
    fflush(stdout);
    if (getchar() != '\n')
        return 1;
    dlclose(library);
    return truncate(argv[1], 0) == 0 ? 0 : 1;
}
