// SPDX-License-Identifier: Apache-2.0
// Runs a command as on a kernel before Linux 6.9, which refuses MPOL_WEIGHTED_INTERLEAVE:  without_weights PROGRAM...
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WEIGHTED = 6, NO_FILTER = 77 };

// The lower half of the third argument, the mode.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { MODE = offsetof(struct seccomp_data, args[2]) };
#else
enum { MODE = offsetof(struct seccomp_data, args[2]) + 4 };
#endif

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mbind, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, MODE),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WEIGHTED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return NO_FILTER;
    if (argc > 1)
        execvp(argv[1], argv + 1);
    return 127;
}
