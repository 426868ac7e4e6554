// SPDX-License-Identifier: Apache-2.0
// A library whose constructor allocates before the preload library's has run.
#include <stdlib.h>

char *early_block;

__attribute__((constructor(102))) void early_constructor(void)
{
    early_block = malloc(1 << 20);
    for (int i = 0; early_block && i < 1 << 20; i += 4096)
        early_block[i] = 1;
}
