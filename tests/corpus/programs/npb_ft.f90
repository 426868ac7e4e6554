! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-22
! truth: arrays of a module, set by a serial routine; planes divided among threads
! fix: parts
module fields
  implicit none
  integer, parameter :: nx = 64, ny = 64, nz = 96
  complex(8) :: u0(nx, ny, nz), u1(nx, ny, nz)
  real(8) :: twiddle(nx, ny, nz)
end module

subroutine initial_conditions
  use fields
  implicit none
  integer :: i, j, k
  real(8) :: state
  state = 0.314159265d0
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        state = mod(state * 1220.703125d0, 1d0)
        u0(i, j, k) = cmplx(state, 1 - state, 8)
        u1(i, j, k) = (0, 0)
        twiddle(i, j, k) = exp(-1d-6 * (i + j + k))
      end do
    end do
  end do
end subroutine

subroutine evolve
  use fields
  implicit none
  integer :: i, j, k
  !$omp parallel do private(i, j)
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        u0(i, j, k) = u0(i, j, k) * twiddle(i, j, k)
        u1(i, j, k) = u0(i, j, k)
      end do
    end do
  end do
end subroutine

program ft
  use fields
  implicit none
  integer :: step
  complex(8) :: total
  call initial_conditions
  do step = 1, 12
    call evolve
  end do
  total = sum(u1(:, 1, 1))
  print '(2f14.6)', total
end program
