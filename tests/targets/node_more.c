// SPDX-License-Identifier: Apache-2.0
// A library between the preload library and the kernel, as one that the program links with: on a machine of one node,
// what is to be on node 1 gets another policy on node 0, so that pieces are mappings of their own for the kernel.
#include <dlfcn.h>
#include <linux/mempolicy.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...)
{
    static long (*next)(long, ...);
    const unsigned long first = 1;
    va_list list;
    long words[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_mbind && words[2] == MPOL_PREFERRED && access("/sys/devices/system/node/node1", F_OK) < 0 &&
        *(unsigned long *)words[3] == 2) {
        words[2] = MPOL_BIND;
        words[3] = (long)&first;
        words[4] = 2;
    }
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
