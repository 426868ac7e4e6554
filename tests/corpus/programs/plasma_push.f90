! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, thirteenth
! truth: sp%x, sp%v (3.2 MiB each) are written first by the threads in load_species (static), then used by the same threads with the same static bounds; the field grid is small and cached
! fix: none
module species_mod
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: ng = 512

  type species
     integer :: n
     real(dp) :: qm, weight
     real(dp), allocatable :: x(:), v(:)
  end type species

contains

  subroutine load_species(sp, n, v0)
    type(species), intent(out) :: sp
    integer, intent(in) :: n
    real(dp), intent(in) :: v0
    integer :: i
    sp%n = n
    sp%qm = -1.0_dp
    sp%weight = real(ng, dp) / real(n, dp)
    allocate(sp%x(n), sp%v(n))
!$omp parallel do schedule(static)
    do i = 1, n
       sp%x(i) = modulo(real(i, dp) * 0.6180339887498949_dp, 1.0_dp) * ng
       sp%v(i) = merge(v0, -v0, mod(i, 2) == 0) + 0.01_dp * sin(0.1_dp * sp%x(i))
    end do
!$omp end parallel do
  end subroutine load_species

  subroutine push(sp, ef, dt)
    type(species), intent(inout) :: sp
    real(dp), intent(in) :: ef(0:ng), dt
    integer :: i, c
    real(dp) :: w
!$omp parallel do schedule(static) private(c, w)
    do i = 1, sp%n
       c = int(sp%x(i))
       w = sp%x(i) - c
       sp%v(i) = sp%v(i) + dt * sp%qm * ((1.0_dp - w) * ef(c) + w * ef(c+1))
       sp%x(i) = sp%x(i) + dt * sp%v(i)
       if (sp%x(i) < 0.0_dp) sp%x(i) = sp%x(i) + ng
       if (sp%x(i) >= ng) sp%x(i) = sp%x(i) - ng
    end do
!$omp end parallel do
  end subroutine push

  subroutine deposit(sp, rho)
    type(species), intent(in) :: sp
    real(dp), intent(out) :: rho(0:ng)
    integer :: i, c
    real(dp) :: w
    rho = 0.0_dp
!$omp parallel do schedule(static) private(c, w) reduction(+:rho)
    do i = 1, sp%n
       c = int(sp%x(i))
       w = sp%x(i) - c
       rho(c)   = rho(c)   + sp%weight * (1.0_dp - w)
       rho(c+1) = rho(c+1) + sp%weight * w
    end do
!$omp end parallel do
    rho(0) = rho(0) + rho(ng)
    rho(ng) = rho(0)
  end subroutine deposit

  subroutine solve(rho, ef)
    real(dp), intent(in) :: rho(0:ng)
    real(dp), intent(out) :: ef(0:ng)
    integer :: g
    real(dp) :: mean
    ef(0) = 0.0_dp
    do g = 1, ng
       ef(g) = ef(g-1) + 0.01_dp * (1.0_dp - 0.5_dp * (rho(g) + rho(g-1)))
    end do
    mean = sum(ef(1:ng)) / ng
    ef = ef - mean
    ef(0) = ef(ng)
  end subroutine solve
end module species_mod

program plasma_push
  use species_mod
  implicit none
  type(species) :: el
  real(dp) :: rho(0:ng), ef(0:ng), ke
  integer :: it

  call load_species(el, 420000, 0.8_dp)
  do it = 1, 8
     call deposit(el, rho)
     call solve(rho, ef)
     call push(el, ef, 0.1_dp)
  end do
  ke = 0.0_dp
!$omp parallel do schedule(static) reduction(+:ke)
  do it = 1, el%n
     ke = ke + 0.5_dp * el%weight * el%v(it)**2
  end do
!$omp end parallel do
  print '(a,f14.6)', 'kinetic energy ', ke
end program plasma_push
