! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, twenty-first
! truth: two static module arrays of a derived type (640 x 640 cells of 24 bytes, 9.4 MiB each) are set by the main thread in seed_crystals; afterwards each thread steps its block of columns (static loop over j) of both arrays in all steps
! fix: parts
module crystal
  implicit none
  integer, parameter :: n = 640
  type :: cell
    real(8) :: phi = 0, temp = 0
    integer :: grain = 0, flags = 0
  end type cell
  type(cell), target, save :: here(0:n - 1, 0:n - 1), there(0:n - 1, 0:n - 1)
contains
  subroutine seed_crystals(count)
    integer, intent(in) :: count
    integer :: s, i, j, ci, cj
    here = cell(0d0, -0.8d0, 0, 0)
    do s = 1, count
      ci = mod(s * 211, n)
      cj = mod(s * 377, n)
      do j = max(0, cj - 6), min(n - 1, cj + 6)
        do i = max(0, ci - 6), min(n - 1, ci + 6)
          here(i, j)%phi = 1
          here(i, j)%grain = s
        end do
      end do
    end do
    there = here
  end subroutine seed_crystals

  subroutine step(from, to, dt)
    type(cell), intent(in) :: from(0:, 0:)
    type(cell), intent(inout) :: to(0:, 0:)
    real(8), intent(in) :: dt
    integer :: i, j
    real(8) :: lap, heat, drive
    !$omp parallel do private(i, lap, heat, drive) schedule(static)
    do j = 1, n - 2
      do i = 1, n - 2
        associate (c => from(i, j))
          lap = from(i - 1, j)%phi + from(i + 1, j)%phi + from(i, j - 1)%phi + from(i, j + 1)%phi - 4 * c%phi
          heat = from(i - 1, j)%temp + from(i + 1, j)%temp + from(i, j - 1)%temp + from(i, j + 1)%temp - 4 * c%temp
          drive = c%phi * (1 - c%phi) * (c%phi - 0.5d0 - 0.9d0 * c%temp)
          to(i, j)%phi = c%phi + dt * (lap + 8 * drive)
          to(i, j)%temp = c%temp + dt * heat + 0.5d0 * (to(i, j)%phi - c%phi)
          to(i, j)%grain = c%grain
          if (c%grain == 0 .and. to(i, j)%phi > 0.5d0) to(i, j)%grain = max(from(i - 1, j)%grain, from(i, j - 1)%grain)
        end associate
      end do
    end do
    !$omp end parallel do
  end subroutine step

  function solid() result(share)
    real(8) :: share
    share = sum(here%phi) / n**2
  end function solid
end module crystal

program phase_field
  use crystal
  implicit none
  integer :: t
  call seed_crystals(60)
  do t = 1, 12
    call step(here, there, 0.1d0)
    call step(there, here, 0.1d0)
  end do
  print '(a,f10.7,a,i0)', 'solid ', solid(), ' grain ', here(300, 300)%grain
end program phase_field
