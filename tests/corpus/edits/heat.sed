# The plate is set by the threads that update it.
s|^    do j = 1, n$|    !$omp parallel do schedule(static) private(i)\n&|
