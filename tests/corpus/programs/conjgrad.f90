! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26
! truth: matrix and vectors in a module, first set by the threads that later use those rows: nothing to gain
! fix: none
module system
  implicit none
  integer, parameter :: nx = 256, ny = 448, n = nx * ny, width = 5
  integer, allocatable :: column(:, :)
  real(8), allocatable :: value(:, :)
  real(8), allocatable :: x(:), r(:), p(:), q(:)
contains
  subroutine assemble
    integer :: i
    allocate (column(width, n), value(width, n), x(n), r(n), p(n), q(n))
    !$omp parallel do schedule(static)
    do i = 1, n
      column(:, i) = [i, max(i - 1, 1), min(i + 1, n), max(i - nx, 1), min(i + nx, n)]
      value(1, i) = 4.05d0
      value(2:, i) = -1d0
      x(i) = 0
      r(i) = 1d0 + 0.1d0 * mod(i, 7)
      p(i) = r(i)
      q(i) = 0
    end do
  end subroutine

  subroutine multiply(a, b)
    real(8), intent(in) :: a(:)
    real(8), intent(out) :: b(:)
    real(8) :: sum
    integer :: i, k
    !$omp parallel do schedule(static) private(sum, k)
    do i = 1, n
      sum = 0
      do k = 1, width
        sum = sum + value(k, i) * a(column(k, i))
      end do
      b(i) = sum
    end do
  end subroutine

  real(8) function dot(a, b)
    real(8), intent(in) :: a(:), b(:)
    integer :: i
    dot = 0
    !$omp parallel do schedule(static) reduction(+:dot)
    do i = 1, n
      dot = dot + a(i) * b(i)
    end do
  end function
end module

program conjgrad
  use system
  implicit none
  real(8) :: rho, before, alpha, beta
  integer :: i, iteration
  call assemble
  rho = dot(r, r)
  do iteration = 1, 10
    call multiply(p, q)
    alpha = rho / dot(p, q)
    !$omp parallel do schedule(static)
    do i = 1, n
      x(i) = x(i) + alpha * p(i)
      r(i) = r(i) - alpha * q(i)
    end do
    before = rho
    rho = dot(r, r)
    beta = rho / before
    !$omp parallel do schedule(static)
    do i = 1, n
      p(i) = r(i) + beta * p(i)
    end do
  end do
  print '(a, es10.3, a, f9.4)', 'residual', sqrt(rho), ' x', x(n / 2)
end program
