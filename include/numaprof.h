/* SPDX-License-Identifier: Apache-2.0 */
/* Marks the part of a program's run that numaprof is to count:
 *
 *     #include <numaprof.h>
 *     ...
 *     numaprof_region_start();
 *     solve(a, b);
 *     numaprof_region_stop();
 *
 * and then: numaprof --paused ./program
 *
 * The mark is for the whole program: all its threads are counted from the first call until the second has been
 * answered, as often as the two are called. Without --paused, counting begins with the program and the first stop ends
 * it. First touches and homes of pages are recorded throughout.
 *
 * Run without numaprof, the calls do nothing and take well under a microsecond each after the first. There is nothing
 * to link (before glibc 2.34: -ldl). In a static program, or compiled with -DNUMAPROF_OFF, they are empty.
 */
#ifndef NUMAPROF_H
#define NUMAPROF_H

#ifdef NUMAPROF_OFF

static inline void numaprof_region_start(void) {}
static inline void numaprof_region_stop(void) {}

#else

#include <dlfcn.h>
#include <stddef.h>

/* The functions of that name are in the library that numaprof loads into the program; handle NULL is RTLD_DEFAULT. */
static inline void numaprof_call_if_there(const char *name)
{
    void *found = dlsym(NULL, name);
    void (*function)(void);
    if (found) {
        __builtin_memcpy(&function, &found, sizeof function);
        function();
    }
}

static inline void numaprof_region_start(void) { numaprof_call_if_there("numaprof_region_start"); }
static inline void numaprof_region_stop(void) { numaprof_call_if_there("numaprof_region_stop"); }

#endif
#endif
