! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, eleventh
! truth: main allocates three fields, two of them by mold, and touches none; a static loop sets their columns and others of the same schedule use them, and move_alloc swaps them: nothing to gain
! fix: none
program plate_right
  implicit none
  integer, parameter :: n = 760
  real(8), allocatable :: now(:, :), later(:, :), spare(:, :), material(:, :)
  real(8) :: line(n), back(n)
  integer :: i, j, step, unit
  allocate (now(n, n))
  allocate (later, mold=now)
  allocate (material, mold=now)
  !$omp parallel do schedule(static) private(i)
  do j = 1, n
    forall (i = 1:n) now(i, j) = 20 + merge(80d0, 0.5d0 * mod(i + j, 8), mod(i + 2 * j, 160) < 40)
    later(:, j) = now(:, j)
    forall (i = 1:n) material(i, j) = 0.05d0 + 0.001d0 * mod(i + 3 * j, 90)
  end do
  do step = 1, 12
    !$omp parallel do schedule(static) private(i)
    do j = 1, n
      if (j == 1 .or. j == n) cycle
      do i = 2, n - 1
        later(i, j) = now(i, j) + material(i, j) * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j))
      end do
    end do
    call move_alloc(now, spare)
    call move_alloc(later, now)
    call move_alloc(spare, later)
  end do
  line = now(:, n / 2)
  open (newunit=unit, status='scratch', form='unformatted')
  write (unit) line
  rewind (unit)
  read (unit) back
  close (unit)
  print '(3f16.9)', sum(back) / n, minval(back), maxval(back)
end program
