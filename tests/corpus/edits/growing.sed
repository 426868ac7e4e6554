# Allocated at its final size, and zeroed by the threads that read it.
s|struct list list = {0};|struct list list = {.room = count, .items = malloc(count * sizeof(double))};\n#pragma omp parallel for schedule(static)\n    for (size_t i = 0; i < count; i++)\n        list.items[i] = 0;|
