! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-22
! truth: components of a derived type, allocated in a routine and set by a serial loop of another; rows divided
! fix: parts
module grids
  implicit none
  type :: grid
    integer :: n
    real(8), allocatable :: old(:, :), new(:, :)
    real(8), pointer :: source(:)
  end type
contains
  subroutine create(g, n)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n
    g%n = n
    allocate (g%old(0:n + 1, 0:n + 1))
    allocate (g%new(0:n + 1, 0:n + 1), g%source(n * n))
  end subroutine
  subroutine fill(g)
    type(grid), intent(inout) :: g
    integer :: i, j
    do j = 0, g%n + 1
      do i = 0, g%n + 1
        g%old(i, j) = i + j
        g%new(i, j) = 0
      end do
    end do
    do i = 1, g%n * g%n
      g%source(i) = mod(i, 7)
    end do
  end subroutine
  subroutine step(g)
    type(grid), intent(inout) :: g
    integer :: i, j
    !$omp parallel do private(i) schedule(static)
    do j = 1, g%n
      do i = 1, g%n
        g%new(i, j) = 0.25d0 * (g%old(i - 1, j) + g%old(i + 1, j) + g%old(i, j - 1) + g%old(i, j + 1)) &
          + g%source((j - 1) * g%n + i)
      end do
    end do
    !$omp parallel do schedule(static)
    do j = 1, g%n
      g%old(1:g%n, j) = g%new(1:g%n, j)
    end do
  end subroutine
end module

program derived_type
  use grids
  implicit none
  type(grid) :: g
  integer :: t
  call create(g, 520)
  call fill(g)
  do t = 1, 14
    call step(g)
  end do
  print '(f14.4)', g%new(17, 300)
end program
