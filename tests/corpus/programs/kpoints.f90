! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, fourteenth
! truth: each thread allocates its own Hamiltonian (1.2 MiB, private allocatable), writes it first and alone uses it for its k-points (9.8 MiB for 8 threads); only the 248 band energies are shared
! fix: none
module bands
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: dp = real64
  integer, parameter :: nbasis = 400, npower = 16

contains

  subroutine hamiltonian(k, h)
    real(dp), intent(in) :: k
    real(dp), intent(out) :: h(:,:)
    integer :: i, j
    real(dp) :: g
    do j = 1, size(h, 2)
       do i = 1, size(h, 1)
          h(i,j) = -0.05_dp / (1.0_dp + abs(i - j))
       end do
       g = k + 0.02_dp * (j - nbasis / 2)
       h(j,j) = 0.5_dp * g * g - 2.0_dp
    end do
  end subroutine hamiltonian

  ! y = H x, column by column
  subroutine apply(h, x, y)
    real(dp), intent(in) :: h(:,:), x(:)
    real(dp), intent(out) :: y(:)
    integer :: i, j
    y = 0.0_dp
    do j = 1, size(h, 2)
       do i = 1, size(h, 1)
          y(i) = y(i) + h(i,j) * x(j)
       end do
    end do
  end subroutine apply

  ! lowest energy by power iteration on (shift - H), two start vectors for safety
  function ground_state(h) result(e)
    real(dp), intent(in) :: h(:,:)
    real(dp) :: e, trial
    real(dp) :: x(nbasis), y(nbasis)
    real(dp), parameter :: shift = 8.0_dp
    integer :: it, start, i
    e = huge(e)
    do start = 1, 2
       x = [(1.0_dp / (1.0_dp + abs(i - start * nbasis / 3)), i = 1, nbasis)]
       x = x / norm2(x)
       do it = 1, npower
          call apply(h, x, y)
          trial = dot_product(x, y)
          x = shift * x - y
          x = x / norm2(x)
       end do
       e = min(e, trial)
    end do
  end function ground_state
end module bands

program kpoints
  use bands
  implicit none
  integer, parameter :: nk = 248
  real(dp) :: energy(nk)
  real(dp), allocatable :: h(:,:)
  integer :: ik

  !$omp parallel private(h)
  allocate(h(nbasis, nbasis))
  !$omp do schedule(dynamic)
  do ik = 1, nk
     call hamiltonian(-0.5_dp + real(ik, dp) / nk, h)
     energy(ik) = ground_state(h)
  end do
  !$omp end do
  deallocate(h)
  !$omp end parallel

  print '(a,f12.6,a,f12.6)', 'lowest ', minval(energy), '  mean ', sum(energy) / nk
end program kpoints
