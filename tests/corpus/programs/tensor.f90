! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, third
! truth: pointer arrays of a module with lower bounds of 0, set by another routine; collapsed loops divide the planes
! fix: parts
module fields
    implicit none
    real(8), pointer :: u(:, :, :) => null(), r(:, :, :) => null()
contains
    subroutine make(nx, ny, nz)
        integer, intent(in) :: nx, ny, nz
        allocate(u(0:nx + 1, 0:ny + 1, 0:nz + 1), r(0:nx + 1, 0:ny + 1, 0:nz + 1))
    end subroutine make

    subroutine start(nx, ny, nz)
        integer, intent(in) :: nx, ny, nz
        integer :: i, j, k
        do k = 0, nz + 1
            do j = 0, ny + 1
                do i = 0, nx + 1
                    u(i, j, k) = mod(i + 2 * j + 3 * k, 17) * 0.1d0
                    r(i, j, k) = 0
                end do
            end do
        end do
    end subroutine start

    subroutine relax(nx, ny, nz)
        integer, intent(in) :: nx, ny, nz
        integer :: i, j, k
        !$omp parallel do collapse(2) schedule(static) private(i)
        do k = 1, nz
            do j = 1, ny
                do i = 1, nx
                    r(i, j, k) = u(i, j, k) - (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k)) / 4
                end do
            end do
        end do
        !$omp parallel do collapse(2) schedule(static) private(i)
        do k = 1, nz
            do j = 1, ny
                do i = 1, nx
                    u(i, j, k) = u(i, j, k) - 0.5d0 * r(i, j, k)
                end do
            end do
        end do
    end subroutine relax
end module fields

program tensor
    use fields
    implicit none
    integer :: step
    call make(100, 90, 80)
    call start(100, 90, 80)
    do step = 1, 5
        call relax(100, 90, 80)
    end do
    print '(f12.6)', u(50, 45, 40)
end program tensor
