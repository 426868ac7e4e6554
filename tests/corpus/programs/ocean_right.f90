! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-24, eighth
! with: ocean_state.f90
! truth: shallow water as NEMOLite2D: a module in another file sets its arrays in a loop divided as all others are: nothing to gain
! fix: none
program ocean_right
  use ocean_state
  implicit none
  integer :: step, ji, jj
  call ocean_init
  do step = 1, 40
    !$omp parallel do schedule(static) private(ji)
    do jj = 1, nj
      do ji = 1, ni
        ua(ji, jj) = ua(ji, jj) - 0.1_wp*(ssh(min(ji + 1, ni), jj) - ssh(ji, jj))
        va(ji, jj) = va(ji, jj) - 0.1_wp*(ssh(ji, min(jj + 1, nj)) - ssh(ji, jj))
      end do
    end do
    !$omp parallel do schedule(static) private(ji)
    do jj = 1, nj
      do ji = 1, ni
        ssh(ji, jj) = ssh(ji, jj) - 0.05_wp*(ua(ji, jj) - ua(max(ji - 1, 1), jj) + va(ji, jj) - va(ji, max(jj - 1, 1)))
      end do
    end do
  end do
  print '(f14.8)', sum(ssh(:, 7)) + ssh(3, 400)
end program
