! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, twentieth
! truth: one work array (24 MB) holds thickness, two speeds and strength behind each other; the main program passes its parts by their first element to subroutines with explicit shapes; SETICE sets all parts in the main thread; loops over columns of each part are divided among the threads (static)
! fix: parts
program sea_ice
  implicit none
  integer, parameter :: nx = 1000, ny = 750, nstep = 24
  integer :: ih, iu, iv, ip, need, k
  double precision, allocatable :: work(:)
  double precision :: volume

  ih = 1
  iu = ih + nx * ny
  iv = iu + nx * ny
  ip = iv + nx * ny
  need = ip + nx * ny - 1
  allocate (work(need))

  call setice(nx, ny, work(ih), work(iu), work(iv), work(ip))
  do k = 1, nstep
    call rheol(nx, ny, work(ih), work(ip))
    call drift(nx, ny, work(iu), work(iv), work(ip), 0.02d0)
    call advec(nx, ny, work(ih), work(iu), work(iv), 0.01d0)
  end do
  call total(nx, ny, work(ih), volume)
  write (*, '(F20.9)') volume
end program sea_ice

subroutine setice(nx, ny, h, u, v, p)
  implicit none
  integer :: nx, ny, i, j
  double precision :: h(nx, ny), u(nx, ny), v(nx, ny), p(nx, ny)
  do j = 1, ny
    do i = 1, nx
      h(i, j) = 1.5d0 + 0.01d0 * mod(i * 3 + j, 40)
      u(i, j) = 0.05d0
      v(i, j) = -0.02d0
      p(i, j) = 0.0d0
    end do
  end do
end subroutine setice

subroutine rheol(nx, ny, h, p)
  implicit none
  integer :: nx, ny, i, j
  double precision :: h(nx, ny), p(nx, ny)
!$omp parallel do private(i) schedule(static)
  do j = 1, ny
    do i = 1, nx
      p(i, j) = 0.9d0 * p(i, j) + 0.1d0 * h(i, j) * h(i, j)
    end do
  end do
!$omp end parallel do
end subroutine rheol

subroutine drift(nx, ny, u, v, p, dt)
  implicit none
  integer :: nx, ny, i, j
  double precision :: u(nx, ny), v(nx, ny), p(nx, ny), dt
!$omp parallel do private(i) schedule(static)
  do j = 2, ny
    do i = 2, nx
      u(i, j) = u(i, j) - dt * (p(i, j) - p(i - 1, j)) + dt * 0.01d0
      v(i, j) = v(i, j) - dt * (p(i, j) - p(i, j - 1)) - dt * 0.02d0
    end do
  end do
!$omp end parallel do
end subroutine drift

subroutine advec(nx, ny, h, u, v, dt)
  implicit none
  integer :: nx, ny, i, j
  double precision :: h(nx, ny), u(nx, ny), v(nx, ny), dt
!$omp parallel do private(i) schedule(static)
  do j = 1, ny - 1
    do i = 1, nx - 1
      h(i, j) = h(i, j) - dt * h(i, j) * (u(i + 1, j) - u(i, j) + v(i, j + 1) - v(i, j))
    end do
  end do
!$omp end parallel do
end subroutine advec

subroutine total(nx, ny, h, volume)
  implicit none
  integer :: nx, ny, j
  double precision :: h(nx, ny), volume
  volume = 0.0d0
  do j = 1, ny, 50
    volume = volume + sum(h(:, j))
  end do
end subroutine total
