! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, fourteenth
! truth: the tables energy (2 MiB) and xs (10 MiB) behind pointers are written first by the main thread in build_tables, then all threads look up pseudo-random energies and nuclides all over them (dynamic chunks of particles)
! fix: spread
module nuclear_data
  use iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: rk = real64
  integer, parameter :: n_nuclides = 64, n_points = 4096, n_channels = 5

  type library
     real(rk), pointer, contiguous :: energy(:,:) => null()
     real(rk), pointer, contiguous :: xs(:,:,:) => null()
  end type library

contains

  function lcg(seed) result(r)
    integer(int64), intent(inout) :: seed
    real(rk) :: r
    seed = iand(seed * 1103515245_int64 + 12345_int64, 2147483647_int64)
    r = real(ishft(seed, -7), rk) / 16777216.0_rk
  end function lcg

  subroutine build_tables(lib)
    type(library), intent(inout) :: lib
    integer(int64) :: seed
    integer :: n, p, c
    real(rk) :: e
    allocate(lib%energy(n_points, n_nuclides), lib%xs(n_channels, n_points, n_nuclides))
    seed = 4711_int64
    do n = 1, n_nuclides
       e = 0.0_rk
       do p = 1, n_points
          lib%energy(p, n) = e
          e = e + (0.5_rk + lcg(seed)) / n_points
          do c = 1, n_channels
             lib%xs(c, p, n) = lcg(seed)
          end do
       end do
       lib%energy(:, n) = lib%energy(:, n) / lib%energy(n_points, n)
    end do
  end subroutine build_tables

  pure integer function find_energy(grid, e) result(low)
    real(rk), intent(in) :: grid(:), e
    integer :: high, mid
    low = 1
    high = size(grid)
    do while (high - low > 1)
       mid = (low + high) / 2
       if (grid(mid) > e) then
          high = mid
       else
          low = mid
       end if
    end do
  end function find_energy

  subroutine macroscopic(lib, e, mat, total)
    type(library), intent(in) :: lib
    real(rk), intent(in) :: e
    integer, intent(in) :: mat
    real(rk), intent(out) :: total(n_channels)
    integer :: k, n, low
    real(rk) :: f, density
    total = 0.0_rk
    do k = 1, 10
       n = 1 + mod(mat * 11 + k * 5, n_nuclides)
       density = 0.1_rk * k
       low = find_energy(lib%energy(:, n), e)
       f = (lib%energy(low+1, n) - e) / (lib%energy(low+1, n) - lib%energy(low, n))
       total = total + density * (lib%xs(:, low+1, n) - f * (lib%xs(:, low+1, n) - lib%xs(:, low, n)))
    end do
  end subroutine macroscopic
end module nuclear_data

program xs_lookup
  use nuclear_data
  implicit none
  integer, parameter :: particles = 30000, collisions = 12
  type(library) :: lib
  integer(int64) :: seed, tally(n_channels)
  real(rk) :: total(n_channels), e
  integer :: i, j, mat, channel

  call build_tables(lib)
  tally = 0
  !$omp parallel do schedule(dynamic,50) private(seed, j, e, mat, total, channel) reduction(+:tally)
  do i = 1, particles
     seed = iand(int(i, int64) * 2654435761_int64 + 1_int64, 2147483647_int64)
     do j = 1, collisions
        e = lcg(seed)
        mat = int(lcg(seed) * 64.0_rk)
        call macroscopic(lib, e, mat, total)
        channel = maxloc(total, dim=1)
        tally(channel) = tally(channel) + 1
        seed = iand(seed + int(total(channel) * 1.0e6_rk, int64), 2147483647_int64)
     end do
  end do
  !$omp end parallel do
  print '(a,5(1x,i0))', 'largest channel tally', tally
  deallocate(lib%energy, lib%xs)
end program xs_lookup
