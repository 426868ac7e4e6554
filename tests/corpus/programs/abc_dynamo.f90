! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-28, twenty-fifth
! truth: a kinematic dynamo: three module variables of a derived type with three allocatable components each (56 x 56 x 56 reals, 1.3 MiB a component, 12.1 MiB in all); allocate touches none of them; the main thread does it in set_up, by whole-array assignments of b and emf and by the loops over columns of set_flow for u; in all steps the static loops of electromotive_force and induce, collapsed over the last two dimensions, give each thread the same block of seven planes of all nine components (and one plane of each neighbour); half of the requests are remote, nearly all of them would go if the same static loops set the components first
! fix: parts
module induction
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: dp = real64

  type :: vector_field
    real(dp), allocatable :: x(:, :, :), y(:, :, :), z(:, :, :)
  end type vector_field

  type(vector_field) :: u, b, emf
  integer :: n = 0
  real(dp) :: h, diffusivity
  integer, allocatable :: up(:), down(:)  ! neighbours in the periodic box
contains
  subroutine set_up(points, reynolds)
    integer, intent(in) :: points
    real(dp), intent(in) :: reynolds
    integer :: i, status

    n = points
    h = 8 * atan(1.0_dp) / n
    diffusivity = 1 / reynolds
    allocate (up(n), down(n))
    up = [(modulo(i, n) + 1, i=1, n)]
    down = [(modulo(i - 2, n) + 1, i=1, n)]

    call new_field(u, status)
    if (status == 0) call new_field(b, status)
    if (status == 0) call new_field(emf, status)
    if (status /= 0) error stop 'no memory for the fields'

    emf%x = 0
    emf%y = 0
    emf%z = 0
    b%x = 1e-3_dp
    b%y = -1e-3_dp
    b%z = 0
    call set_flow(1.0_dp, 1.0_dp, 1.0_dp)
    b%z(:, :, n / 2) = 2e-3_dp * u%z(:, :, n / 2)
  end subroutine set_up

  subroutine new_field(f, status)
    type(vector_field), intent(out) :: f
    integer, intent(out) :: status
    allocate (f%x(n, n, n), f%y(n, n, n), f%z(n, n, n), stat=status)
  end subroutine new_field

  ! The flow of Arnold, Beltrami and Childress: its curl is itself.
  subroutine set_flow(a, bb, c)
    real(dp), intent(in) :: a, bb, c
    real(dp) :: s(n), co(n)
    integer :: i, j, k

    s = [(sin(h * i), i=1, n)]
    co = [(cos(h * i), i=1, n)]
    do k = 1, n
      do j = 1, n
        u%x(:, j, k) = a * s(k) + c * co(j)
        u%y(:, j, k) = bb * s + a * co(k)
        u%z(:, j, k) = c * s(j) + bb * co
      end do
    end do
  end subroutine set_flow

  ! u x b, less the current times the diffusivity
  subroutine electromotive_force()
    integer :: i, j, k
    real(dp) :: r, jx, jy, jz

    r = 1 / (2 * h)
    !$omp parallel do collapse(2) schedule(static) private(i, jx, jy, jz)
    do k = 1, n
      do j = 1, n
        do i = 1, n
          jx = r * (b%z(i, up(j), k) - b%z(i, down(j), k) - b%y(i, j, up(k)) + b%y(i, j, down(k)))
          jy = r * (b%x(i, j, up(k)) - b%x(i, j, down(k)) - b%z(up(i), j, k) + b%z(down(i), j, k))
          jz = r * (b%y(up(i), j, k) - b%y(down(i), j, k) - b%x(i, up(j), k) + b%x(i, down(j), k))
          emf%x(i, j, k) = u%y(i, j, k) * b%z(i, j, k) - u%z(i, j, k) * b%y(i, j, k) - diffusivity * jx
          emf%y(i, j, k) = u%z(i, j, k) * b%x(i, j, k) - u%x(i, j, k) * b%z(i, j, k) - diffusivity * jy
          emf%z(i, j, k) = u%x(i, j, k) * b%y(i, j, k) - u%y(i, j, k) * b%x(i, j, k) - diffusivity * jz
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine electromotive_force

  subroutine induce(dt)
    real(dp), intent(in) :: dt
    integer :: i, j, k
    real(dp) :: r

    r = dt / (2 * h)
    associate (ex => emf%x, ey => emf%y, ez => emf%z)
      !$omp parallel do collapse(2) schedule(static) private(i)
      do k = 1, n
        do j = 1, n
          do i = 1, n
            b%x(i, j, k) = b%x(i, j, k) + r * (ez(i, up(j), k) - ez(i, down(j), k) - ey(i, j, up(k)) + ey(i, j, down(k)))
            b%y(i, j, k) = b%y(i, j, k) + r * (ex(i, j, up(k)) - ex(i, j, down(k)) - ez(up(i), j, k) + ez(down(i), j, k))
            b%z(i, j, k) = b%z(i, j, k) + r * (ey(up(i), j, k) - ey(down(i), j, k) - ex(i, up(j), k) + ex(i, down(j), k))
          end do
        end do
      end do
      !$omp end parallel do
    end associate
  end subroutine induce

  ! of every eighth plane: enough to see whether the field grows
  real(dp) function energy()
    integer :: k
    energy = 0
    do k = 1, n, 8
      energy = energy + sum(b%x(:, :, k)**2 + b%y(:, :, k)**2 + b%z(:, :, k)**2) / 2
    end do
    energy = energy * 8 / real(n, dp)**3
  end function energy
end module induction

program abc_dynamo
  use induction
  implicit none
  integer, parameter :: steps = 25
  integer :: step
  real(dp) :: before

  call set_up(56, 12.0_dp)
  before = energy()
  do step = 1, steps
    call electromotive_force()
    call induce(0.02_dp)
  end do
  print '(a, es12.5, a, es12.5)', 'magnetic energy ', before, ' -> ', energy()
end program abc_dynamo
