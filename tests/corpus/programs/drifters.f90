! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26
! truth: main sets the components of a flow; every thread's own drifters lie anywhere in it, and lie locally: nothing to gain
! fix: none
module ocean
  implicit none
  integer, parameter :: n = 1000
  real(8), pointer :: east(:, :), north(:, :)
contains
  subroutine read_currents
    integer :: i, j
    allocate (east(n, n), north(n, n))
    do j = 1, n
      do i = 1, n
        east(i, j) = 0.125d0 * (mod(i / 16 + 3 * (j / 16), 97) - 48)
        north(i, j) = 0.125d0 * (mod(5 * (i / 16) + j / 16, 89) - 44)
      end do
    end do
  end subroutine

  pure real(8) function at(field, x, y)
    real(8), pointer, intent(in) :: field(:, :)
    real(8), intent(in) :: x, y
    integer :: i, j
    real(8) :: a, b
    i = int(x)
    j = int(y)
    a = x - i
    b = y - j
    at = (1 - b) * ((1 - a) * field(i, j) + a * field(i + 1, j)) &
         + b * ((1 - a) * field(i, j + 1) + a * field(i + 1, j + 1))
  end function

  pure real(8) function inside(x)
    real(8), intent(in) :: x
    inside = x
    if (inside < 1d0) inside = inside + (n - 2)
    if (inside >= n - 1d0) inside = inside - (n - 2)
  end function
end module

program drifters
  use ocean
  implicit none
  integer, parameter :: many = 32768, steps = 30
  real(8), allocatable :: x(:), y(:)
  real(8) :: u, v
  integer :: k, step, quarter(0:3)
  call read_currents
  allocate (x(many), y(many))
  !$omp parallel do schedule(static)
  do k = 1, many
    x(k) = 1.5d0 + mod(k * 577_8 * k, int(n - 3, 8))
    y(k) = 1.25d0 + mod(k * 7919_8, int(n - 3, 8))
  end do
  do step = 1, steps
    !$omp parallel do schedule(static) private(u, v)
    do k = 1, many
      u = at(east, x(k), y(k))
      v = at(north, x(k), y(k))
      x(k) = inside(x(k) + 2 * u)
      y(k) = inside(y(k) + 2 * v)
    end do
  end do
  quarter = 0
  do k = 1, many
    step = merge(1, 0, x(k) > n / 2) + merge(2, 0, y(k) > n / 2)
    quarter(step) = quarter(step) + 1
  end do
  print '(4i8, 2f12.5)', quarter, x(17), y(many)
end program
