# Rows are filled by the threads that multiply them, each with random columns of its own.
/^static void fill/,/^}/s|^    for (size_t i|#pragma omp parallel for schedule(static) firstprivate(random)\n&|
