// SPDX-License-Identifier: Apache-2.0
// openmp: says how many processors and threads the runtime sees.
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    printf("procs %d threads %d\n", omp_get_num_procs(), threads);
    return 0;
}
