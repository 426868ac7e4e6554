// SPDX-License-Identifier: Apache-2.0
// Functions that find no memory where a case asks for that. The linker puts these in place of the functions without
// __wrap_, and gives those the names with __real_.
#include "tests/c/check.h"

#include <errno.h>

bool check_no_memory;

void *__real_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_realloc(void *block, size_t bytes)
{
    if (!check_no_memory)
        return __real_realloc(block, bytes);
    errno = ENOMEM;
    return NULL;
}

char *__wrap_strdup(const char *text)
{
    if (!check_no_memory)
        return __real_strdup(text);
    errno = ENOMEM;
    return NULL;
}
