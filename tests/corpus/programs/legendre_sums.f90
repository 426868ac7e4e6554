! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, twenty-third
! truth: a spectral model of a sphere: each thread sets the coefficients (8.1 MiB) and the Legendre table (8.1 MiB) of its block of wavenumbers in a static loop that counts up; in each step analyse and damp count up as well and are local, but synthesise counts down (do m = top, 0, -1), so that the static schedule gives each thread the mirrored block, on the other node; the right fix is to count up (lines of the loop in synthesise); no placement of memory helps, as both halves of the work use all of it alike
! fix: none
module sphere
  implicit none
  integer, parameter :: dp = kind(1d0), top = 511, rings = 1040, deg = 1040
  type :: spectrum
    real(dp), allocatable :: coef(:, :)
    real(dp), allocatable :: table(:, :)
    real(dp), allocatable :: energy(:)
  end type spectrum
contains
  subroutine make(s)
    type(spectrum), intent(out) :: s
    integer :: m, l
    allocate (s%coef(2 * deg, 0:top), s%table(2 * rings, 0:top), s%energy(0:top))
    !$omp parallel do private(l) schedule(static)
    do m = 0, top
      do l = 1, 2 * deg
        s%coef(l, m) = cos(0.01d0 * l) / (1 + m + l)
      end do
      do l = 1, 2 * rings
        s%table(l, m) = sin(0.003d0 * l * (m + 1))
      end do
      s%energy(m) = 0
    end do
  end subroutine make

  subroutine analyse(s, dt)
    type(spectrum), intent(inout) :: s
    real(dp), intent(in) :: dt
    integer :: m, l
    !$omp parallel do private(l) schedule(static)
    do m = 0, top
      do l = 1, 2 * deg
        s%coef(l, m) = s%coef(l, m) + dt * s%table(l, m) / (1 + m)
      end do
    end do
  end subroutine analyse

  subroutine damp(s, rate)
    type(spectrum), intent(inout) :: s
    real(dp), intent(in) :: rate
    integer :: m
    !$omp parallel do schedule(static)
    do m = 0, top
      s%energy(m) = s%energy(m) * (1 - rate * m / top)
    end do
  end subroutine damp

  subroutine synthesise(s, field)
    type(spectrum), intent(inout) :: s
    real(dp), intent(out) :: field
    integer :: m, l
    real(dp) :: part
    field = 0
    !$omp parallel do private(l, part) reduction(+:field) schedule(static)
    do m = top, 0, -1  ! the smallest terms first
      part = 0
      do l = 1, 2 * deg
        part = part + s%coef(l, m) * s%table(l, m)
      end do
      s%energy(m) = s%energy(m) + part * part
      field = field + part
    end do
  end subroutine synthesise
end module sphere

program legendre_sums
  use sphere
  implicit none
  type(spectrum) :: state
  real(dp) :: field
  integer :: step
  call make(state)
  do step = 1, 14
    call analyse(state, 1d-3)
    call synthesise(state, field)
    call damp(state, 1d-2)
  end do
  print '(a, f14.6)', 'energy ', sum(state%energy)
end program legendre_sums
