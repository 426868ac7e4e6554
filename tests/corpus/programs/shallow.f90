! truth: the fields of the basin are allocated and set by the main thread alone in still_water; afterwards static loops over the columns j give each thread its block of columns of all fields
! fix: parts
module shallow_water
  implicit none
  integer, parameter :: dp = kind(1.0d0)

  type :: basin
    integer :: nx = 0, ny = 0
    real(dp) :: dt = 0, dx = 1
    real(dp), allocatable :: h(:, :), u(:, :), v(:, :), depth(:, :)
  end type basin

contains

  subroutine create(b, nx, ny)
    type(basin), intent(out) :: b
    integer, intent(in) :: nx, ny
    integer :: stat
    b%nx = nx
    b%ny = ny
    b%dx = 1000.0_dp
    b%dt = 5.0_dp
    allocate (b%h(nx, ny), b%u(nx, ny), b%v(nx, ny), b%depth(nx, ny), stat=stat)
    if (stat /= 0) stop 1
  end subroutine create

  subroutine still_water(b)
    type(basin), intent(inout) :: b
    integer :: i, j
    b%h = 0
    b%u = 0
    b%v = 0
    do concurrent(j=1:b%ny, i=1:b%nx)
      b%depth(i, j) = 50.0_dp + mod(i, 40) + mod(j, 9)
    end do
  end subroutine still_water

  subroutine drop(b, ci, cj, radius, height)
    type(basin), intent(inout) :: b
    integer, intent(in) :: ci, cj, radius
    real(dp), intent(in) :: height
    integer :: i, j
    real(dp) :: r2
    do j = max(1, cj - radius), min(b%ny, cj + radius)
      do i = max(1, ci - radius), min(b%nx, ci + radius)
        r2 = real((i - ci)**2 + (j - cj)**2, dp)/real(radius, dp)**2
        if (r2 < 1) b%h(i, j) = b%h(i, j) + height*(1 - r2)**2
      end do
    end do
  end subroutine drop

  subroutine accelerate(b)
    type(basin), intent(inout) :: b
    real(dp), parameter :: g = 9.81_dp, drag = 0.0005_dp
    integer :: i, j
    real(dp) :: c
    c = g*b%dt/b%dx
    !$omp parallel do schedule(static) private(i)
    do j = 1, b%ny - 1
      do i = 1, b%nx - 1
        b%u(i, j) = (1 - drag)*b%u(i, j) - c*(b%h(i + 1, j) - b%h(i, j))
        b%v(i, j) = (1 - drag)*b%v(i, j) - c*(b%h(i, j + 1) - b%h(i, j))
      end do
    end do
    !$omp end parallel do
  end subroutine accelerate

  subroutine continuity(b)
    type(basin), intent(inout) :: b
    integer :: i, j
    real(dp) :: c, east, west, north, south
    c = b%dt/b%dx
    !$omp parallel do schedule(static) private(i, east, west, north, south)
    do j = 2, b%ny - 1
      do i = 2, b%nx - 1
        east = b%u(i, j)*(b%depth(i, j) + b%depth(i + 1, j))
        west = b%u(i - 1, j)*(b%depth(i - 1, j) + b%depth(i, j))
        north = b%v(i, j)*(b%depth(i, j) + b%depth(i, j + 1))
        south = b%v(i, j - 1)*(b%depth(i, j - 1) + b%depth(i, j))
        b%h(i, j) = b%h(i, j) - 0.5_dp*c*(east - west + north - south)
      end do
    end do
    !$omp end parallel do
  end subroutine continuity

  function volume(b) result(total)
    type(basin), intent(in) :: b
    real(dp) :: total
    integer :: i, j
    total = 0
    do j = 1, b%ny
      do i = 1, b%nx
        total = total + b%h(i, j)
      end do
    end do
  end function volume

end module shallow_water

program shallow
  use shallow_water
  implicit none
  type(basin) :: sea
  integer :: step

  call create(sea, 600, 640)
  call still_water(sea)
  call drop(sea, 200, 150, 60, 2.0_dp)
  call drop(sea, 400, 500, 90, -1.0_dp)
  do step = 1, 16
    call accelerate(sea)
    call continuity(sea)
  end do
  print '(a, f0.6, 1x, f0.6, 1x, f0.6)', 'volume ', volume(sea), sea%h(200, 150), sea%h(400, 500)
end program shallow
