! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, twelfth
! truth: layers of soil are a linked list of a derived type with two array pointers each, which main allocates and sets as it appends; loops over the columns of each layer divide all of them alike
! fix: parts
module soil
  implicit none
  integer, parameter :: nx = 520, ny = 256, layers = 8
  type :: layer
    real(8), pointer :: moisture(:, :) => null(), conductivity(:, :) => null()
    type(layer), pointer :: below => null()
  end type layer
contains
  subroutine append(top, depth)
    type(layer), pointer, intent(inout) :: top
    integer, intent(in) :: depth
    type(layer), pointer :: added
    integer :: i, j
    allocate (added)
    allocate (added%moisture(nx, ny), added%conductivity(nx, ny))
    do j = 1, ny
      do i = 1, nx
        added%moisture(i, j) = 0.2d0 + 0.01d0 * mod(i * 3 + j * 7 + depth, 20)
        added%conductivity(i, j) = 0.3d0 / depth + 0.002d0 * mod(i + j, 16)
      end do
    end do
    added%below => top
    top => added
  end subroutine append

  subroutine seep(upper, lower)
    type(layer), intent(inout) :: upper, lower
    real(8) :: down
    integer :: i, j
    !$omp parallel do schedule(static) private(i, down) num_threads(8)
    do j = 1, ny
      do i = 1, nx
        down = upper%conductivity(i, j) * upper%moisture(i, j)**2 - 0.1d0 * lower%conductivity(i, j) * lower%moisture(i, j)
        upper%moisture(i, j) = upper%moisture(i, j) - 0.1d0 * down
        lower%moisture(i, j) = lower%moisture(i, j) + 0.1d0 * down
      end do
    end do
  end subroutine seep
end module soil

program layer_list
  use soil
  implicit none
  type(layer), pointer :: top, here, next
  integer :: depth, hour
  real(8) :: total
  top => null()
  do depth = layers, 1, -1
    call append(top, depth)
  end do
  do hour = 1, 8
    here => top
    do while (associated(here%below))
      call seep(here, here%below)
      here => here%below
    end do
  end do
  here => top
  do while (associated(here))
    total = here%moisture(1, 1) + here%moisture(nx / 2, ny / 2) + here%moisture(nx, ny)
    print '(f14.9)', total
    next => here%below
    deallocate (here%moisture, here%conductivity)
    deallocate (here)
    here => next
  end do
end program layer_list
