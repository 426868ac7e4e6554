// SPDX-License-Identifier: Apache-2.0
// mpi_sum LIBRARY serial|parallel SWEEPS MIB: a rank of a hybrid program. The threads of a rank read its array, which
// one of them, or each its own part, has filled. The MPI library is loaded by name: one program serves all of them.
// Its threads run before the mark at which counting begins.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/numaprof.h"

typedef int mpi_init_thread(int *argc, char ***argv, int required, int *provided);
typedef int mpi_finalize(void);

enum { FUNNELED = 1 }; // MPI_THREAD_FUNNELED, in MPICH and in Open MPI

static long sum_of(long *a, size_t count, int sweeps, bool serial)
{
    long sum = 0;
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads++;
    numaprof_region_start();
#pragma omp parallel for schedule(static) if (!serial)
    for (size_t i = 0; i < count; i++)
        a[i] = (long)i;
    for (int sweep = 0; sweep < sweeps; sweep++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < count; i++)
            sum += a[i];
    }
    numaprof_region_stop();
    return threads > 0 ? sum : 0;
}

int main(int argc, char **argv)
{
    int provided = 0;
    void *library = argc == 5 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!library)
        return 3;
    mpi_init_thread *init = (mpi_init_thread *)dlsym(library, "MPI_Init_thread");
    mpi_finalize *finalize = (mpi_finalize *)dlsym(library, "MPI_Finalize");
    if (!init || !finalize || init(NULL, NULL, FUNNELED, &provided) != 0)
        return 4;
    size_t count = (strtoul(argv[4], NULL, 10) << 20) / sizeof(long);
    long *a = malloc(count * sizeof *a);
    if (!a)
        return 5;
    printf("%ld\n", sum_of(a, count, atoi(argv[3]), strcmp(argv[2], "serial") == 0));
    free(a);
    return finalize() == 0 ? 0 : 6;
}
