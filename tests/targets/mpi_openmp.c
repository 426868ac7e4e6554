// SPDX-License-Identifier: Apache-2.0
// mpi_openmp LIBRARY: a rank of an MPI program with OpenMP threads. It loads the MPI library by name: so it needs no
// header, and one program serves all of them.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

typedef int mpi_init(int *argc, char ***argv);
typedef int mpi_finalize(void);

int main(int argc, char **argv)
{
    int threads = 0;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!library)
        return 3;
    mpi_init *init = (mpi_init *)dlsym(library, "MPI_Init");
    mpi_finalize *finalize = (mpi_finalize *)dlsym(library, "MPI_Finalize");
    if (!init || !finalize || init(NULL, NULL) != 0)
        return 4;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    printf("procs %d threads %d\n", omp_get_num_procs(), threads);
    return finalize() == 0 ? 0 : 5;
}
