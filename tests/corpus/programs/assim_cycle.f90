! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, fifteenth
! truth: two arrays are filled by the main thread, used by blocks of columns and by strips of rows that share pages; one is the main thread's; one is right
! fix: parts
! Data assimilation cycle of a toy ocean model.  The forecast runs in parallel:
! a sweep along y per x-strip and a diffusion per column block; the analysis
! step (optimal interpolation of a float track) is serial.
module ocean_state
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: nx = 1024, ny = 1200
  real(real64), save :: temp(nx, ny), gain(nx, ny)
  real(real64), allocatable :: tnew(:,:), flux(:,:)
contains

  subroutine cold_start()
    integer :: i, j
    allocate(tnew(nx, ny), flux(nx, ny))
    do j = 1, ny
      do i = 1, nx
        temp(i, j) = 10.0_real64 + 8.0_real64 * real(j, real64) / ny &
                   + 0.01_real64 * mod(i * 7 + j * 13, 101)
        gain(i, j) = 0.05_real64 + 0.001_real64 * mod(i + j, 31)
      end do
    end do
    tnew = temp
    !$omp parallel do schedule(static) private(i)
    do j = 1, ny
      do i = 1, nx
        flux(i, j) = 0.0_real64
      end do
    end do
    !$omp end parallel do
  end subroutine cold_start

  ! blocks of columns
  subroutine diffuse(kappa)
    real(real64), intent(in) :: kappa
    integer :: i, j
    !$omp parallel do schedule(static) private(i)
    do j = 2, ny - 1
      do i = 2, nx - 1
        flux(i, j) = temp(i-1, j) + temp(i+1, j) + temp(i, j-1) + temp(i, j+1) &
                   - 4.0_real64 * temp(i, j)
        tnew(i, j) = temp(i, j) + kappa * flux(i, j)
      end do
    end do
    !$omp end parallel do
  end subroutine diffuse

  ! the recurrence runs along y, so the strips of x are shared out
  subroutine advect(speed)
    real(real64), intent(in) :: speed
    integer, parameter :: strip = 64
    integer :: i, j, s
    !$omp parallel do schedule(static) private(i, j)
    do s = 1, nx, strip
      do j = 2, ny
        do i = s, s + strip - 1
          temp(i, j) = tnew(i, j) - speed * (tnew(i, j) - temp(i, j-1))
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine advect

  ! serial: the correction spreads from column to column
  subroutine analyse(cycle_no)
    integer, intent(in) :: cycle_no
    integer :: i, j
    real(real64) :: innov
    innov = 0.0_real64
    do j = 1, ny
      innov = 0.95_real64 * innov + 0.02_real64 * mod(j * 11 + cycle_no, 23)
      do i = 1, nx
        temp(i, j) = temp(i, j) + gain(i, j) * (innov - 0.1_real64 * flux(i, j)) * 0.01_real64
      end do
    end do
  end subroutine analyse

  function digest() result(total)
    integer(int64) :: total
    integer :: i, j
    total = 0
    !$omp parallel do schedule(static) private(i) reduction(+:total)
    do j = 1, ny
      do i = 1, nx
        total = total + nint(temp(i, j) * 1.0e5_real64, int64)
      end do
    end do
    !$omp end parallel do
  end function digest
end module ocean_state

program assim_cycle
  use ocean_state
  use omp_lib, only: omp_set_num_threads
  implicit none
  character(len=16) :: word
  integer :: c, k, stat, nt
  call get_environment_variable('OMP_NUM_THREADS', word, status=stat)
  if (stat /= 0) call omp_set_num_threads(8)
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) nt
    call omp_set_num_threads(nt)
  end if
  call cold_start()
  do c = 1, 5
    do k = 1, 2
      call diffuse(0.1_real64)
      call advect(0.3_real64)
    end do
    call analyse(c)
  end do
  print '(a,1x,i0)', 'checksum', digest()
end program assim_cycle
