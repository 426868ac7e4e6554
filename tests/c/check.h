// SPDX-License-Identifier: Apache-2.0
// C unit tests: a file tests/c/test_NAME.c holds functions `TEST(what_it_shows)`. make links all files with the archive
// into one program, and tests/test_c.py makes every TEST one pytest item.
#ifndef TESTS_C_CHECK_H
#define TESTS_C_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_case {
    const char *file, *name;
    void (*run)(void);
    struct check_case *next;
};
extern struct check_case *check_cases;

#define TEST(title)                                                                                                    \
    static void title(void);                                                                                           \
    static struct check_case title##_case = {.file = __FILE__, .name = #title, .run = title};                          \
    __attribute__((constructor)) static void title##_register(void)                                                    \
    {                                                                                                                  \
        title##_case.next = check_cases;                                                                               \
        check_cases = &title##_case;                                                                                   \
    }                                                                                                                  \
    static void title(void)

// Ends the test where this machine cannot show what it shows.
#define CHECK_SKIP_UNLESS(condition, reason)                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s\n", reason);                                                                           \
            exit(77);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition);                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define CHECK_EQ(actual, expected)                                                                                     \
    do {                                                                                                               \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected);                                    \
        if (actual_ != expected_) {                                                                                    \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, actual_, expected_);         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define CHECK_STR(actual, expected)                                                                                    \
    do {                                                                                                               \
        const char *actual_ = (actual), *expected_ = (expected);                                                       \
        if (strcmp(actual_, expected_) != 0) {                                                                         \
            fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #actual, actual_, expected_);     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// True: from now on realloc and strdup find no memory, in the recorder's code as in the test's (mk/tests.mk).
extern bool check_no_memory;

// Every case runs in an empty folder of its own (test_c.py). Makes the folders of the path too.
void check_write(const char *path, const char *text);

#endif
