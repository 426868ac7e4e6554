! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, eighteenth
! truth: the genotypes (16 MiB of one-byte integers, a component) are drawn by the main thread in a serial method, animal by animal within each marker; each thread then reads its block of marker columns in all iterations; residuals are small, partial sums (2 MiB) are written by their users first
! fix: parts
module breeding
  use iso_fortran_env, only: int8, int64, dp => real64
  implicit none
  integer, parameter :: nblock = 64
  type herd
    integer :: animals = 0, markers = 0
    integer(int8), allocatable :: dose(:, :)
    real(dp), allocatable :: effect(:), residual(:), part(:, :)
  contains
    procedure :: sample => herd_sample
    procedure :: regress => herd_regress
  end type herd
contains
  function new_herd(animals, markers) result(h)
    integer, intent(in) :: animals, markers
    type(herd) :: h
    h%animals = animals
    h%markers = markers
    allocate (h%dose(animals, markers))
    allocate (h%part(animals, nblock))
    allocate (h%effect(markers), source=0.0_dp)
    allocate (h%residual(animals))
  end function new_herd

  subroutine herd_sample(self)
    class(herd), intent(inout) :: self
    integer(int64) :: state
    integer :: a, m, often
    state = 4711
    do m = 1, self%markers
      often = 20 + mod(m*37, 60)
      do a = 1, self%animals
        state = mod(state*1103515245_int64 + 12345_int64, 2147483648_int64)
        self%dose(a, m) = merge(1_int8, 0_int8, mod(state/65536, 100_int64) < often)
        if (mod(state/1024, 7_int64) == 0) self%dose(a, m) = self%dose(a, m) + 1_int8
      end do
    end do
    do a = 1, self%animals
      self%residual(a) = sin(0.37_dp*a) + sum(real(self%dose(a, 1:40), dp))*0.1_dp
    end do
  end subroutine herd_sample

  ! Effects of all markers against the residuals as they were, then new residuals.
  subroutine herd_regress(self, shrink)
    class(herd), intent(inout) :: self
    real(dp), intent(in) :: shrink
    integer :: b, m, a, first, last
    real(dp) :: change
    !$omp parallel do schedule(static) private(m, a, first, last, change)
    do b = 1, nblock
      first = self%markers*(b - 1)/nblock + 1
      last = self%markers*b/nblock
      self%part(:, b) = 0
      do m = first, last
        change = 0
        do a = 1, self%animals
          change = change + self%dose(a, m)*self%residual(a)
        end do
        change = change*shrink
        self%effect(m) = self%effect(m) + change
        do a = 1, self%animals
          self%part(a, b) = self%part(a, b) + self%dose(a, m)*change
        end do
      end do
    end do
    !$omp parallel do schedule(static) private(b)
    do a = 1, self%animals
      do b = 1, nblock
        self%residual(a) = self%residual(a) - self%part(a, b)
      end do
    end do
  end subroutine herd_regress
end module breeding

program snp_effects
  use breeding
  implicit none
  type(herd) :: dairy
  integer :: iteration
  dairy = new_herd(4096, 4096)
  call dairy%sample()
  do iteration = 1, 24
    call dairy%regress(1.0e-8_dp)
  end do
  print '(a,3es16.8)', 'effects', sum(abs(dairy%effect)), dairy%effect(17), sqrt(sum(dairy%residual**2))
end program snp_effects
