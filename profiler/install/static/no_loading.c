// SPDX-License-Identifier: Apache-2.0
// Only in the program of `make static`: nothing is ever loaded into it. A library of the system would bring in another
// C library, and libdw and SQLite ask for some when they can: they are told, as documented, that there is none.
#include <stddef.h>

// The linker puts these in place of the functions without __wrap_ (mk/static.mk).
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *handle, const char *name);
char *__wrap_dlerror(void);
int __wrap_dlclose(void *handle);

void *__wrap_dlopen(const char *file, int mode)
{
    (void)file;
    (void)mode;
    return NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
    (void)handle;
    (void)name;
    return NULL;
}

char *__wrap_dlerror(void)
{
    static char reason[] = "a static program loads no libraries";
    return reason;
}

int __wrap_dlclose(void *handle)
{
    (void)handle;
    return -1;
}
