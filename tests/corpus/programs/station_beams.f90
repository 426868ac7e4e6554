! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, nineteenth
! truth: the main thread allocates the voltages of 64 stations (an allocatable component of each, 256 x 192 complex, 24 MiB together) and makes their signals; the threads weight and add up stations in equal static shares, beam after beam; the sums of each station (allocatable component, 2 KiB) are small
! fix: parts
module stations
  use iso_fortran_env, only: real32, real64
  implicit none
  integer, parameter :: nstation = 64, nchannel = 256, ntime = 192, nbeam = 64

  type :: station_t
    real(real64) :: x, y
    complex(real32), allocatable :: volts(:, :)
    complex(real32), allocatable :: beam(:)
  contains
    procedure :: open_station
    procedure :: point
  end type station_t

contains

  subroutine open_station(self, number)
    class(station_t), intent(inout) :: self
    integer, intent(in) :: number
    integer :: channel, time
    real(real32) :: phase

    self%x = 100 * cos(0.37_real64 * number)
    self%y = 100 * sin(0.53_real64 * number)
    allocate (self%volts(nchannel, ntime), self%beam(nchannel))
    do time = 1, ntime
      phase = 0.01 * time + 0.1 * number
      do channel = 1, nchannel
        self%volts(channel, time) = cmplx(phase - int(phase), 0.001 * channel, real32)
      end do
    end do
    self%beam = (0.0, 0.0)
  end subroutine open_station

  subroutine point(self, l, m)
    class(station_t), intent(inout) :: self
    real(real64), intent(in) :: l, m
    complex(real32) :: weight
    integer :: channel, time

    self%beam = (0.0, 0.0)
    do time = 1, ntime
      weight = cmplx(cos(real(self%x * l + 0.01 * time, real32)), sin(real(self%y * m, real32)), real32)
      do channel = 1, nchannel
        self%beam(channel) = self%beam(channel) + weight * self%volts(channel, time)
      end do
    end do
  end subroutine point
end module stations

program station_beams
  use stations
  implicit none
  type(station_t), allocatable :: field(:)
  complex(real32) :: total(nchannel)
  real(real64) :: power
  integer :: s, b

  allocate (field(nstation))
  do s = 1, nstation
    call field(s)%open_station(s)
  end do

  power = 0
  do b = 1, nbeam
    !$omp parallel do schedule(static)
    do s = 1, nstation
      call field(s)%point(0.001_real64 * b, 0.002_real64 * b)
    end do
    !$omp end parallel do
    total = (0.0, 0.0)
    do s = 1, nstation
      total = total + field(s)%beam
    end do
    power = power + sum(abs(total)**2)
  end do
  print '(es14.6)', power
end program station_beams
