! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, eleventh
! truth: main reads series from an unformatted scratch file into an allocatable that move_alloc grows, and sets a second one of its mold; static loops over the columns divide both
! fix: parts
module series_file
  implicit none
  integer, parameter :: samples = 1024, stations = 720
contains
  subroutine write_scratch(unit)
    integer, intent(out) :: unit
    real(8) :: record(samples)
    integer :: i, k
    open (newunit=unit, status='scratch', form='unformatted', access='sequential')
    do k = 1, stations
      record = [(0.01d0 * mod(i * 37 + k * 101, 1009) + mod(k, 13), i = 1, samples)]
      write (unit) record
    end do
    rewind (unit)
  end subroutine

  subroutine read_all(unit, level)
    integer, intent(in) :: unit
    real(8), allocatable, intent(out) :: level(:, :)
    real(8), allocatable :: larger(:, :)
    real(8) :: record(samples)
    integer :: n, status
    allocate (level(samples, 128))
    n = 0
    do
      read (unit, iostat=status) record
      if (status /= 0) exit
      if (n == size(level, 2)) then
        allocate (larger(samples, 2 * n))
        larger(:, 1:n) = level
        call move_alloc(larger, level)
      end if
      n = n + 1
      level(:, n) = record
    end do
    close (unit)
    allocate (larger(samples, n))
    larger(:, :) = level(:, 1:n)
    call move_alloc(larger, level)
  end subroutine
end module

program grown_series
  use series_file
  implicit none
  real(8), allocatable :: level(:, :), smooth(:, :), worst(:)
  integer :: unit, pass, i, k
  call write_scratch(unit)
  call read_all(unit, level)
  allocate (smooth, mold=level)
  allocate (worst(size(level, 2)))
  smooth(:, :) = 0.5d0 * level
  worst = 0
  do pass = 1, 12
    !$omp parallel do schedule(static) private(i)
    do k = 1, size(level, 2)
      do i = 2, size(level, 1) - 1
        smooth(i, k) = 0.8d0 * smooth(i, k) + 0.1d0 * (level(i - 1, k) + level(i + 1, k))
      end do
    end do
    !$omp parallel do schedule(static) private(i)
    do k = 1, size(level, 2)
      do i = 1, size(level, 1)
        level(i, k) = level(i, k) - 0.05d0 * (level(i, k) - smooth(i, k))
      end do
      worst(k) = maxval(abs(level(:, k) - smooth(:, k)))
    end do
  end do
  print '(i6, 2f14.8)', size(level, 2), sum(worst) / size(worst), level(500, 700)
end program
