! SPDX-License-Identifier: Apache-2.0
module ocean_state
  implicit none
  integer, parameter :: wp = 8, ni = 128, nj = 512
  real(wp), allocatable, save :: ssh(:, :), ua(:, :), va(:, :)
contains
  subroutine ocean_init
    integer :: ji, jj
    allocate (ssh(ni, nj), ua(ni, nj), va(ni, nj))
    !$omp parallel do schedule(static) private(ji)
    do jj = 1, nj
      do ji = 1, ni
        ssh(ji, jj) = 0.01_wp*mod(ji*jj, 9)
        ua(ji, jj) = 0
        va(ji, jj) = 0
      end do
    end do
  end subroutine
end module
