! SPDX-License-Identifier: Apache-2.0
! truth: allocated and set by whole-array assignment; columns divided
! fix: parts
program heat
  implicit none
  integer :: n = 720, i, j, t
  real(8), allocatable :: u(:, :), v(:, :)
  allocate(u(n, n), v(n, n))
  u = 1
  v = 2
  do t = 1, 20
    !$omp parallel do private(i) schedule(static)
    do j = 2, n - 1
      do i = 2, n - 1
        v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    !$omp parallel do private(i) schedule(static)
    do j = 2, n - 1
      do i = 2, n - 1
        u(i, j) = v(i, j)
      end do
    end do
  end do
  print '(f12.4)', u(5, 5)
end program
