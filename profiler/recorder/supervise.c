// SPDX-License-Identifier: Apache-2.0
#include "profiler/recorder/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/process/process_stat.h"
#include "core/system/clock.h"
#include "core/system/sysfile.h"
#include "core/text/diag.h"

// --- state at the start

// /proc/PID/task/TID/children: "12 34 " (proc(5)); a kernel without CONFIG_PROC_CHILDREN has none.
static size_t supervise_children(pid_t *children, size_t max)
{
    char *text;
    size_t count = 0;
    if (sysfile_whole("", &text, "/proc/self/task/%d/children", getpid()) < 0)
        return 0;
    for (char *at = text, *end; count < max; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at)
            break;
        children[count++] = (pid_t)pid;
    }
    free(text);
    return count;
}

int supervise_block(struct launch_signals *before)
{
    sigset_t all;
    struct sigaction child;
    *before = (struct launch_signals){0};
    before->other_count = supervise_children(before->others, sizeof before->others / sizeof *before->others);
    sigaction(SIGCHLD, NULL, &child);
    before->ignores_child = child.sa_handler == SIG_IGN;
    child = (struct sigaction){.sa_handler = SIG_DFL}; // ignored, the kernel would reap the target itself
    sigaction(SIGCHLD, &child, NULL);
    // A fault of numaprof itself still ends it: the kernel does not let faults be blocked (force_sig_info in
    // kernel/signal.c).
    sigfillset(&all);
    return sigprocmask(SIG_BLOCK, &all, &before->mask) < 0 ? -errno : 0;
}

// --- children

static bool supervise_is_stopped(pid_t pid)
{
    char text[512];
    const char *state;
    return process_stat_read(text, sizeof text, &state, pid) == 0 && (*state == 'T' || *state == 't');
}

// True if a stop of the target is still to be reaped: it was continued since the stop before, and stopped again.
static bool supervise_is_stopped_anew(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

// Stops numaprof so that the shell sees a stopped job. When the shell continues numaprof, it continues the target too.
static void supervise_stop_along(const struct supervision *s)
{
    kill(getpid(), SIGSTOP);
    if (supervise_is_stopped(s->target) && !supervise_is_stopped_anew(s->target))
        kill(s->target, SIGCONT);
}

// True if the only children left are those from before numaprof: numaprof does not wait for them.
static bool supervise_has_only_others(const struct launch_signals *before)
{
    enum { MOST = sizeof before->others / sizeof *before->others + 1 };
    pid_t children[MOST];
    if (!before || before->other_count == 0)
        return false;
    size_t count = supervise_children(children, MOST);
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < before->other_count && before->others[j] != children[i])
            j++;
        if (j == before->other_count)
            return false;
    }
    return count > 0;
}

static void supervise_reap(struct supervision *s)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (pid != s->target)
            continue; // an orphan of the target, reparented to numaprof
        if (WIFSTOPPED(status)) {
            supervise_stop_along(s);
        } else {
            s->is_dead = true;
            s->wait_status = status;
            s->end = clock_now();
        }
    }
    s->all_gone = s->is_dead && ((pid < 0 && errno == ECHILD) || supervise_has_only_others(s->before));
}

// --- signals

// True for signals of other processes, and alarms that were set before numaprof was executed. Signals of the keyboard
// reach the target directly. So does a hangup of the terminal, unless numaprof leads the session (xterm -e numaprof).
static bool supervise_is_for_target(const struct signalfd_siginfo *info)
{
    bool sent = info->ssi_code == SI_USER || info->ssi_code == SI_QUEUE || info->ssi_code == SI_TKILL;
    if (sent)
        return info->ssi_pid != (uint32_t)getpid(); // the kernel sends SIGPIPE and SIGXFSZ with numaprof's own pid
    return (info->ssi_signo == SIGHUP && getsid(0) == getpid()) || info->ssi_signo == SIGALRM ||
           info->ssi_signo == SIGVTALRM || info->ssi_signo == SIGPROF;
}

