// SPDX-License-Identifier: Apache-2.0
// truth CPU NEIGHBOUR NEAR FAR EVENT...: for each event one round in which CPU reads, writes, executes and streams over
// lines in every state that they can be in; prints what perf counted in user mode, and what the hardware did.
// NEIGHBOUR is another CPU of the node, NEAR one of another node of the package (or FAR again), FAR of another package.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

// Few enough lines that the neighbour's private cache holds its own; the gap keeps prefetches out of the next lines.
// Lines that are no stream stand too far apart to be one.
enum { ROLES = 4, FEWEST = 5, GAP = 8, APART = 3, JUNK = 8 << 20 };
enum role { WORKER, NEIGHBOUR, NEAR, FAR };
enum use { READ, WRITE, EXECUTE, STREAM_READ, STREAM_WRITE, USES };

// Who had the lines before, and did what to them; nobody: they are in memory only.
static const struct {
    int role;
    bool wrote;
} states[] = {{-1, false},       {WORKER, false}, {NEIGHBOUR, false}, {NEIGHBOUR, true},
              {NEAR, false},     {NEAR, true},    {FAR, false},       {FAR, true}};
enum { STATES = sizeof states / sizeof *states, MORE_WRITTEN = 7, MORE_STREAMED = 8 };
enum { MOST = FEWEST + STATES * LAB_NODES + MORE_WRITTEN + LAB_NODES * MORE_STREAMED };

static struct {
    int cpu, node, start[2], tid;
    char *junk;
} roles[ROLES];
static char *lines[LAB_NODES][STATES][USES]; // by their home; NULL: no role is on this node
static int done[2];

// Another number for each home and state, and for reads and writes, so that no event can be taken for another. Streams
// are prefetched by several lines at once: their numbers differ by more than these.
static int count_of(int home, int state, int use)
{
    int streamed = use == STREAM_READ || use == STREAM_WRITE ? home * MORE_STREAMED : 0;
    return FEWEST + state * LAB_NODES + home + (use == WRITE || use == STREAM_WRITE ? MORE_WRITTEN : 0) + streamed;
}

static char *line_of(int home, int state, int use, int i)
{
    int at = use == STREAM_READ || use == STREAM_WRITE ? i : i * APART;
    return lines[home][state][use] + (size_t)at * LINE;
}

static void touch_line(volatile char *line, bool write)
{
    if (write)
        line[8] = 1;
    else
        (void)line[8];
}

// Every third line, then the rest: not in the order of a stream, where the lines are next to each other.
static void touch(int home, int state, bool write)
{
    for (int use = 0; use < USES; use++)
        for (int first = 0; first < APART; first++)
            for (int i = first; i < count_of(home, state, use); i += APART)
                touch_line(line_of(home, state, use, i), write);
}

static void prepare(int role)
{
    for (int state = 0; state < STATES; state++)
        for (int home = 0; home < LAB_NODES; home++)
            if (lines[home][state][0] && states[state].role == role)
                touch(home, state, states[state].wrote);
    if (role == WORKER)
        sweep(roles[WORKER].junk, 512 << 10); // out of the private cache, not of the shared one
}

static void use_line(char *line, int use)
{
    if (use == READ || use == STREAM_READ)
        (void)*(volatile char *)line;
    else if (use == EXECUTE)
        ((void (*)(void))line)();
    else
        ((volatile char *)line)[16] = 1;
}

static void work(void)
{
    for (int home = 0; home < LAB_NODES; home++)
        for (int state = 0; lines[home][0][0] && state < STATES; state++)
            for (int use = 0; use < USES; use++)
                for (int i = 0; i < count_of(home, state, use); i++)
                    use_line(line_of(home, state, use, i), use);
    sweep(roles[WORKER].junk, JUNK); // what it wrote is written back
}

static void *role_run(void *argument)
{
    int role = (int)(intptr_t)argument;
    char command;
    pin(roles[role].cpu);
    roles[role].tid = (int)syscall(SYS_gettid);
    while (read(roles[role].start[0], &command, 1) == 1) {
        if (command == 's')
            sweep(roles[role].junk, JUNK);
        else if (command == 'p')
            prepare(role);
        else if (command == 'w')
            work();
        if (write(done[1], "", 1) != 1)
            fail("write");
    }
    return NULL;
}

static void command(int role, char what)
{
    char answer;
    if (write(roles[role].start[1], &what, 1) != 1 || read(done[0], &answer, 1) != 1)
        fail("command");
    wait_asleep(roles[role].tid);
}

static void round_for(const char *event)
{
    struct perf_event_attr attr = event_encode(event);
    int fd = event_open(&attr, -1, roles[WORKER].cpu, -1);
    if (fd < 0)
        fail(event);
    for (int role = 0; role < ROLES; role++)
        command(role, 's');
    for (int role = 0; role < ROLES; role++)
        command(role, 'p');
    event_enable(fd);
    struct matrix before = matrix_of(roles[WORKER].cpu);
    command(WORKER, 'w');
    struct matrix moved = matrix_less(matrix_of(roles[WORKER].cpu), &before);
    event_disable(fd);
    printf("{\"event\": \"%s\", \"perf\": %lu, \"hardware\": ", event, event_read(fd));
    matrix_print(&moved, LAB_USER);
    printf("}\n");
    close(fd);
}

static void make_lines(int home)
{
    size_t each = (MOST * APART + GAP) * LINE, bytes = STATES * USES * each;
    if (lines[home][0][0])
        return;
    char *memory = memory_on(home, bytes);
    memset(memory, 0xc3, bytes); // ret
    for (int state = 0; state < STATES; state++)
        for (int use = 0; use < USES; use++)
            lines[home][state][use] = memory + (size_t)(state * USES + use) * each;
}

int main(int argc, char **argv)
{
    if (argc < 2 + ROLES || pipe(done) < 0)
        fail("arguments");
    for (int role = 0; role < ROLES; role++) {
        roles[role].cpu = atoi(argv[1 + role]);
        roles[role].node = node_of(roles[role].cpu);
        roles[role].junk = memory_on(roles[role].node, JUNK);
        make_lines(roles[role].node);
    }
    for (int role = 0; role < ROLES; role++) {
        pthread_t thread;
        if (pipe(roles[role].start) < 0 || pthread_create(&thread, NULL, role_run, (void *)(intptr_t)role))
            fail("pthread_create");
    }
    pin(roles[FAR].cpu);
    for (int i = 1 + ROLES; i < argc; i++)
        round_for(argv[i]);
    return 0;
}
