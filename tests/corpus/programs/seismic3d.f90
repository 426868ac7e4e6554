! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, thirteenth
! truth: w%p, w%pold and w%vel2 (4.5 MiB each) are written first by the main thread in create_field, then each thread uses its planes k (static, orphaned loops, halo of 2 planes)
! fix: parts
module wave_mod
  implicit none
  integer, parameter :: nx = 96, ny = 96, nz = 128

  type wavefield
     real, allocatable :: p(:,:,:)
     real, allocatable :: pold(:,:,:)
     real, allocatable :: vel2(:,:,:)
     real :: dt, dx
  end type wavefield

contains

  subroutine create_field(w)
    type(wavefield), intent(out) :: w
    integer :: k
    real :: v, c
    allocate(w%p(nx,ny,nz), w%pold(nx,ny,nz), w%vel2(nx,ny,nz))
    w%dx = 10.0
    w%dt = 0.001
    w%p = 0.0
    w%pold = 0.0
    c = (w%dt / w%dx)**2
    do k = 1, nz
       ! layered earth, faster with depth
       v = 1500.0 + 400.0 * real(k / 32)
       w%vel2(:,:,k) = v * v * c
    end do
  end subroutine create_field

  subroutine add_source(p, it)
    real, intent(inout) :: p(nx,ny,nz)
    integer, intent(in) :: it
    real :: a
    integer :: kz
    a = (real(it) - 3.0)**2 * 0.25
!$omp single
    do kz = 16, nz - 16, 16
       p(nx/2, ny/2, kz) = p(nx/2, ny/2, kz) + (1.0 - 2.0*a) * exp(-a)
    end do
!$omp end single
  end subroutine add_source

  ! orphaned work-sharing: called from inside the parallel region of the driver
  subroutine advance(p, q, vel2)
    real, intent(in)    :: p(nx,ny,nz), vel2(nx,ny,nz)
    real, intent(inout) :: q(nx,ny,nz)
    integer :: i, j, k
    real :: lap
!$omp do schedule(static)
    do k = 3, nz - 2
       do j = 3, ny - 2
          do i = 3, nx - 2
             lap = -7.5 * p(i,j,k)                                             &
                  + 1.3333333 * (p(i-1,j,k) + p(i+1,j,k) + p(i,j-1,k)          &
                               + p(i,j+1,k) + p(i,j,k-1) + p(i,j,k+1))         &
                  - 0.0833333 * (p(i-2,j,k) + p(i+2,j,k) + p(i,j-2,k)          &
                               + p(i,j+2,k) + p(i,j,k-2) + p(i,j,k+2))
             q(i,j,k) = 2.0 * p(i,j,k) - q(i,j,k) + vel2(i,j,k) * lap
          end do
       end do
    end do
!$omp end do
  end subroutine advance

  subroutine energy(p, e)
    real, intent(in) :: p(nx,ny,nz)
    double precision, intent(inout) :: e
    integer :: k
!$omp do schedule(static) reduction(+:e)
    do k = 3, nz - 2
       e = e + sum(dble(p(:,:,k))**2)
    end do
!$omp end do
  end subroutine energy
end module wave_mod

program seismic3d
  use wave_mod
  implicit none
  type(wavefield) :: w
  integer :: it
  double precision :: e
  integer, parameter :: nsteps = 10

  call create_field(w)
  e = 0.0d0
!$omp parallel default(shared) private(it)
  do it = 1, nsteps, 2
     call add_source(w%p, it)
     call advance(w%p, w%pold, w%vel2)
     call add_source(w%pold, it + 1)
     call advance(w%pold, w%p, w%vel2)
  end do
  call energy(w%p, e)
!$omp end parallel
  print '(a,es14.6)', 'wavefield energy ', e
end program seismic3d
