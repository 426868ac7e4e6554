! SPDX-License-Identifier: Apache-2.0
! truth: one-dimensional arrays, set by main
! fix: parts
program vectors
  implicit none
  integer :: n = 500000, i, k
  real(8), allocatable :: a(:), b(:)
  real(8) :: s = 0
  allocate(a(n))
  allocate(b(n))
  do i = 1, n
    a(i) = mod(i, 10)
    b(i) = 1
  end do
  do k = 1, 20
    !$omp parallel do reduction(+:s) schedule(static)
    do i = 1, n
      s = s + a(i) * b(i)
    end do
  end do
  print '(f16.1)', s
end program
