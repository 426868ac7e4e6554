! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, sixth
! truth: three allocatables set by array expressions in the main program; workshare and do divide columns
! fix: parts
module heat_module
  implicit none
  integer, parameter :: rk = selected_real_kind(15)
contains
  subroutine relax(t, old, k)
    real(rk), intent(inout) :: t(:, :), old(:, :)
    real(rk), intent(in) :: k(:, :)
    integer :: i, j, m, n
    m = size(t, 1)
    n = size(t, 2)
    !$omp parallel private(i, j)
    !$omp workshare
    old(:, :) = t(:, :)
    !$omp end workshare
    !$omp do schedule(static)
    do j = 2, n - 1
      do i = 2, m - 1
        t(i, j) = old(i, j) + k(i, j) * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 4 * old(i, j))
      end do
    end do
    !$omp end do
    !$omp end parallel
  end subroutine
end module

program main
  use heat_module
  implicit none
  real(rk), allocatable :: t(:, :), old(:, :), k(:, :)
  integer :: m, n, i, j, step
  character(len=16) :: sizes = ' 520  500'
  read(sizes, *) m, n
  allocate(t(0:m, 0:n), old(0:m, 0:n), k(0:m, 0:n))
  t = reshape([((real(mod(i * j, 13), rk), i = 0, m), j = 0, n)], [m + 1, n + 1])
  old = 0
  where (t > 6)
    k = 0.1_rk
  elsewhere
    k = 0.2_rk
  end where
  do step = 1, 9
    call relax(t, old, k)
  end do
  print '(f16.12)', t(100, 200)
end program
