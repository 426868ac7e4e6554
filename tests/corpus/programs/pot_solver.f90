! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-24, eighth
! with: pot_fields.f90
! truth: a potential solver as POT3D: allocatables of a module in another file, which also sets them; planes of phi are divided
! fix: parts
program pot_solver
  use pot_fields
  implicit none
  integer :: step
  real(r_typ) :: norm
  nr = 48
  nt = 64
  np = 64
  call alloc_fields
  call set_fields
  do step = 1, 10
    call relax(phi, work)
    call relax(work, phi)
  end do
  norm = 0
  !$omp parallel do reduction(+:norm)
  do step = 1, np
    norm = norm + sum(phi(:, :, step)**2)
  end do
  print '(f14.6)', norm
contains
  subroutine relax(from, to)
    real(r_typ), intent(in) :: from(:, :, :)
    real(r_typ), intent(inout) :: to(:, :, :)
    integer :: i, j, k
    !$omp parallel do default(shared) private(i, j, k)
    do k = 2, np - 1
      do j = 2, nt - 1
        do i = 2, nr - 1
          to(i, j, k) = from(i, j, k) + 0.1_r_typ*(rhs(i, j, k) &
            + coefficients(i, j, k, 1)*(from(i + 1, j, k) - 2*from(i, j, k) + from(i - 1, j, k)) &
            + coefficients(i, j, k, 2)*(from(i, j + 1, k) - 2*from(i, j, k) + from(i, j - 1, k)) &
            + coefficients(i, j, k, 3)*(from(i, j, k + 1) - 2*from(i, j, k) + from(i, j, k - 1)))
        end do
      end do
    end do
  end subroutine
end program
