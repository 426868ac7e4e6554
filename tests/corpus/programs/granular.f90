! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, fifteenth
! truth: the main thread fills eight arrays of particles; each thread a block and its near neighbours
! fix: parts
! Discrete element method: soft discs in a box, fixed neighbour table.
module particles_mod
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  integer, parameter :: maxnb = 8
  integer :: n = 0
  real(real64), allocatable, dimension(:) :: x, y, vx, vy, fx, fy, rad
  integer(int32), allocatable :: nbr(:,:)
  integer(int64) :: lcg = 987654321_int64
contains
  real(real64) function uniform()
    lcg = mod(lcg * 16807_int64, 2147483647_int64)
    uniform = real(lcg, real64) / 2147483647.0_real64
  end function uniform

  subroutine pack_box(nx, ny)
    integer, intent(in) :: nx, ny
    integer :: i, j, p, di, dj, m, q
    n = nx * ny
    allocate(x(n), y(n))
    allocate(vx(n), vy(n), fx(n), fy(n))
    allocate(rad(n))
    allocate(nbr(maxnb, n))
    vx = 0.0_real64
    vy = 0.0_real64
    fx = 0.0_real64
    fy = 0.0_real64
    do j = 1, ny
      do i = 1, nx
        p = (j - 1) * nx + i
        x(p) = i + 0.2_real64 * (uniform() - 0.5_real64)
        y(p) = j + 0.2_real64 * (uniform() - 0.5_real64)
        rad(p) = 0.48_real64 + 0.08_real64 * mod(p, 5) / 5.0_real64
        m = 0
        do dj = -1, 1
          do di = -1, 1
            if (di == 0 .and. dj == 0) cycle
            m = m + 1
            q = p
            if (i + di >= 1 .and. i + di <= nx .and. j + dj >= 1 &
                .and. j + dj <= ny) q = p + dj * nx + di
            nbr(m, p) = q
          end do
        end do
      end do
    end do
  end subroutine pack_box

  subroutine contact_forces()
    integer :: p, q, m
    real(real64) :: dx, dy, d2, reach, push, ax, ay
    !$omp parallel do default(shared) schedule(static) &
    !$omp private(q, m, dx, dy, d2, reach, push, ax, ay)
    do p = 1, n
      ax = 0.0_real64
      ay = -0.001_real64
      do m = 1, maxnb
        q = nbr(m, p)
        dx = x(p) - x(q)
        dy = y(p) - y(q)
        d2 = dx * dx + dy * dy
        reach = rad(p) + rad(q)
        push = max(0.0_real64, reach * reach - d2)
        ax = ax + push * dx
        ay = ay + push * dy
      end do
      fx(p) = ax
      fy(p) = ay
    end do
    !$omp end parallel do
  end subroutine contact_forces

  subroutine integrate(dt)
    real(real64), intent(in) :: dt
    integer :: p
    !$omp parallel do schedule(static)
    do p = 1, n
      vx(p) = 0.99_real64 * vx(p) + dt * fx(p)
      vy(p) = 0.99_real64 * vy(p) + dt * fy(p)
      x(p) = x(p) + dt * vx(p)
      y(p) = y(p) + dt * vy(p)
    end do
    !$omp end parallel do
  end subroutine integrate
end module particles_mod

program granular
  use particles_mod
  use omp_lib, only: omp_set_num_threads
  implicit none
  character(len=16) :: word
  integer :: step, stat, nt, p
  integer(int64) :: total
  call get_environment_variable('OMP_NUM_THREADS', word, status=stat)
  if (stat /= 0) call omp_set_num_threads(8)
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) nt
    call omp_set_num_threads(nt)
  end if
  call pack_box(800, 560)
  do step = 1, 16
    call contact_forces()
    call integrate(0.05_real64)
  end do
  total = 0
  !$omp parallel do schedule(static) reduction(+:total)
  do p = 1, n
    total = total + nint(x(p) * 1.0e6_real64, int64) - nint(y(p) * 1.0e5_real64, int64)
  end do
  !$omp end parallel do
  print '(a,1x,i0)', 'checksum', total
end program granular