static void supervise_forward(const struct supervision *s, const struct signalfd_siginfo *info)
{
    const union sigval value = {.sival_ptr = (void *)(uintptr_t)info->ssi_ptr};
    if (s->is_dead || !supervise_is_for_target(info))
        return;
    if (info->ssi_code == SI_QUEUE)
        sigqueue(s->target, (int)info->ssi_signo, value);
    else
        kill(s->target, (int)info->ssi_signo);
}

// timeout(1) signals its child and then the child's whole group: two signals of one sender within SAME_MS count as one.
static void supervise_count_termination(struct supervision *s, const struct signalfd_siginfo *info)
{
    enum { SAME_MS = 200 };
    uint64_t now = clock_now();
    bool same = s->terminations > 0 && s->terminator == info->ssi_pid && now - s->terminated_at < SAME_MS * CLOCK_MS;
    if (same)
        return;
    s->terminations++;
    s->terminator = info->ssi_pid;
    s->terminated_at = now;
}

// numaprof attach: signals of the terminal are for numaprof alone.
static void supervise_signal_running(struct supervision *s, int signal)
{
    if (signal == SIGTSTP)
        kill(getpid(), SIGSTOP);
    s->give_up |= signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

static void supervise_signal(struct supervision *s, const struct signalfd_siginfo *info)
{
    if (s->target == 0) {
        supervise_signal_running(s, (int)info->ssi_signo);
        return;
    }
    switch (info->ssi_signo) {
    case SIGCHLD:
        supervise_reap(s);
        break;
    case SIGTERM:
        supervise_forward(s, info);
        supervise_count_termination(s, info);
        s->give_up |= s->terminations > 1 || s->is_dead;
        break;
    case SIGHUP:
        supervise_forward(s, info);
        s->give_up |= s->terminations > 1 || s->is_dead;
        break;
    case SIGINT: // from the keyboard: the target gets it too
        s->give_up |= s->is_dead; // only its orphans are still running
        break;
    case SIGQUIT:
    case SIGTSTP: // numaprof stops when the target has stopped
    case SIGTTIN:
    case SIGTTOU:
        break;
    default:
        supervise_forward(s, info);
        break;
    }
}

static void supervise_read_signals(struct supervision *s)
{
    struct signalfd_siginfo info;
    while (read(s->signals, &info, sizeof info) == sizeof info)
        supervise_signal(s, &info);
}

// --- waiting

// The recorders of a host's ranks wake up as often as one recorder does, up to SUPERVISE_MOST_RANKS: messages that are
// awaited and rings that fill wake them besides.
enum { SUPERVISE_FASTEST_MS = 1, SUPERVISE_SLOWEST_MS = 25, SUPERVISE_MOST_RANKS = 4, SUPERVISE_REST_MS = 1000 };

static int supervise_watch(void *epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(*(const int *)epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void supervise_dispatch(struct supervision *s, struct recorder *recorder, int epoll,
                               const struct epoll_event *events, int count)
{
    for (int i = 0; i < count; i++) {
        // A ring whose tasks have all ended is ready for ever: its last records are taken by the tick all the same.
        if (events[i].events & EPOLLHUP)
            epoll_ctl(epoll, EPOLL_CTL_DEL, events[i].data.fd, NULL);
        if (events[i].data.fd == s->signals)
            supervise_read_signals(s);
        else
            recorder_ready(recorder, events[i].data.fd);
    }
}

// After SUPERVISE_REST_MS, because helpers of runtimes outlive the program by a moment.
static bool supervise_is_waiting_for_rest(const struct supervision *s, uint64_t now)
{
    return s->is_dead && !s->all_gone && now - s->end > SUPERVISE_REST_MS * CLOCK_MS;
}

static int supervise_wait_ms(const struct supervision *s, int wait_ms)
{
    uint64_t now = clock_now();
    uint64_t left_ms = s->until > now ? (s->until - now) / CLOCK_MS : 0;
    return s->until && left_ms < (uint64_t)wait_ms ? (int)left_ms : wait_ms;
}

int supervise_next_wait_ms(int wait_ms, size_t records, int ranks)
{
    const int slowest_ms = SUPERVISE_SLOWEST_MS * (ranks < SUPERVISE_MOST_RANKS ? ranks : SUPERVISE_MOST_RANKS);
    if (records > 0)
        return SUPERVISE_FASTEST_MS;
    return wait_ms * 2 < slowest_ms ? wait_ms * 2 : slowest_ms;
}

static int supervise_loop(struct supervision *s, struct recorder *recorder, bool quiet, int epoll)
{
    struct epoll_event events[64];
    int wait_ms = SUPERVISE_FASTEST_MS;
    bool announced = false;
    while (!s->all_gone && !s->give_up) {
        int count = epoll_wait(epoll, events, 64, supervise_wait_ms(s, wait_ms));
        if (count < 0 && errno != EINTR)
            return -errno;
        supervise_dispatch(s, recorder, epoll, events, count);
        size_t records = recorder_tick(recorder, clock_now());
        if (s->target == 0)
            s->all_gone = !recorder_has_targets(recorder) || (s->until && clock_now() >= s->until);
        wait_ms = supervise_next_wait_ms(wait_ms, records, recorder_ranks(recorder));
        if (!announced && !quiet && supervise_is_waiting_for_rest(s, clock_now())) {
            diag_info("the program has ended; still recording what it left running (Ctrl-C or TERM ends that)");
            announced = true;
        }
    }
    return 0;
}

static int supervise_open_signals(struct supervision *s)
{
    sigset_t set;
    sigfillset(&set);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return s->signals < 0 ? -errno : 0;
}

int supervise_wait(struct supervision *s, pid_t target)
{
    *s = (struct supervision){.target = target};
    int status = supervise_open_signals(s);
    while (status == 0 && !s->is_dead && !s->give_up) {
        struct pollfd wanted = {.fd = s->signals, .events = POLLIN};
        if (poll(&wanted, 1, -1) < 0 && errno != EINTR)
            status = -errno;
        supervise_read_signals(s);
    }
    if (s->signals >= 0)
        close(s->signals);
    return status;
}

static int supervise_record(struct supervision *s, struct recorder *recorder, bool quiet)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0)
        return -errno;
    int status = supervise_open_signals(s);
    if (status < 0)
        goto close_epoll;
    status = supervise_watch(&epoll, s->signals);
    if (status == 0)
        status = recorder_watch(recorder, supervise_watch, &epoll);
    if (status == 0)
        status = supervise_loop(s, recorder, quiet, epoll);
    if (s->end == 0)
        s->end = clock_now();
    close(s->signals);
close_epoll:
    close(epoll);
    return status;
}

int supervise_run(struct supervision *s, struct recorder *recorder, pid_t target,
                  const struct launch_signals *before, bool quiet)
{
    *s = (struct supervision){.target = target, .before = before};
    return supervise_record(s, recorder, quiet);
}

int supervise_running(struct supervision *s, struct recorder *recorder, uint64_t duration_ms)
{
    *s = (struct supervision){.until = duration_ms ? clock_now() + duration_ms * CLOCK_MS : 0};
    return supervise_record(s, recorder, true);
}

bool supervise_was_ended(const struct supervision *s)
{
    int signal = s->is_dead && WIFSIGNALED(s->wait_status) ? WTERMSIG(s->wait_status) : 0;
    return s->give_up || s->terminations > 0 || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP ||
           signal == SIGTERM;
}

int supervise_repeat_end(const struct supervision *s)
{
    int signal = s->give_up && !s->is_dead ? SIGTERM : WIFSIGNALED(s->wait_status) ? WTERMSIG(s->wait_status) : 0;
    if (signal == 0)
        return WEXITSTATUS(s->wait_status);
    const struct rlimit no_core = {0};
    setrlimit(RLIMIT_CORE, &no_core); // the target has dumped core already
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), signal);
    return 128 + signal; // a signal that does not kill
}
