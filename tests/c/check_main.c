// SPDX-License-Identifier: Apache-2.0
// Without an argument: list the cases; with one: run that case.
#include "tests/c/check.h"

struct check_case *check_cases;

int main(int argc, char **argv)
{
    for (const struct check_case *c = check_cases; c; c = c->next) {
        if (argc < 2) {
            puts(c->name);
        } else if (strcmp(argv[1], c->name) == 0) {
            c->run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
