// SPDX-License-Identifier: Apache-2.0
// Frees a block while the ring of allocations is full, so that the free is lost: the record of its allocation, and
// those of many others, still wait in the ring then.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 3 << 20, PAIRS = 200000 };

__attribute__((noinline)) static char *make_large(void)
{
    char *large = malloc(LARGE);
    memset(large, 1, LARGE);
    return large;
}

__attribute__((noinline)) static void pair(void)
{
    char *volatile block = malloc(70000);
    block[0] = 1;
    free(block);
}

static void say(const char *word)
{
    puts(word);
    fflush(stdout);
    getchar();
}

int main(void)
{
    pair();
    say("ready");
    char *large = make_large();
    for (int i = 0; i < PAIRS; i++)
        pair();
    free(large);
    say("done");
    pair();
    return 0;
}
