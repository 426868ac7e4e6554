// SPDX-License-Identifier: Apache-2.0
// Without an argument: lists the cases as FILE.CASE, FILE without its folder and ending. With one: runs that case.
#include "tests/c/check.h"

#include <limits.h>
#include <sys/stat.h>

struct check_case *check_cases;

void check_write(const char *path, const char *text)
{
    char folder[PATH_MAX];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0777);
    }
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void print_name(const struct check_case *c, char *text, size_t size)
{
    const char *file = strrchr(c->file, '/') + 1;
    snprintf(text, size, "%.*s.%s", (int)strcspn(file, "."), file, c->name);
}

int main(int argc, char **argv)
{
    for (const struct check_case *c = check_cases; c; c = c->next) {
        char name[NAME_MAX];
        print_name(c, name, sizeof name);
        if (argc < 2) {
            puts(name);
        } else if (strcmp(argv[1], name) == 0) {
            c->run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
