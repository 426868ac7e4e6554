! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, fifth
! truth: blocks of a derived type in an allocatable array, each with components that a serial routine makes; blocks divided
! fix: parts
module blocks
  implicit none
  type block
    integer :: ni, nj
    real(8), allocatable :: q(:, :), residual(:, :)
  end type
contains
  subroutine create(all, count, ni, nj)
    type(block), allocatable, intent(out) :: all(:)
    integer, intent(in) :: count, ni, nj
    integer :: b, i, j
    allocate(all(count))
    do b = 1, count
      all(b)%ni = ni
      all(b)%nj = nj
      allocate(all(b)%q(ni, nj), all(b)%residual(ni, nj))
      do j = 1, nj
        do i = 1, ni
          all(b)%q(i, j) = b + 0.01d0 * mod(i * j, 100)
          all(b)%residual(i, j) = 0
        end do
      end do
    end do
  end subroutine

  subroutine sweep(one)
    type(block), intent(inout) :: one
    integer :: i, j
    do j = 2, one%nj - 1
      do i = 2, one%ni - 1
        one%residual(i, j) = one%q(i - 1, j) + one%q(i + 1, j) + one%q(i, j - 1) + one%q(i, j + 1) - 4 * one%q(i, j)
      end do
    end do
    do j = 2, one%nj - 1
      do i = 2, one%ni - 1
        one%q(i, j) = one%q(i, j) + 0.1d0 * one%residual(i, j)
      end do
    end do
  end subroutine
end module

program main
  use blocks
  implicit none
  type(block), allocatable :: grid(:)
  integer :: step, b
  call create(grid, 16, 260, 200)
  do step = 1, 7
    !$omp parallel do schedule(static)
    do b = 1, size(grid)
      call sweep(grid(b))
    end do
  end do
  print '(f14.8)', grid(9)%q(130, 100)
end program
