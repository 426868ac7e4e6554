// SPDX-License-Identifier: Apache-2.0
// forbid CALL ANSWER COMMAND...: runs the command under a seccomp filter that answers one system call with an errno
// (EPERM, ENOSYS, EACCES, EAGAIN), or kills whoever makes it (kill).
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct word {
    const char *name;
    unsigned value;
};

static const struct word calls[] = {
    {"perf_event_open", SYS_perf_event_open},
    {"move_pages", SYS_move_pages},
    {"get_mempolicy", SYS_get_mempolicy},
    {"swapon", SYS_swapon},
    {"mbind", SYS_mbind},
    {"set_mempolicy", SYS_set_mempolicy},
    {"clone", SYS_clone},
    {"clone3", SYS_clone3},
    {0},
};
static const struct word answers[] = {{"EPERM", SECCOMP_RET_ERRNO | EPERM},
                                      {"ENOSYS", SECCOMP_RET_ERRNO | ENOSYS},
                                      {"EACCES", SECCOMP_RET_ERRNO | EACCES},
                                      {"EAGAIN", SECCOMP_RET_ERRNO | EAGAIN},
                                      {"kill", SECCOMP_RET_KILL_PROCESS},
                                      {0}};

static const struct word *find(const struct word *word, const char *name)
{
    while (word->name && strcmp(word->name, name) != 0)
        word++;
    return word->name ? word : NULL;
}

int main(int argc, char **argv)
{
    const struct word *call = argc > 3 ? find(calls, argv[1]) : NULL;
    const struct word *answer = call ? find(answers, argv[2]) : NULL;
    if (!answer) {
        fprintf(stderr, "forbid CALL ANSWER COMMAND...\n");
        return 125;
    }
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer->value),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        perror("forbid");
        return 125;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 127;
}
