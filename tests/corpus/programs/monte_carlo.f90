! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-22
! truth: random numbers in registers, next to no memory: nothing to gain
! fix: none
program monte_carlo
  implicit none
  integer(8) :: i, inside, state
  real(8) :: x, y
  inside = 0
  !$omp parallel private(state, x, y) reduction(+:inside)
  state = 12345
  !$omp do schedule(static)
  do i = 1, 4000000
    state = iand(state * 1103515245_8 + 12345_8, 2147483647_8)
    x = real(state, 8) / 2147483647d0
    state = iand(state * 1103515245_8 + 12345_8, 2147483647_8)
    y = real(state, 8) / 2147483647d0
    if (x * x + y * y <= 1) inside = inside + 1
  end do
  !$omp end parallel
  print '(l1)', inside > 100000
end program
