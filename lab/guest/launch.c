// SPDX-License-Identifier: Apache-2.0
// Starts the one command of the guest: its environment and arguments from /job (strings that end in NUL), inside the
// root folder, as the user, and behind the system call filter that the machine asks for.
//     launch --root DIR --cwd DIR --user root|ordinary --seccomp none|container
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAUNCH_FAILED = 125, LAUNCH_CANNOT_RUN = 126, LAUNCH_NOT_FOUND = 127, LAUNCH_ORDINARY_USER = 1000 };

#define BYTES(list) (sizeof(list) / sizeof *(list))

// What container engines refuse without CAP_PERFMON or CAP_SYS_NICE; move_pages is on none of their lists of calls.
static const int refused[] = {
    SYS_perf_event_open, SYS_move_pages, SYS_migrate_pages, SYS_mbind, SYS_set_mempolicy, SYS_get_mempolicy, SYS_bpf,
    SYS_ptrace, SYS_userfaultfd, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_mount, SYS_umount2,
};

static int launch_filter(void)
{
    struct sock_filter code[2 * BYTES(refused) + 4];
    size_t n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < BYTES(refused); i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

static int launch_become_ordinary(void)
{
    if (setgroups(0, NULL) < 0 || setgid(LAUNCH_ORDINARY_USER) < 0 || setuid(LAUNCH_ORDINARY_USER) < 0)
        return -errno;
    return 0;
}

// The strings of a file as a list that ends in NULL. Never freed: exec follows.
static char **launch_strings(const char *path)
{
    char *text = NULL, **list = NULL;
    struct stat status;
    size_t count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0)
        goto fail;
    text = calloc(1, (size_t)status.st_size + 1);
    list = calloc((size_t)status.st_size + 1, sizeof *list);
    if (!text || !list || read(fd, text, (size_t)status.st_size) != status.st_size)
        goto fail;
    close(fd);
    for (char *at = text; at < text + status.st_size; at += strlen(at) + 1)
        list[count++] = at;
    return list;
fail:
    free(list);
    free(text);
    if (fd >= 0)
        close(fd);
    return NULL;
}

static const char *launch_option(char **argv, const char *name)
{
    for (char **at = argv + 1; at[0] && at[1]; at += 2)
        if (strcmp(at[0], name) == 0)
            return at[1];
    return "";
}

static int launch_fail(const char *what, int error)
{
    fprintf(stderr, "numaprof: cannot %s: %s\n", what, strerror(error));
    return LAUNCH_FAILED;
}

int main(int argc, char **argv)
{
    (void)argc;
    static char **arguments, **environment;
    arguments = launch_strings("/job/arguments");
    environment = launch_strings("/job/environment");
    if (!arguments || !arguments[0] || !environment)
        return launch_fail("read the command", errno);
    if (chroot(launch_option(argv, "--root")) < 0 || chdir(launch_option(argv, "--cwd")) < 0)
        return launch_fail("enter the working folder", errno);
    int status = 0;
    if (strcmp(launch_option(argv, "--user"), "ordinary") == 0)
        status = launch_become_ordinary();
    if (status == 0 && strcmp(launch_option(argv, "--seccomp"), "container") == 0)
        status = launch_filter();
    if (status < 0)
        return launch_fail("give up privileges", -status);
    environ = environment;
    execvp(arguments[0], arguments);
    int error = errno;
    fprintf(stderr, "numaprof: cannot run %s: %s\n", arguments[0], strerror(error));
    return error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_RUN;
}
