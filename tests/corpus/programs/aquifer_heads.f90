! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-28, twenty-fourth
! truth: ground water by zebra relaxation on three allocatable components of 5 MiB each: head and recharge are set by a static loop over the columns and lie where they are used; conduct alone is at fault: draw_field, in the main thread, writes it first (k%conduct(i, j) = ..., each value from the ones before it), and each thread then reads its block of columns of it in all sweeps; about a fifth of the requests are remote, all of them of conduct, nearly all would go if it lay in parts with the threads
! fix: parts
module aquifer
  use, intrinsic :: iso_fortran_env, only: wp => real64, int64
  implicit none
  private
  public :: layer_t, prepare, relax, outflow, wp

  type :: layer_t
    integer :: nx = 0, ny = 0
    real(wp), allocatable, dimension(:, :) :: head, recharge, conduct
  end type layer_t

contains

  subroutine prepare(k, nx, ny, seed)
    type(layer_t), intent(inout) :: k
    integer, intent(in) :: nx, ny
    integer(int64), intent(in) :: seed
    integer :: j

    k%nx = nx
    k%ny = ny
    allocate (k%head(nx, ny), k%recharge(nx, ny), k%conduct(nx, ny))
    !$omp parallel do schedule(static)
    do j = 1, ny
      k%head(:, j) = 40 + 10 * real(j - 1, wp) / real(ny - 1, wp)
      k%recharge(:, j) = 1e-6_wp * merge(3, 1, mod(j, 160) < 48)
    end do
    !$omp end parallel do
    call draw_field(k, seed)
  end subroutine prepare

  ! A log-normal field, correlated along both directions: its values follow from those drawn before.
  subroutine draw_field(k, seed)
    type(layer_t), intent(inout) :: k
    integer(int64), intent(in) :: seed
    real(wp) :: west(k%nx), south, value
    integer(int64) :: state
    integer :: i, j

    state = seed
    west = 0
    do j = 1, k%ny
      south = 0
      do i = 1, k%nx
        state = iand(state * 1103515245_int64 + 12345_int64, 2147483647_int64)
        value = 0.45_wp * south + 0.45_wp * west(i) + real(state, wp) / 2147483648.0_wp - 0.5_wp
        k%conduct(i, j) = 1e-4_wp * exp(value)
        south = value
        west(i) = value
      end do
    end do
  end subroutine draw_field

  ! One sweep: the columns of one colour need only those of the other.
  subroutine relax(k, omega, change)
    type(layer_t), intent(inout) :: k
    real(wp), intent(in) :: omega
    real(wp), intent(out) :: change
    integer :: colour, j

    change = 0
    do colour = 0, 1
      !$omp parallel do schedule(static) reduction(max:change)
      do j = 2 + colour, k%ny - 1, 2
        call relax_column(k, j, omega, change)
      end do
      !$omp end parallel do
    end do
  end subroutine relax

  subroutine relax_column(k, j, omega, change)
    type(layer_t), intent(inout) :: k
    integer, intent(in) :: j
    real(wp), intent(in) :: omega
    real(wp), intent(inout) :: change
    real(wp) :: north, south, east, west, own, fresh
    integer :: i

    do i = 2, k%nx - 1
      own = k%conduct(i, j)
      north = own + k%conduct(i + 1, j)
      south = own + k%conduct(i - 1, j)
      east = own + k%conduct(i, j + 1)
      west = own + k%conduct(i, j - 1)
      fresh = (north * k%head(i + 1, j) + south * k%head(i - 1, j) + east * k%head(i, j + 1) &
               + west * k%head(i, j - 1) + 2 * k%recharge(i, j)) / (north + south + east + west)
      fresh = omega * (fresh - k%head(i, j))
      k%head(i, j) = k%head(i, j) + fresh
      change = max(change, abs(fresh))
    end do
  end subroutine relax_column

  real(wp) function outflow(k)
    type(layer_t), intent(in) :: k
    integer :: i
    outflow = 0
    do i = 1, k%nx
      outflow = outflow + k%conduct(i, 1) * (k%head(i, 2) - k%head(i, 1))
    end do
  end function outflow
end module aquifer

program aquifer_heads
  use, intrinsic :: iso_fortran_env, only: int64
  use aquifer
  implicit none
  type(layer_t) :: layer
  real(wp) :: change
  integer :: sweep

  call prepare(layer, 640, 1024, 20261_int64)
  do sweep = 1, 14
    call relax(layer, 1.4_wp, change)
  end do
  print '(a, f10.6, a, f10.6)', 'change ', change, ' outflow ', 1e3_wp * outflow(layer)
end program aquifer_heads
