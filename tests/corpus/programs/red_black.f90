! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23
! truth: red-black relaxation, set by a parallel loop over the same columns as it is used: nothing to gain
! fix: none
program red_black
  implicit none
  integer, parameter :: n = 700
  real(8), allocatable :: u(:, :), f(:, :)
  real(8) :: norm
  integer :: i, j, colour, sweep
  allocate(u(0:n + 1, 0:n + 1), f(0:n + 1, 0:n + 1))
  !$omp parallel do schedule(static) private(i)
  do j = 0, n + 1
    do i = 0, n + 1
      u(i, j) = 0.0d0
      f(i, j) = mod(i * j, 17) * 0.01d0
    end do
  end do
  do sweep = 1, 8
    do colour = 0, 1
      !$omp parallel do schedule(static) private(i)
      do j = 1, n
        do i = 1 + mod(j + colour, 2), n, 2
          u(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + f(i, j))
        end do
      end do
    end do
  end do
  norm = 0
  !$omp parallel do schedule(static) reduction(+:norm) private(i)
  do j = 1, n
    do i = 1, n
      norm = norm + u(i, j)**2
    end do
  end do
  print '(es14.6)', norm
end program red_black
