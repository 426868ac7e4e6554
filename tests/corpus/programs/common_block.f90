! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, fifth
! truth: arrays of a common block, five unknowns in each cell, set by a serial routine; other routines divide their planes
! fix: parts
subroutine initialize
  implicit none
  integer, parameter :: nx = 48, ny = 48, nz = 72
  real(8) :: u, rhs, forcing
  common /fields/ u(5, nx, ny, nz), rhs(5, nx, ny, nz), forcing(5, nx, ny, nz)
  integer :: i, j, k, m
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        do m = 1, 5
          u(m, i, j, k) = m + 0.1d0 * mod(i + j + k, 10)
          rhs(m, i, j, k) = 0
          forcing(m, i, j, k) = 0.01d0 * m
        end do
      end do
    end do
  end do
end subroutine

subroutine compute_rhs
  implicit none
  integer, parameter :: nx = 48, ny = 48, nz = 72
  real(8) :: u, rhs, forcing
  common /fields/ u(5, nx, ny, nz), rhs(5, nx, ny, nz), forcing(5, nx, ny, nz)
  integer :: i, j, k, m
  !$omp parallel do schedule(static) private(i, j, m)
  do k = 2, nz - 1
    do j = 2, ny - 1
      do i = 2, nx - 1
        do m = 1, 5
          rhs(m, i, j, k) = forcing(m, i, j, k) + u(m, i - 1, j, k) + u(m, i + 1, j, k) + u(m, i, j - 1, k) &
            + u(m, i, j + 1, k) + u(m, i, j, k - 1) + u(m, i, j, k + 1) - 6 * u(m, i, j, k)
        end do
      end do
    end do
  end do
end subroutine

subroutine add(dt)
  implicit none
  integer, parameter :: nx = 48, ny = 48, nz = 72
  real(8), intent(in) :: dt
  real(8) :: u, rhs, forcing
  common /fields/ u(5, nx, ny, nz), rhs(5, nx, ny, nz), forcing(5, nx, ny, nz)
  integer :: i, j, k, m
  !$omp parallel do schedule(static) private(i, j, m)
  do k = 2, nz - 1
    do j = 2, ny - 1
      do i = 2, nx - 1
        do m = 1, 5
          u(m, i, j, k) = u(m, i, j, k) + dt * rhs(m, i, j, k)
        end do
      end do
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: nx = 48, ny = 48, nz = 72
  real(8) :: u, rhs, forcing
  common /fields/ u(5, nx, ny, nz), rhs(5, nx, ny, nz), forcing(5, nx, ny, nz)
  integer :: step
  call initialize
  do step = 1, 6
    call compute_rhs
    call add(0.05d0)
  end do
  print '(5f12.6)', u(:, nx / 2, ny / 2, nz / 2)
end program
