! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, sixteenth
! truth: the water levels and residuals of 96 gauges (23 MiB in allocatable components) are allocated and filled by the thread that later fits them, gauge after gauge in turn (schedule(static,1) in both subroutines); main has only the small array of gauges
! fix: none
module tides
  use iso_fortran_env, only: dp => real64, int64
  implicit none
  integer, parameter :: ngauge = 96, nhour = 16000, nconst = 6, nround = 12
  real(dp), parameter :: speed(nconst) = [28.984104_dp, 30.0_dp, 28.439730_dp, 15.041069_dp, &
                                          13.943036_dp, 57.968208_dp]
  real(dp), parameter :: degree = 3.14159265358979_dp/180
  type gauge
    integer :: number = 0
    real(dp) :: mean = 0
    real(dp) :: cosine(nconst) = 0, sine(nconst) = 0
    real(dp), allocatable :: level(:), residual(:)
  end type gauge
contains
  subroutine observe(g, number)
    type(gauge), intent(inout) :: g
    integer, intent(in) :: number
    integer(int64) :: state
    integer :: h, k
    real(dp) :: turn(2, nconst), arm(2, nconst), hold
    allocate (g%level(nhour), g%residual(nhour))
    g%number = number
    state = 7919_int64*number + 1
    do k = 1, nconst
      arm(:, k) = [cos(0.7_dp*k*number), sin(0.7_dp*k*number)]/k
      turn(:, k) = [cos(speed(k)*degree), sin(speed(k)*degree)]
    end do
    do h = 1, nhour
      state = mod(state*1103515245_int64 + 12345_int64, 2147483648_int64)
      g%level(h) = 3.0_dp + sum(arm(1, :)) + 0.2_dp*(real(state, dp)/2147483648.0_dp - 0.5_dp)
      g%residual(h) = g%level(h)
      do k = 1, nconst
        hold = arm(1, k)*turn(1, k) - arm(2, k)*turn(2, k)
        arm(2, k) = arm(1, k)*turn(2, k) + arm(2, k)*turn(1, k)
        arm(1, k) = hold
      end do
    end do
  end subroutine observe

  subroutine read_network(network)
    type(gauge), intent(inout) :: network(:)
    integer :: i
    !$omp parallel do schedule(static, 1)
    do i = 1, size(network)
      call observe(network(i), i)
    end do
  end subroutine read_network

  ! one constituent at a time out of what the others have left
  subroutine refine(g, k)
    type(gauge), intent(inout) :: g
    integer, intent(in) :: k
    integer :: h
    real(dp) :: c, s, hold, turn(2), a, b
    turn = [cos(speed(k)*degree), sin(speed(k)*degree)]
    c = 1; s = 0; a = 0; b = 0
    do h = 1, nhour
      a = a + g%residual(h)*c
      b = b + g%residual(h)*s
      hold = c*turn(1) - s*turn(2); s = c*turn(2) + s*turn(1); c = hold
    end do
    a = 2*a/nhour; b = 2*b/nhour
    g%cosine(k) = g%cosine(k) + a
    g%sine(k) = g%sine(k) + b
    c = 1; s = 0
    do h = 1, nhour
      g%residual(h) = g%residual(h) - a*c - b*s
      hold = c*turn(1) - s*turn(2); s = c*turn(2) + s*turn(1); c = hold
    end do
  end subroutine refine

  subroutine fit(network)
    type(gauge), intent(inout) :: network(:)
    integer :: i, k
    real(dp) :: shift
    !$omp parallel do schedule(static, 1) private(k, shift)
    do i = 1, size(network)
      shift = sum(network(i)%residual)/nhour
      network(i)%mean = network(i)%mean + shift
      network(i)%residual = network(i)%residual - shift
      do k = 1, nconst
        call refine(network(i), k)
      end do
    end do
  end subroutine fit
end module tides

program tide_gauges
  use tides
  implicit none
  type(gauge), allocatable :: network(:)
  integer :: round, i
  allocate (network(ngauge))
  call read_network(network)
  do round = 1, nround
    call fit(network)
  end do
  do i = 1, ngauge, 19
    print '(a,i3,f9.4,f9.4,es12.3)', 'gauge', i, network(i)%mean, hypot(network(i)%cosine(1), network(i)%sine(1)), &
      sqrt(sum(network(i)%residual**2)/sum(network(i)%level**2))
  end do
end program tide_gauges
