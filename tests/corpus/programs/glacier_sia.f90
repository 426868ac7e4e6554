! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, seventeenth
! truth: the initial thread alone makes the rough bed and, in a second routine, the ice and its surface (three pointer arrays of 6 MiB); each thread moves its block of columns j in all 60 steps, with rows of its neighbours only at the edges: threads of the other node work remotely (the diffusivity is first written by the threads themselves)
! fix: parts
module ice_sheet
  use, intrinsic :: iso_fortran_env, only: wp => real64, int64
  implicit none

  type :: sheet
    integer :: nx = 0, ny = 0
    real(wp), pointer, contiguous :: bed(:, :) => null(), thick(:, :) => null()
    real(wp), pointer, contiguous :: surface(:, :) => null(), diff(:, :) => null()
  end type sheet

contains

  subroutine create(ice, nx, ny)
    type(sheet), intent(out) :: ice
    integer, intent(in) :: nx, ny
    integer :: i, j
    integer(int64) :: state

    ice%nx = nx
    ice%ny = ny
    allocate (ice%bed(nx, ny), ice%thick(nx, ny), ice%surface(nx, ny), ice%diff(nx, ny))
    state = 19350601_int64
    do j = 1, ny
      do i = 1, nx
        state = mod(state*16807_int64, 2147483647_int64)
        ice%bed(i, j) = 0.3_wp*real(i, wp)/nx + 0.02_wp*real(state, wp)/2147483647.0_wp
      end do
    end do
  end subroutine create

  subroutine snow_in(ice, depth)
    type(sheet), intent(inout) :: ice
    real(wp), intent(in) :: depth
    integer :: i, j
    real(wp) :: r2

    do j = 1, ice%ny
      do i = 1, ice%nx
        r2 = (2.0_wp*i/ice%nx - 1)**2 + (2.0_wp*j/ice%ny - 1)**2
        ice%thick(i, j) = depth*max(0.0_wp, 1 - r2)
      end do
    end do
    ice%surface = ice%bed + ice%thick
  end subroutine snow_in

  subroutine diffusivity(ice, first, last)
    type(sheet), intent(inout) :: ice
    integer, intent(in) :: first, last
    integer :: i, j
    real(wp) :: sx, sy, h2

    do j = max(first, 2), min(last, ice%ny - 1)
      do i = 2, ice%nx - 1
        sx = 0.5_wp*(ice%surface(i + 1, j) - ice%surface(i - 1, j))
        sy = 0.5_wp*(ice%surface(i, j + 1) - ice%surface(i, j - 1))
        h2 = ice%thick(i, j)**2
        ice%diff(i, j) = min(0.2_wp, 50*h2*h2*ice%thick(i, j)*(sx*sx + sy*sy))
      end do
    end do
  end subroutine diffusivity

  subroutine move(ice, first, last)
    type(sheet), intent(inout) :: ice
    integer, intent(in) :: first, last
    real(wp) :: flow(ice%nx)   ! the height of the ice that moved, a column at a time
    integer :: i, j

    do j = max(first, 3), min(last, ice%ny - 2)
      do i = 3, ice%nx - 2
        flow(i) = 0.25_wp*(ice%diff(i + 1, j) + ice%diff(i - 1, j) - 2*ice%diff(i, j) &
                         + ice%diff(i, j + 1) + ice%diff(i, j - 1) - 2*ice%diff(i, j))
      end do
      do i = 3, ice%nx - 2
        ice%thick(i, j) = max(0.0_wp, ice%thick(i, j) + 0.1_wp*flow(i) &
                          + 1e-4_wp*(ice%surface(i, j) - 0.4_wp))
        ice%surface(i, j) = ice%bed(i, j) + ice%thick(i, j)
      end do
    end do
  end subroutine move

end module ice_sheet

program glacier_sia
  use ice_sheet
  use omp_lib, only: omp_get_thread_num, omp_get_num_threads
  implicit none
  integer, parameter :: steps = 60
  type(sheet) :: ice
  integer :: me, team, first, last, step

  call create(ice, 1024, 768)
  call snow_in(ice, 1.2_wp)

  !$omp parallel private(me, team, first, last, step) shared(ice)
  me = omp_get_thread_num()
  team = omp_get_num_threads()
  first = 1 + ice%ny*me/team
  last = ice%ny*(me + 1)/team
  do step = 1, steps
    call diffusivity(ice, first, last)
    !$omp barrier
    call move(ice, first, last)
    !$omp barrier
  end do
  !$omp end parallel

  print '(a, f12.6, a, f10.6)', 'mean thickness', sum(ice%thick)/size(ice%thick), &
    ' highest', maxval(ice%surface)
  deallocate (ice%bed, ice%thick, ice%surface, ice%diff)
end program glacier_sia
