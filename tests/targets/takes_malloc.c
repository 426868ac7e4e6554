// SPDX-License-Identifier: Apache-2.0
// Built with -no-pie -fno-pie, this takes the address of malloc from its own procedure linkage table. Ends with 0 where
// a block can be allocated through it.
#include <stdlib.h>

static void *(*volatile allocate)(size_t) = malloc;

int main(void)
{
    void *block = allocate(1 << 20);
    free(block);
    return block == NULL;
}
