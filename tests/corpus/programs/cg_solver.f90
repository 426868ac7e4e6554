! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23
! truth: CG: matrix and vectors allocated in a routine and set by its serial loops; OpenMP divides the rows
! fix: parts
module solver
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), allocatable :: val(:), x(:), r(:), p(:), q(:)
  integer, allocatable :: col(:), row(:)
contains
  subroutine assemble(n, nnz)
    integer, intent(in) :: n, nnz
    integer :: i, k, at
    allocate(row(n + 1), col(n * nnz), val(n * nnz))
    allocate(x(n), r(n), p(n), q(n))
    at = 1
    do i = 1, n
      row(i) = at
      do k = 1, nnz
        col(at) = max(1, min(n, i + (k - nnz / 2) * 3))
        val(at) = merge(40.0_dp, -1.0_dp, col(at) == i)
        at = at + 1
      end do
    end do
    row(n + 1) = at
    x = 0.0_dp
    r = 1.0_dp
    p = r
  end subroutine assemble

  subroutine multiply(n, v, w)
    integer, intent(in) :: n
    real(dp), intent(in) :: v(n)
    real(dp), intent(out) :: w(n)
    integer :: i, k
    real(dp) :: s
    !$omp parallel do private(k, s) schedule(static)
    do i = 1, n
      s = 0
      do k = row(i), row(i + 1) - 1
        s = s + val(k) * v(col(k))
      end do
      w(i) = s
    end do
  end subroutine multiply

  real(dp) function dot(n, a, b) result(s)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n), b(n)
    integer :: i
    s = 0
    !$omp parallel do reduction(+:s) schedule(static)
    do i = 1, n
      s = s + a(i) * b(i)
    end do
  end function dot
end module solver

program cg
  use solver
  implicit none
  integer, parameter :: n = 40000
  integer :: step, i
  real(dp) :: alpha, beta, rho, next
  call assemble(n, 12)
  rho = dot(n, r, r)
  do step = 1, 12
    call multiply(n, p, q)
    alpha = rho / dot(n, p, q)
    !$omp parallel do schedule(static)
    do i = 1, n
      x(i) = x(i) + alpha * p(i)
      r(i) = r(i) - alpha * q(i)
    end do
    next = dot(n, r, r)
    beta = next / rho
    rho = next
    !$omp parallel do schedule(static)
    do i = 1, n
      p(i) = r(i) + beta * p(i)
    end do
  end do
  print '(es12.4)', sum(x)
end program cg
