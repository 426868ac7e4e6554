! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, fourteenth
! truth: the components q and qnew of the 64 blocks (262 KiB each, 32.8 MiB in all) are written first by the main thread in setup (array expressions), then each thread uses its 8 blocks (static loop over blocks) in all 84 steps, but for one halo line
! fix: parts
module block_mod
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: wp = real64
  integer, parameter :: nx = 256, ny = 128, nblk = 64

  type block_t
     integer :: below = 0, above = 0
     real(wp), allocatable :: q(:,:), qnew(:,:)
  end type block_t

contains

  subroutine setup(b)
    type(block_t), allocatable, intent(out) :: b(:)
    integer :: i, j, m
    allocate(b(nblk))
    do m = 1, nblk
       b(m)%below = merge(nblk, m - 1, m == 1)
       b(m)%above = merge(1, m + 1, m == nblk)
       allocate(b(m)%q(0:nx+1, 0:ny+1), b(m)%qnew(0:nx+1, 0:ny+1))
       b(m)%q = 1.0_wp
       b(m)%qnew = 0.0_wp
       do j = 1, ny
          b(m)%q(1:nx,j) = [(1.0_wp + merge(1.0_wp, 0.0_wp, mod(i + 2*j + 37*m, 96) < 40), i = 1, nx)]
       end do
    end do
  end subroutine setup

  subroutine halos(b)
    type(block_t), intent(inout) :: b(:)
    integer :: m
    !$omp parallel do schedule(static)
    do m = 1, size(b)
       b(m)%q(1:nx,0) = b(b(m)%below)%q(1:nx,ny)
       b(m)%q(1:nx,ny+1) = b(b(m)%above)%q(1:nx,1)
       b(m)%q(0,1:ny) = b(m)%q(nx,1:ny)
       b(m)%q(nx+1,1:ny) = b(m)%q(1,1:ny)
    end do
    !$omp end parallel do
  end subroutine halos

  ! harmonic mean of two slopes of one sign, otherwise zero (van Leer)
  elemental real(wp) function limited(a, b)
    real(wp), intent(in) :: a, b
    limited = 0.0_wp
    if (a * b > 0.0_wp) limited = 2.0_wp * a * b / (a + b)
  end function limited

  ! limited flux at the upper face of cell c (u: upwind, c: centre, d: downwind)
  pure real(wp) function flux(speed, u, c, d)
    real(wp), intent(in) :: speed, u, c, d
    real(wp) :: face
    face = c + 0.5_wp * limited(c - u, d - c)
    flux = speed * face * face * 0.5_wp
  end function flux

  subroutine advance(q, qnew, cx, cy)
    real(wp), intent(in) :: q(0:,0:), cx, cy
    real(wp), intent(inout) :: qnew(0:,0:)
    real(wp) :: fx0, fx1, fy0(nx), fy1
    integer :: i, j
    fy0 = 0.5_wp * cy * q(1:nx,0)**2
    do j = 1, ny
       fx0 = 0.5_wp * cx * q(0,j)**2
       do i = 1, nx
          fx1 = flux(cx, q(i-1,j), q(i,j), q(i+1,j))
          if (i == nx) fx1 = 0.5_wp * cx * q(nx,j)**2
          fy1 = flux(cy, q(i,j-1), q(i,j), q(i,j+1))
          if (j == ny) fy1 = 0.5_wp * cy * q(i,ny)**2
          qnew(i,j) = q(i,j) - (fx1 - fx0) - (fy1 - fy0(i))
          fx0 = fx1
          fy0(i) = fy1
       end do
    end do
  end subroutine advance
end module block_mod

program multiblock
  use block_mod
  implicit none
  type(block_t), allocatable :: b(:)
  real(wp), allocatable :: keep(:,:)
  real(wp) :: mass, energy
  integer :: m, n

  call setup(b)
  do n = 1, 84
     call halos(b)
     !$omp parallel do schedule(static) private(keep)
     do m = 1, nblk
        call advance(b(m)%q, b(m)%qnew, 0.12_wp, 0.07_wp)
        call move_alloc(b(m)%q, keep)
        call move_alloc(b(m)%qnew, b(m)%q)
        call move_alloc(keep, b(m)%qnew)
     end do
     !$omp end parallel do
  end do

  mass = 0.0_wp
  energy = 0.0_wp
  do m = 1, nblk
     mass = mass + sum(b(m)%q(1:nx,1:ny))
     energy = energy + 0.5_wp * sum(b(m)%q(1:nx,1:ny)**2)
  end do
  print '(a,f16.4,a,f16.4)', 'mass ', mass, '  energy ', energy
end program multiblock
