! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, fifth
! truth: advection by collapsed loops over two arrays that random_number and an assignment set in main; move_alloc swaps them
! fix: parts
module advection
  implicit none
  real(8), parameter :: c = 0.2d0
contains
  subroutine step(old, new)
    real(8), intent(in) :: old(:, :, :)
    real(8), intent(inout) :: new(:, :, :)
    integer :: i, j, k
    !$omp parallel do collapse(2) schedule(static) private(i)
    do k = 2, size(old, 3)
      do j = 2, size(old, 2)
        do i = 2, size(old, 1)
          new(i, j, k) = (1 - 3 * c) * old(i, j, k) + c * (old(i - 1, j, k) + old(i, j - 1, k) + old(i, j, k - 1))
        end do
      end do
    end do
  end subroutine
end module

program main
  use advection
  implicit none
  integer, parameter :: n = 100
  real(8), allocatable :: u(:, :, :), v(:, :, :), swap(:, :, :)
  integer, allocatable :: seed(:)
  integer :: length, t
  call random_seed(size=length)
  allocate(seed(length), source=42)
  call random_seed(put=seed)
  allocate(u(n, n, n), v(n, n, n))
  call random_number(u)
  v = 0
  do t = 1, 8
    call step(u, v)
    call move_alloc(u, swap)
    call move_alloc(v, u)
    call move_alloc(swap, v)
  end do
  print '(f14.10)', u(n / 2, n / 2, n / 2)
end program
