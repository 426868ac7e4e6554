! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, twenty-third
! truth: a discontinuous Galerkin solver: the main thread allocates the modes now and last (4 x 400 x 400 reals, 4.9 MiB each, components of an extended type) in the type-bound create and sets both there, now by quadrature, last by assignment; slope is allocated there and first written by the parallel loop of slopes; each thread then uses its block of the last dimension of all three (static loops, one column of a neighbour) in all stages
! fix: parts
module dg_base
  implicit none
  integer, parameter :: dp = kind(1d0), modes = 4
  type, abstract :: solver
    integer :: cells = 0
    real(dp) :: time = 0
  contains
    procedure(advance_by), deferred :: advance
  end type solver
  abstract interface
    subroutine advance_by(self, dt)
      import :: solver, dp
      class(solver), intent(inout) :: self
      real(dp), intent(in) :: dt
    end subroutine advance_by
  end interface
end module dg_base

module dg_advection
  use dg_base
  implicit none
  type, extends(solver) :: advection
    real(dp) :: speed(2) = [1d0, 0.5d0]
    real(dp), allocatable :: now(:, :, :), last(:, :, :), slope(:, :, :)
  contains
    procedure :: create
    procedure :: advance => advance_advection
    procedure, private :: slopes
    procedure :: mass
  end type advection
contains
  subroutine create(self, cells)
    class(advection), intent(inout) :: self
    integer, intent(in) :: cells
    real(dp), parameter :: at(2) = [-0.577350269189626d0, 0.577350269189626d0]
    integer :: i, j, p, q
    real(dp) :: x, y, value
    self%cells = cells
    allocate (self%now(modes, cells, cells), self%last(modes, cells, cells), self%slope(modes, cells, cells))
    do j = 1, cells
      do i = 1, cells
        self%now(:, i, j) = 0
        do q = 1, 2
          do p = 1, 2
            x = (i - 0.5d0 + 0.5d0 * at(p)) / cells - 0.5d0
            y = (j - 0.5d0 + 0.5d0 * at(q)) / cells - 0.5d0
            value = exp(-40 * (x * x + y * y)) / 4
            self%now(:, i, j) = self%now(:, i, j) + value * [1d0, 3 * at(p), 3 * at(q), 9 * at(p) * at(q)]
          end do
        end do
      end do
    end do
    self%last = self%now
  end subroutine create

  subroutine slopes(self)
    class(advection), intent(inout) :: self
    integer :: i, j, w, s
    real(dp) :: a, b, fw, fe, fs, fn
    associate (u => self%now, r => self%slope, n => self%cells)
      !$omp parallel do private(i, w, s, a, b, fw, fe, fs, fn) schedule(static)
      do j = 1, n
        s = merge(n, j - 1, j == 1)
        do i = 1, n
          w = merge(n, i - 1, i == 1)
          a = self%speed(1) * n
          b = self%speed(2) * n
          fw = u(1, w, j) + u(2, w, j)
          fe = u(1, i, j) + u(2, i, j)
          fs = u(1, i, s) + u(3, i, s)
          fn = u(1, i, j) + u(3, i, j)
          r(1, i, j) = -a * (fe - fw) - b * (fn - fs)
          r(2, i, j) = -3 * a * (fe + fw - 2 * u(1, i, j)) - b * (u(2, i, j) - u(2, i, s))
          r(3, i, j) = -3 * b * (fn + fs - 2 * u(1, i, j)) - a * (u(3, i, j) - u(3, w, j))
          r(4, i, j) = -3 * (a * (u(4, i, j) + u(4, w, j)) + b * (u(4, i, j) + u(4, i, s)))
        end do
      end do
    end associate
  end subroutine slopes

  subroutine advance_advection(self, dt)
    class(advection), intent(inout) :: self
    real(dp), intent(in) :: dt
    integer :: stage, j
    do stage = 1, 2
      call self%slopes()
      !$omp parallel do schedule(static)
      do j = 1, self%cells
        if (stage == 1) then
          self%last(:, :, j) = self%now(:, :, j)
          self%now(:, :, j) = self%now(:, :, j) + dt * self%slope(:, :, j)
        else
          self%now(:, :, j) = 0.5d0 * (self%last(:, :, j) + self%now(:, :, j) + dt * self%slope(:, :, j))
        end if
      end do
    end do
    self%time = self%time + dt
  end subroutine advance_advection

  real(dp) function mass(self)
    class(advection), intent(in) :: self
    mass = sum(self%now(1, :, :)) / real(self%cells, dp)**2
  end function mass
end module dg_advection

program dg_advect
  use dg_base
  use dg_advection
  implicit none
  class(solver), allocatable :: run
  integer :: step
  allocate (advection :: run)
  select type (run)
  type is (advection)
    call run%create(400)
  end select
  do step = 1, 14
    call run%advance(1d-4)
  end do
  select type (run)
  type is (advection)
    print '(a, f12.6)', 'mass ', run%mass()
  end select
end program dg_advect
