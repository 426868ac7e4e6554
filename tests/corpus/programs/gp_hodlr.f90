! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-28, twenty-fourth
! truth: a covariance matrix of a Gaussian process, kept as a tree: build, recursive, in the main thread, allocates and writes dense blocks at the leaves (64 of 128 KiB) and factors of low rank in the inner nodes (two of 0.25 MiB and less at each; 11 MiB in all with the leaves); in each iteration OpenMP tasks multiply a vector, one task for a child and one for a factor, and whichever thread is free takes the next: no thread has a part of the tree; half of the requests are remote; spreading takes load off main's node but leaves about as many remote; the vectors (64 KiB each) stay in caches
! fix: spread
module hodlr
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: dp = real64, leaf = 128, rank = 8

  type :: node
    integer :: first, middle, last
    real(dp), allocatable :: dense(:, :)
    real(dp), allocatable :: left(:, :), right(:, :)  ! factors of the block beside the diagonal, and below
    type(node), pointer :: upper => null(), lower => null()
  end type node
contains
  pure real(dp) function covariance(x, y)
    real(dp), intent(in) :: x, y
    covariance = exp(-(x - y)**2)
  end function covariance

  recursive function build(first, last, x) result(t)
    integer, intent(in) :: first, last
    real(dp), intent(in) :: x(:)
    type(node), pointer :: t
    integer :: i, j

    allocate (t)
    t%first = first
    t%last = last
    t%middle = (first + last) / 2
    if (last - first < leaf) then
      allocate (t%dense(first:last, first:last))
      do j = first, last
        do i = first, last
          t%dense(i, j) = covariance(x(i), x(j))
        end do
        t%dense(j, j) = t%dense(j, j) + 0.01_dp
      end do
      return
    end if
    allocate (t%left(first:t%middle, rank), t%right(t%middle + 1:last, rank))
    call expand(t%left, x(first:t%middle), x(t%middle))
    call expand(t%right, x(t%middle + 1:last), x(t%middle))
    t%upper => build(first, t%middle, x)
    t%lower => build(t%middle + 1, last, x)
  end function build

  ! exp(-(u - v)**2) is the sum over k of 2**k u**k v**k / k! times exp(-u**2 - v**2).
  subroutine expand(factor, x, centre)
    real(dp), intent(out) :: factor(:, :)
    real(dp), intent(in) :: x(:), centre
    integer :: k
    factor(:, 1) = exp(-(x - centre)**2)
    do k = 2, rank
      factor(:, k) = factor(:, k - 1) * (x - centre) * sqrt(2.0_dp / (k - 1))
    end do
  end subroutine expand

  recursive subroutine multiply(t, x, y)
    type(node), intent(in) :: t
    real(dp), intent(in) :: x(:)
    real(dp), intent(inout) :: y(:)
    integer :: j

    if (allocated(t%dense)) then
      y(t%first:t%last) = 0
      do j = t%first, t%last
        y(t%first:t%last) = y(t%first:t%last) + t%dense(:, j) * x(j)
      end do
      return
    end if
    !$omp task shared(t, x, y)
    call multiply(t%upper, x, y)
    !$omp end task
    !$omp task shared(t, x, y)
    call multiply(t%lower, x, y)
    !$omp end task
    !$omp taskwait
    !$omp task shared(t, x, y)
    call add_low_rank(t%left, t%right, x(t%middle + 1:t%last), y(t%first:t%middle))
    !$omp end task
    !$omp task shared(t, x, y)
    call add_low_rank(t%right, t%left, x(t%first:t%middle), y(t%middle + 1:t%last))
    !$omp end task
    !$omp taskwait
  end subroutine multiply

  subroutine add_low_rank(u, v, x, y)
    real(dp), intent(in) :: u(:, :), v(:, :), x(:)
    real(dp), intent(inout) :: y(:)
    real(dp) :: moment(rank)
    integer :: k
    do k = 1, rank
      moment(k) = dot_product(v(:, k), x)
    end do
    do k = 1, rank
      y = y + u(:, k) * moment(k)
    end do
  end subroutine add_low_rank
end module hodlr

program gp_hodlr
  use hodlr
  implicit none
  integer, parameter :: n = 8192
  real(dp), allocatable :: points(:), x(:), y(:)
  type(node), pointer :: matrix
  real(dp) :: length
  integer :: i, iteration

  allocate (points(n), x(n), y(n))
  points = [(real(i, dp) / n + 0.2_dp / n * sin(real(i, dp)), i=1, n)]
  matrix => build(1, n, points)
  x = 1
  length = 0
  do iteration = 1, 16  ! towards the largest eigenvalue
    !$omp parallel
    !$omp single
    call multiply(matrix, x, y)
    !$omp end single
    !$omp end parallel
    length = norm2(y)
    if (iteration == 1) print '(a, es9.2)', 'error of a row ', &
      maxval([(abs(y(i) - sum(exp(-(points(i) - points)**2)) - 0.01_dp), i=1, n, 2000)])
    x = y / length
  end do
  print '(a, f12.6)', 'largest eigenvalue ', length
end program gp_hodlr
