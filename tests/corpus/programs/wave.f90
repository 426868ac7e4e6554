! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23
! truth: a wave equation on three time levels of one 4-d array, set to a constant by the main program; planes divided
! fix: parts
program wave
  implicit none
  integer, parameter :: nx = 64, ny = 64, nz = 48, steps = 12
  real(8), allocatable :: u(:, :, :, :), c(:, :, :)
  integer :: i, j, k, t, old, now, next
  allocate(u(nx, ny, nz, 3), c(nx, ny, nz))
  u = 0.0d0
  c = 0.1d0
  u(nx / 2, ny / 2, :, 2) = 1.0d0
  old = 1
  now = 2
  next = 3
  do t = 1, steps
    !$omp parallel do private(i, j) schedule(static)
    do k = 2, nz - 1
      do j = 2, ny - 1
        do i = 2, nx - 1
          u(i, j, k, next) = 2 * u(i, j, k, now) - u(i, j, k, old) + c(i, j, k) * (u(i - 1, j, k, now) &
            + u(i + 1, j, k, now) + u(i, j - 1, k, now) + u(i, j + 1, k, now) + u(i, j, k - 1, now) &
            + u(i, j, k + 1, now) - 6 * u(i, j, k, now))
        end do
      end do
    end do
    i = old
    old = now
    now = next
    next = i
  end do
  print '(es14.6)', sum(abs(u(:, :, :, now)))
end program wave
