! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26
! truth: gas states in a derived type set serially, one by assignment; columns divided; p set in parallel
! fix: parts
module gas
  implicit none
  real(8), parameter :: gamma = 1.4d0
  type state
    integer :: nx, ny
    real(8), allocatable :: rho(:, :), mx(:, :), my(:, :), e(:, :)
  end type
  type(state) :: w(2)
  real(8), allocatable :: p(:, :)
contains
  subroutine shock_tube(s, nx, ny)
    type(state), intent(out) :: s
    integer, intent(in) :: nx, ny
    integer :: i, j
    s%nx = nx
    s%ny = ny
    allocate (s%rho(nx, ny), s%mx(nx, ny), s%my(nx, ny), s%e(nx, ny))
    do j = 1, ny
      do i = 1, nx
        s%rho(i, j) = merge(1d0, 0.125d0, i + j < (nx + ny) / 2) + 0.001d0 * mod(i * j, 9)
        s%mx(i, j) = 0.01d0 * mod(i, 5)
        s%my(i, j) = 0
        s%e(i, j) = merge(2.5d0, 0.25d0, i + j < (nx + ny) / 2)
      end do
    end do
  end subroutine

  subroutine pressure(s)
    type(state), intent(in) :: s
    integer :: i, j
    !$omp parallel do private(i) schedule(static)
    do j = 1, s%ny
      do i = 1, s%nx
        p(i, j) = (gamma - 1) * (s%e(i, j) - 0.5d0 * (s%mx(i, j)**2 + s%my(i, j)**2) / s%rho(i, j))
      end do
    end do
  end subroutine

  ! Lax-Friedrichs: the mean of the four neighbours less the difference of their fluxes.
  subroutine advance(s, t, c)
    type(state), intent(in) :: s
    type(state), intent(inout) :: t
    real(8), intent(in) :: c
    integer :: i, j
    real(8) :: ue, uw, vn, vs
    !$omp parallel do private(i, ue, uw, vn, vs) schedule(static)
    do j = 2, s%ny - 1
      do i = 2, s%nx - 1
        ue = s%mx(i + 1, j) / s%rho(i + 1, j)
        uw = s%mx(i - 1, j) / s%rho(i - 1, j)
        vn = s%my(i, j + 1) / s%rho(i, j + 1)
        vs = s%my(i, j - 1) / s%rho(i, j - 1)
        t%rho(i, j) = mean(s%rho, i, j) - c * (s%mx(i + 1, j) - s%mx(i - 1, j) &
                                               + s%my(i, j + 1) - s%my(i, j - 1))
        t%mx(i, j) = mean(s%mx, i, j) - c * (s%mx(i + 1, j) * ue + p(i + 1, j) - s%mx(i - 1, j) * uw &
                                             - p(i - 1, j) + s%mx(i, j + 1) * vn - s%mx(i, j - 1) * vs)
        t%my(i, j) = mean(s%my, i, j) - c * (s%my(i + 1, j) * ue - s%my(i - 1, j) * uw &
                                             + s%my(i, j + 1) * vn + p(i, j + 1) - s%my(i, j - 1) * vs &
                                             - p(i, j - 1))
        t%e(i, j) = mean(s%e, i, j) - c * ((s%e(i + 1, j) + p(i + 1, j)) * ue &
                                           - (s%e(i - 1, j) + p(i - 1, j)) * uw &
                                           + (s%e(i, j + 1) + p(i, j + 1)) * vn &
                                           - (s%e(i, j - 1) + p(i, j - 1)) * vs)
      end do
    end do
  end subroutine

  pure real(8) function mean(a, i, j)
    real(8), contiguous, intent(in) :: a(:, :)
    integer, intent(in) :: i, j
    mean = 0.25d0 * (a(i + 1, j) + a(i - 1, j) + a(i, j + 1) + a(i, j - 1))
  end function
end module

program euler_fv
  use gas
  implicit none
  integer :: step, now
  call shock_tube(w(1), 400, 320)
  w(2) = w(1)
  allocate (p(w(1)%nx, w(1)%ny))
  now = 1
  do step = 1, 4
    call pressure(w(now))
    call advance(w(now), w(3 - now), 0.05d0)
    now = 3 - now
  end do
  print '(4f12.7)', w(now)%rho(200, 199), w(now)%mx(150, 250), w(now)%e(3, 310), p(200, 200)
end program
