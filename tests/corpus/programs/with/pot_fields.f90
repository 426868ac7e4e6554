! SPDX-License-Identifier: Apache-2.0
module pot_fields
  implicit none
  integer, parameter :: r_typ = kind(1.0d0)
  integer :: nr, nt, np
  real(r_typ), dimension(:), allocatable :: r, t, p
  real(r_typ), dimension(:, :, :), allocatable :: phi, rhs, work
  real(r_typ), dimension(:, :, :, :), allocatable :: coefficients
contains
  subroutine alloc_fields
    integer :: ierr
    allocate (r(nr), t(nt), p(np))
    allocate (phi(nr, nt, np), rhs(nr, nt, np), work(nr, nt, np), stat=ierr)
    if (ierr /= 0) stop 1
    allocate (coefficients(nr, nt, np, 3))
  end subroutine

  subroutine set_fields
    integer :: i, j, k
    do i = 1, nr
      r(i) = 1 + 0.01_r_typ*i
    end do
    t = 0.5_r_typ
    p = 0.25_r_typ
    do k = 1, np
      do j = 1, nt
        do i = 1, nr
          phi(i, j, k) = 0.001_r_typ*(i + j)
          rhs(i, j, k) = mod(i*j + k, 7)*0.1_r_typ
          coefficients(i, j, k, 1) = 1/r(i)
          coefficients(i, j, k, 2) = t(j)
          coefficients(i, j, k, 3) = p(k)
        end do
      end do
    end do
    work = phi
  end subroutine
end module
