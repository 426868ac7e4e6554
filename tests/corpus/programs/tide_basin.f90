! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, nineteenth
! truth: heights and flows of a basin lie behind pointer components; the loop that sets them is divided among the threads as the loops of the steps are (static, by columns of the arrays), so that each thread has its part on its node already; the main thread alone sets the gates (a few values of each column) after each step and sums up at the end
! fix: none
module basin_data
  use iso_fortran_env, only: real64, int32
  implicit none

  type :: basin_t
    integer :: nx, ny
    real(real64), pointer :: height(:, :) => null()
    real(real64), pointer :: flow(:, :) => null()
    real(real64), pointer, contiguous :: depth(:, :) => null()
  end type basin_t

contains

  subroutine make_basin(basin, nx, ny)
    type(basin_t), intent(out) :: basin
    integer, intent(in) :: nx, ny
    integer :: i, j

    basin%nx = nx
    basin%ny = ny
    allocate (basin%height(nx, ny), basin%flow(nx, ny), basin%depth(nx, ny))
    !$omp parallel do schedule(static) private(i)
    do j = 1, ny
      do i = 1, nx
        basin%height(i, j) = 0.01_real64 * mod(i + 3 * j, 50)
        basin%flow(i, j) = 0
        basin%depth(i, j) = 10 + mod(i * j, 7)
      end do
    end do
    !$omp end parallel do
  end subroutine make_basin

  subroutine step(basin, dt)
    type(basin_t), intent(inout) :: basin
    real(real64), intent(in) :: dt
    integer :: i, j
    real(real64), pointer :: h(:), q(:), d(:)

    !$omp parallel do schedule(static) private(i, h, q, d)
    do j = 1, basin%ny
      h => basin%height(:, j)
      q => basin%flow(:, j)
      d => basin%depth(:, j)
      do i = 2, basin%nx
        q(i) = q(i) - dt * d(i) * (h(i) - h(i - 1))
      end do
    end do
    !$omp end parallel do
    !$omp parallel do schedule(static) private(i)
    do j = 1, basin%ny
      do i = 1, basin%nx - 1
        basin%height(i, j) = basin%height(i, j) - dt * (basin%flow(i + 1, j) - basin%flow(i, j))
      end do
    end do
    !$omp end parallel do
  end subroutine step

  subroutine gates(basin, time)
    type(basin_t), intent(inout) :: basin
    real(real64), intent(in) :: time
    integer :: j

    do j = 1, basin%ny
      basin%height(1, j) = 0.5_real64 * sin(time)
      basin%flow(basin%nx, j) = 0
    end do
  end subroutine gates
end module basin_data

program tide_basin
  use basin_data
  implicit none
  type(basin_t) :: basin
  integer(int32) :: n, j
  real(real64) :: volume

  call make_basin(basin, 1280, 1024)
  do n = 1, 40
    call step(basin, 0.005_real64)
    call gates(basin, 0.01_real64 * n)
  end do
  volume = 0
  do j = 1, basin%ny
    volume = volume + sum(basin%height(:, j))
  end do
  print '(f16.6)', volume
  deallocate (basin%height, basin%flow, basin%depth)
end program tide_basin
