// SPDX-License-Identifier: Apache-2.0
// Says which signals arrive, with the value of those that sigqueue(3) sent; TERM ends it.
#include <signal.h>
#include <stdio.h>

int main(void)
{
    sigset_t all;
    siginfo_t info;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    printf("ready\n");
    fflush(stdout);
    for (int number; (number = sigwaitinfo(&all, &info)) != SIGTERM;) {
        if (number < 0)
            continue; // stopped and continued
        printf("%d %d\n", info.si_signo, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
        fflush(stdout);
    }
    return 0;
}
