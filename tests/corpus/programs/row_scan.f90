! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, twelfth
! truth: two arrays of 448 rows that main sets; threads divide the rows and walk along them with a stride of one column, which is shorter than a page: every page is used by all threads
! fix: spread
program row_scan
  implicit none
  integer, parameter :: stations = 448, days = 2000, rounds = 4
  real(8), allocatable :: rain(:, :), level(:, :)
  real(8) :: store(stations), peak(stations)
  integer :: s, d, round
  allocate (rain(stations, days), level(stations, days))
  do d = 1, days
    do s = 1, stations
      rain(s, d) = mod(s * 13 + d * d, 97) / 97d0
      level(s, d) = 1 + mod(s + d, 5) / 8d0
    end do
  end do
  store = 1
  peak = 0
  do round = 1, rounds
    !$omp parallel do schedule(static) private(d) num_threads(8)
    do s = 1, stations
      do d = 1, days
        store(s) = 0.9d0 * store(s) + 0.1d0 * rain(s, d)
        level(s, d) = 0.5d0 * (level(s, d) + store(s))
        peak(s) = max(peak(s), level(s, d))
      end do
    end do
  end do
  print '(2f16.9)', sum(store), sum(peak)
  deallocate (rain, level)
end program row_scan
