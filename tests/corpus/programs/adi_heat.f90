! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, twentieth
! truth: each step solves lines along x, columns of the arrays divided among the threads, and then lines along y, where each thread has a block of rows of all columns; the threads set the columns first, divided as along x; whichever way the memory is placed, one of the two phases is half remote
! fix: none
module adi
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: n = 1024
  real(dp), parameter :: r = 0.4_dp
  real(dp), allocatable :: u(:, :), w(:, :)

contains

  subroutine start()
    integer :: i, j
    allocate (u(n, n), w(n, n))
    !$omp parallel do schedule(static) private(i)
    do j = 1, n
      do i = 1, n
        u(i, j) = sin(0.01_dp * i) * cos(0.013_dp * j)
        w(i, j) = 0
      end do
    end do
  end subroutine start

  subroutine along_x()
    integer :: i, j
    real(dp) :: c(n), m
    !$omp parallel do schedule(static) private(i, c, m)
    do j = 1, n
      c(1) = -r / (1 + 2 * r)
      w(1, j) = u(1, j) / (1 + 2 * r)
      do i = 2, n
        m = 1 / (1 + 2 * r + r * c(i - 1))
        c(i) = -r * m
        w(i, j) = (u(i, j) + r * w(i - 1, j)) * m
      end do
      do i = n - 1, 1, -1
        w(i, j) = w(i, j) - c(i) * w(i + 1, j)
      end do
    end do
  end subroutine along_x

  subroutine along_y(nblock)
    integer, intent(in) :: nblock
    integer :: i, j, b, lo, hi
    real(dp) :: c(n), m
    !$omp parallel do schedule(static, 1) private(i, j, c, m, lo, hi)
    do b = 1, nblock
      lo = (b - 1) * n / nblock + 1
      hi = b * n / nblock
      c(1) = -r / (1 + 2 * r)
      do i = lo, hi
        u(i, 1) = w(i, 1) / (1 + 2 * r)
      end do
      do j = 2, n
        m = 1 / (1 + 2 * r + r * c(j - 1))
        c(j) = -r * m
        do i = lo, hi
          u(i, j) = (w(i, j) + r * u(i, j - 1)) * m
        end do
      end do
      do j = n - 1, 1, -1
        do i = lo, hi
          u(i, j) = u(i, j) - c(j) * u(i, j + 1)
        end do
      end do
    end do
  end subroutine along_y
end module adi

program adi_heat
  use adi
  use omp_lib, only: omp_get_max_threads
  implicit none
  integer :: step

  call start()
  do step = 1, 22
    call along_x()
    call along_y(omp_get_max_threads())
  end do
  print '(es20.12)', sum(u(:, n / 3))
end program adi_heat
