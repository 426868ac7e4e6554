// SPDX-License-Identifier: Apache-2.0
// mpi_sum LIBRARY serial|parallel SWEEPS MIB: a rank of a hybrid program. The threads of a rank read its array, which
// one of them, or each its own part, has filled. The MPI library is loaded by name: one program serves all of them;
// "-": none is.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int mpi_init_thread(int *argc, char ***argv, int required, int *provided);
typedef int mpi_finalize(void);

enum { FUNNELED = 1 }; // MPI_THREAD_FUNNELED, in MPICH and in Open MPI

static long sum_of(long *a, size_t count, int sweeps, bool serial)
{
    long sum = 0;
#pragma omp parallel for schedule(static) if (!serial)
    for (size_t i = 0; i < count; i++)
        a[i] = (long)i;
    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    }
    return sum;
}

// Between MPI_Init_thread and MPI_Finalize. Returns 0, or what failed.
static int in_mpi(const char *library, void (*work)(char **), char **words)
{
    int provided;
    void *mpi = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    mpi_init_thread *init = mpi ? (mpi_init_thread *)dlsym(mpi, "MPI_Init_thread") : NULL;
    mpi_finalize *finalize = mpi ? (mpi_finalize *)dlsym(mpi, "MPI_Finalize") : NULL;
    if (!init || !finalize || init(NULL, NULL, FUNNELED, &provided) != 0)
        return 3;
    work(words);
    return finalize() == 0 ? 0 : 4;
}

static void sum(char **words)
{
    size_t count = (strtoul(words[2], NULL, 10) << 20) / sizeof(long);
    long *a = malloc(count * sizeof *a);
    if (!a)
        abort();
    printf("%ld\n", sum_of(a, count, atoi(words[1]), strcmp(words[0], "serial") == 0));
    free(a);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    if (strcmp(argv[1], "-") != 0)
        return in_mpi(argv[1], sum, argv + 2);
    sum(argv + 2);
    return 0;
}
