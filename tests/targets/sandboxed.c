// SPDX-License-Identifier: Apache-2.0
// sandboxed prctl | seccomp | strict: does the same before and after it allows itself the system calls for that alone,
// and dies for any other: large blocks, threads, children (strict: blocks that it has). Exits with 3.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW(number)                                                                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(SYS_write), ALLOW(SYS_exit), ALLOW(SYS_exit_group), ALLOW(SYS_brk), ALLOW(SYS_mmap), ALLOW(SYS_munmap),
    ALLOW(SYS_mprotect), ALLOW(SYS_madvise), ALLOW(SYS_clone), ALLOW(SYS_clone3), ALLOW(SYS_wait4),
    ALLOW(SYS_set_robust_list), ALLOW(SYS_rseq), ALLOW(SYS_futex), ALLOW(SYS_rt_sigprocmask),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static void say(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        _exit(1);
}

static void use_block(void)
{
    char *volatile block = malloc(1 << 20);
    block[0] = 1;
    free(block);
}

static void *run(void *unused)
{
    use_block();
    say("thread\n");
    return unused;
}

static void work(void)
{
    pthread_t thread;
    int status;
    use_block();
    if (pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        use_block();
        say("child\n");
        _exit(0);
    }
    if (waitpid(pid, &status, 0) == pid && status == 0)
        say("worked\n");
}

int main(int argc, char **argv)
{
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    const char *way = argc > 1 ? argv[1] : "prctl";
    work();
    if (strcmp(way, "strict") == 0) {
        char *volatile block = malloc(1 << 20);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            return 1;
        block[0] = 1;
        say("strict\n");
        syscall(SYS_exit, 3);
    }
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (strcmp(way, "prctl") == 0 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0
                                  : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        return 1;
    say("sandboxed\n");
    work();
    _exit(3);
}
