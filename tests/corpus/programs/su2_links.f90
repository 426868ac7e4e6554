! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, sixteenth
! truth: main draws all links (16 MiB, pointer component) from a serial generator and copies them to a second set (16 MiB); each thread then smears and measures its own time slices (collapse(2) over t and z) of both, half of them remote
! fix: parts
module gauge
  implicit none
  integer, parameter :: dp = kind(1.0d0), nx = 16, ny = 16, nz = 16, nt = 32, extent(4) = [nx, ny, nz, nt]
  type field
    real(dp), pointer, contiguous :: u(:, :, :, :, :, :) => null()   ! quaternion, direction, x, y, z, t
  end type field
contains
  pure function times(a, b) result(c)
    real(dp), intent(in) :: a(4), b(4)
    real(dp) :: c(4)
    c(1) = a(1)*b(1) - a(2)*b(2) - a(3)*b(3) - a(4)*b(4)
    c(2) = a(1)*b(2) + a(2)*b(1) - a(3)*b(4) + a(4)*b(3)
    c(3) = a(1)*b(3) + a(3)*b(1) - a(4)*b(2) + a(2)*b(4)
    c(4) = a(1)*b(4) + a(4)*b(1) - a(2)*b(3) + a(3)*b(2)
  end function times
  pure function dagger(a)
    real(dp), intent(in) :: a(4)
    real(dp) :: dagger(4)
    dagger = [a(1), -a(2), -a(3), -a(4)]
  end function dagger
  pure function step(s, mu) result(r)
    integer, intent(in) :: s(4), mu
    integer :: r(4)
    r = s
    r(mu) = mod(s(mu), extent(mu)) + 1
  end function step

  subroutine hot_start(f)
    type(field), intent(inout) :: f
    integer(8) :: state = 2027
    integer :: mu, x, y, z, t, k
    real(dp) :: q(4)
    allocate (f%u(4, 4, nx, ny, nz, nt))
    do t = 1, nt; do z = 1, nz; do y = 1, ny; do x = 1, nx; do mu = 1, 4
      q(1) = 1.0_dp
      do k = 2, 4
        state = mod(state*1103515245_8 + 12345_8, 2147483648_8)
        q(k) = 1.2_dp*(real(state, dp)/2147483648.0_dp - 0.5_dp)
      end do
      f%u(:, mu, x, y, z, t) = q/sqrt(sum(q*q))
    end do; end do; end do; end do; end do
  end subroutine hot_start

  subroutine smear(old, new)
    type(field), intent(in) :: old
    type(field), intent(inout) :: new
    integer :: x, y, z, t, mu, nu, s(4), a(4), b(4)
    real(dp) :: q(4)
    !$omp parallel do collapse(2) schedule(static) private(x, y, mu, nu, s, a, b, q)
    do t = 1, nt; do z = 1, nz
        do y = 1, ny; do x = 1, nx
            s = [x, y, z, t]
            do mu = 1, 4
              q = old%u(:, mu, x, y, z, t)
              a = step(s, mu)
              do nu = 1, 4
                if (nu == mu) cycle
                b = step(s, nu)
                q = q + 0.15_dp*times(times(old%u(:, nu, x, y, z, t), old%u(:, mu, b(1), b(2), b(3), b(4))), &
                                      dagger(old%u(:, nu, a(1), a(2), a(3), a(4))))
              end do
              new%u(:, mu, x, y, z, t) = q/sqrt(sum(q*q))
            end do
        end do; end do
    end do; end do
  end subroutine smear

  real(dp) function plaquette(f)
    type(field), intent(in) :: f
    integer :: x, y, z, t, mu, nu, s(4), a(4), b(4)
    real(dp) :: p(4), total
    total = 0
    !$omp parallel do collapse(2) schedule(static) private(x, y, mu, nu, s, a, b, p) reduction(+:total)
    do t = 1, nt; do z = 1, nz
        do y = 1, ny; do x = 1, nx
            s = [x, y, z, t]
            do mu = 1, 3
              a = step(s, mu)
              do nu = mu + 1, 4
                b = step(s, nu)
                p = times(times(f%u(:, mu, x, y, z, t), f%u(:, nu, a(1), a(2), a(3), a(4))), &
                          dagger(times(f%u(:, nu, x, y, z, t), f%u(:, mu, b(1), b(2), b(3), b(4)))))
                total = total + p(1)
              end do
            end do
        end do; end do
    end do; end do
    plaquette = total/(6.0_dp*nx*ny*nz*nt)
  end function plaquette
end module gauge

program su2_links
  use gauge
  implicit none
  type(field) :: now, next, swap
  integer :: sweep
  call hot_start(now)
  allocate (next%u, source=now%u)
  do sweep = 1, 6
    call smear(now, next)
    swap = now; now = next; next = swap
    print '(a,i2,a,f8.5)', 'sweep', sweep, ' plaquette ', plaquette(now)
  end do
  deallocate (now%u, next%u)
end program su2_links
