! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, eleventh
! truth: a table of pressures and one of energies, remapped pointers into one store that main sets by do concurrent and forall; every thread interpolates in both for states at random
! fix: spread
module eos
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: nr = 1000, nt = 700
  real(real64), pointer, contiguous :: store(:) => null()
  real(real64), pointer :: pressure(:, :), energy(:, :)
contains
  subroutine make_tables
    integer :: i, j
    allocate (store(2 * nr * nt))
    pressure(1:nr, 1:nt) => store(1:nr * nt)
    energy(1:nr, 1:nt) => store(nr * nt + 1:)
    do concurrent (j = 1:nt, i = 1:nr)
      pressure(i, j) = 1d-3 * i * (1 + 0.02d0 * j) + 1d-6 * real(j, real64)**2
    end do
    forall (i = 1:nr, j = 1:nt) energy(i, j) = 1.5d0 * j + 40d0 / (1 + 0.1d0 * i)
  end subroutine

  pure integer(int64) function draw(seed)
    integer(int64), intent(in) :: seed
    draw = iand(seed * 1103515245_int64 + 12345_int64, 2147483647_int64)
  end function

  pure real(real64) function look(table, r, t)
    real(real64), pointer, intent(in) :: table(:, :)
    real(real64), intent(in) :: r, t
    integer :: i, j
    real(real64) :: a, b
    i = int(r)
    j = int(t)
    a = r - i
    b = t - j
    look = (1 - b) * ((1 - a) * table(i, j) + a * table(i + 1, j)) + b * ((1 - a) * table(i, j + 1) + a * table(i + 1, j + 1))
  end function
end module

program eos_lookup
  use eos
  implicit none
  integer, parameter :: many = 300000
  integer :: k, part
  integer(int64) :: seed, total
  real(real64) :: r, t, work
  call make_tables
  total = 0
  !$omp parallel do schedule(static) private(seed, r, t, work, part) reduction(+:total)
  do k = 1, many
    seed = iand(k * 2654435761_int64, 2147483647_int64)
    work = 0
    do part = 1, 3
      seed = draw(seed)
      r = 1 + (nr - 1.001d0) * (seed / 2147483648d0)
      seed = draw(seed)
      t = 1 + (nt - 1.001d0) * (seed / 2147483648d0)
      work = work + look(pressure, r, t) / look(energy, r, t)
    end do
    total = total + nint(work * 1d6, int64)
  end do
  print '(i20)', total
  deallocate (store)
end program
