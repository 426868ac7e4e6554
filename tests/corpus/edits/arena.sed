# Each array is filled by the threads that read it.
s|^    for (size_t i = 0; i < count; i++)|#pragma omp parallel for schedule(static)\n&|
