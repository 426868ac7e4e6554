! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, seventeenth
! truth: the opacity table (16 MiB) is filled in parallel with its columns, of a page each, dealt one by one to the threads, so it lies half and half on the nodes, in small turns; all threads then look it up all over at random: shared evenly already
! fix: none
module opacities
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none
  integer, parameter :: n_temp = 512, n_freq = 4096

  type :: opacity_table
    real(real64) :: log_t_min = 2.0_real64, log_t_max = 8.0_real64
    real(real64), allocatable :: kappa(:, :)   ! temperature, frequency
  end type opacity_table

contains

  subroutine tabulate(table)
    type(opacity_table), intent(inout) :: table
    integer :: i, j
    real(real64) :: t, nu

    allocate (table%kappa(n_temp, n_freq))
    !$omp parallel do schedule(static, 1) private(i, t, nu)
    do j = 1, n_freq
      nu = real(j, real64)/n_freq
      do i = 1, n_temp
        t = table%log_t_min + (table%log_t_max - table%log_t_min)*(i - 1)/(n_temp - 1)
        table%kappa(i, j) = 0.2_real64 + nu/(t*t) + 0.05_real64*mod(i*7 + j*13, 29)/29
      end do
    end do
    !$omp end parallel do
  end subroutine tabulate

  pure function lookup(table, log_t, nu) result(kappa)
    type(opacity_table), intent(in) :: table
    real(real64), intent(in) :: log_t, nu
    real(real64) :: kappa, x, y
    integer :: i, j

    x = (log_t - table%log_t_min)/(table%log_t_max - table%log_t_min)*(n_temp - 1)
    y = nu*(n_freq - 1)
    i = min(int(x), n_temp - 2)
    j = min(int(y), n_freq - 2)
    x = x - i
    y = y - j
    kappa = (1 - y)*((1 - x)*table%kappa(i + 1, j + 1) + x*table%kappa(i + 2, j + 1)) &
          + y*((1 - x)*table%kappa(i + 1, j + 2) + x*table%kappa(i + 2, j + 2))
  end function lookup

end module opacities

program opacity_bands
  use opacities
  implicit none
  integer, parameter :: n_packets = 48000, max_steps = 100
  real(real64), parameter :: max_depth = 1.02_real64
  type(opacity_table) :: table
  integer(int64) :: state
  integer :: packet, step
  real(real64) :: depth, log_t, nu, escaped, absorbed

  call tabulate(table)

  escaped = 0
  absorbed = 0
  !$omp parallel do schedule(static) default(none) shared(table) &
  !$omp private(state, step, depth, log_t, nu) reduction(+:escaped, absorbed)
  do packet = 1, n_packets
    state = int(packet, int64)*7919_int64 + 12345_int64
    depth = 0
    do step = 1, max_steps
      log_t = 2 + 6*uniform(state)
      nu = uniform(state)
      depth = depth + 0.04_real64*lookup(table, log_t, nu)
      if (depth > max_depth) exit
    end do
    if (depth > max_depth) then
      absorbed = absorbed + 1
    else
      escaped = escaped + exp(-depth)
    end if
  end do
  !$omp end parallel do

  print '(a, f10.1, a, f10.3)', 'absorbed ', absorbed, ' escaped ', escaped

contains

  function uniform(state) result(u)
    integer(int64), intent(inout) :: state
    real(real64) :: u
    state = mod(state*16807_int64, 2147483647_int64)
    u = real(state, real64)/2147483647.0_real64
  end function uniform

end program opacity_bands
