! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, fourth
! truth: arrays of a module, allocated and set in a subroutine of it; loops of another divide their columns
! fix: parts
module ocean
  implicit none
  integer, parameter :: nx = 700, ny = 600
  real(8), allocatable, dimension(:, :) :: height, flow
  real(8), allocatable :: depth(:, :)
contains
  subroutine init
    integer :: i, j
    allocate(height(nx, ny), flow(nx, ny), depth(nx, ny))
    do j = 1, ny
      do i = 1, nx
        height(i, j) = mod(i + j, 7)
        flow(i, j) = 0
        depth(i, j) = 10 + mod(i, 5)
      end do
    end do
  end subroutine

  subroutine step(dt)
    real(8), intent(in) :: dt
    integer :: i, j
    !$omp parallel do schedule(static) private(i)
    do j = 2, ny - 1
      do i = 2, nx - 1
        flow(i, j) = flow(i, j) + dt * (height(i + 1, j) - height(i - 1, j) + height(i, j + 1) - height(i, j - 1))
      end do
    end do
    !$omp parallel do schedule(static) private(i)
    do j = 2, ny - 1
      do i = 2, nx - 1
        height(i, j) = height(i, j) - dt * depth(i, j) * flow(i, j)
      end do
    end do
  end subroutine
end module

program main
  use ocean
  implicit none
  integer :: k
  call init
  do k = 1, 8
    call step(0.001d0)
  end do
  print '(es14.6)', height(nx / 2, ny / 2)
end program
