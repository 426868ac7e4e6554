! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, twenty-first
! truth: Lyapunov exponents of rings of coupled maps: each thread iterates rings of 64 values in arrays of its own on its stack, dynamic schedule; only one result of each of 4096 parameters is stored: compute-bound
! fix: none
module rings
  implicit none
  integer, parameter :: dp = kind(1d0), sites = 64
contains
  pure function exponent_of(a, eps, steps) result(lambda)
    real(dp), intent(in) :: a, eps
    integer, intent(in) :: steps
    real(dp) :: lambda, x(0:sites - 1), f(0:sites - 1), d(0:sites - 1), g(0:sites - 1), norm
    integer :: t, i
    x = [(0.1d0 + 0.8d0 * mod(i * 0.618034d0, 1d0), i=0, sites - 1)]
    d = 1d0 / sqrt(real(sites, dp))
    lambda = 0
    do t = 1, steps
      f = 1 - a * x**2
      g = -2 * a * x * d
      do i = 0, sites - 1
        x(i) = (1 - eps) * f(i) + eps / 2 * (f(modulo(i - 1, sites)) + f(modulo(i + 1, sites)))
        d(i) = (1 - eps) * g(i) + eps / 2 * (g(modulo(i - 1, sites)) + g(modulo(i + 1, sites)))
      end do
      norm = sqrt(sum(d**2)) + tiny(1d0)
      d = d / norm
      lambda = lambda + log(norm)
    end do
    lambda = lambda / steps
  end function exponent_of
end module rings

program coupled_maps
  use rings
  implicit none
  integer, parameter :: na = 64, ne = 64
  real(dp) :: lambda(na, ne)
  integer :: i, j
  !$omp parallel do collapse(2) schedule(dynamic, 4)
  do j = 1, ne
    do i = 1, na
      lambda(i, j) = exponent_of(1.4d0 + 0.6d0 * i / na, 0.5d0 * j / ne, 80)
    end do
  end do
  !$omp end parallel do
  print '(2(a,f9.5),a,i0)', 'largest ', maxval(lambda), ' smallest ', minval(lambda), ' chaotic ', count(lambda > 0)
end program coupled_maps
