! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, sixth
! truth: angular fluxes as components of a derived type, allocated with SOURCE= by a serial routine; groups go to threads
! fix: parts
module control
  implicit none
  integer, parameter :: dp = kind(1d0), nang = 12, nx = 40, ny = 40, ng = 16
end module

module solvar
  use control
  implicit none
  type, public :: flux_type
    real(dp), allocatable :: psi(:, :, :, :), scalar(:, :, :), q(:, :, :)
  end type
  type(flux_type), save :: flux
contains
  subroutine allocate_flux(total)
    real(dp), intent(in) :: total
    allocate(flux%psi(nang, nx, ny, ng), source = 0.01_dp)
    allocate(flux%scalar(nx, ny, ng), source = 0.0_dp)
    allocate(flux%q(nx, ny, ng), source = total)
  end subroutine
end module

module sweeper
  use control
  use solvar
  implicit none
contains
  subroutine sweep_group(psi, scalar, q)
    real(dp), intent(inout) :: psi(nang, nx, ny), scalar(nx, ny)
    real(dp), intent(in) :: q(nx, ny)
    real(dp) :: psii(nang), hv(nang)
    integer :: i, j
    do j = 1, ny
      psii = 0
      do i = 1, nx
        hv = (q(i, j) + 0.5_dp * psii + psi(:, i, j)) / 3.0_dp
        psii = 2 * hv - psii
        psi(:, i, j) = hv
        scalar(i, j) = sum(hv) / nang
      end do
    end do
  end subroutine

  subroutine outer
    integer :: g
    !$omp parallel do schedule(static) default(shared) private(g)
    do g = 1, ng
      call sweep_group(flux%psi(:, :, :, g), flux%scalar(:, :, g), flux%q(:, :, g))
    end do
    !$omp end parallel do
  end subroutine
end module

program main
  use solvar
  use sweeper
  implicit none
  integer :: iteration
  call allocate_flux(1.5_dp)
  do iteration = 1, 20
    call outer
  end do
  print '(f16.12)', flux%scalar(7, 9, 11)
end program
