! SPDX-License-Identifier: Apache-2.0
! Heat in a plate, by Jacobi steps:  heat [STEPS [ROWS]]
!
! Each thread updates a block of columns and reads one column of its neighbours. The whole plate is set by one thread.
program heat
    implicit none
    integer :: steps, n, step, i, j
    real(8), allocatable :: old(:, :), new(:, :)
    character(len=16) :: argument

    steps = 40
    n = 4096
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) steps
    end if
    if (command_argument_count() > 1) then
        call get_command_argument(2, argument)
        read (argument, *) n
    end if
    allocate (old(n, n), new(n, n))

    do j = 1, n
        do i = 1, n
            old(i, j) = real(mod(i + j, 16), 8)
            new(i, j) = 0.0d0
        end do
    end do

    do step = 1, steps
        !$omp parallel do schedule(static) private(i)
        do j = 2, n - 1
            do i = 2, n - 1
                new(i, j) = 0.25d0*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
            end do
        end do
        !$omp end parallel do
        !$omp parallel do schedule(static) private(i)
        do j = 2, n - 1
            do i = 2, n - 1
                old(i, j) = new(i, j)
            end do
        end do
        !$omp end parallel do
    end do
    print '(a, f10.4)', 'middle', old(n/2, n/2)
end program heat
