! truth: the grids of slowness and attenuation are computed by the main thread alone; afterwards all threads trace rays with random start and direction through all of both grids
! fix: spread
module earth
  implicit none
  integer, parameter :: dp = kind(1.0d0), i8 = selected_int_kind(18)

  type :: model
    integer :: n(3)
    real(dp), allocatable :: slowness(:, :, :), loss(:, :, :)
  end type model

  type :: ray
    real(dp) :: at(3), dir(3)
  end type ray

contains

  subroutine build(m, nx, ny, nz)
    type(model), intent(out) :: m
    integer, intent(in) :: nx, ny, nz
    integer :: i, j, k
    real(dp) :: depth
    m%n = [nx, ny, nz]
    allocate (m%slowness(nx, ny, nz), m%loss(nx, ny, nz))
    do k = 1, nz
      depth = real(k, dp)/nz
      do concurrent(j=1:ny, i=1:nx)
        m%slowness(i, j, k) = 1.0_dp/(2 + 6*depth + 0.01_dp*mod(i*3 + j*5 + k*7, 50))
        m%loss(i, j, k) = 0.001_dp*(1 + mod(i/8 + j/8, 4))*(1.5_dp - depth)
      end do
    end do
  end subroutine build

  ! a generator with the state of the caller
  subroutine draw(state, value)
    integer(i8), intent(inout) :: state
    real(dp), intent(out) :: value
    state = mod(state*48271_i8, 2147483647_i8)
    value = real(state, dp)/2147483647.0_dp
  end subroutine draw

  function shoot(number, n) result(r)
    integer, intent(in) :: number, n(3)
    type(ray) :: r
    integer(i8) :: state
    integer :: d
    real(dp) :: value
    state = mod(int(number, i8)*69621_i8 + 12345_i8, 2147483646_i8) + 1
    do d = 1, 3
      call draw(state, value)
      call draw(state, value)
      r%at(d) = value*n(d)
    end do
    do d = 1, 3
      call draw(state, value)
      r%dir(d) = 2*value - 1
    end do
    r%dir = r%dir*(0.9_dp/max(1e-3_dp, sqrt(dot_product(r%dir, r%dir))))
  end function shoot

  subroutine trace(m, r, steps, time, damping)
    type(model), intent(in) :: m
    type(ray), intent(inout) :: r
    integer, intent(in) :: steps
    real(dp), intent(out) :: time, damping
    integer :: s, d, c(3)
    time = 0
    damping = 0
    do s = 1, steps
      do d = 1, 3
        r%at(d) = r%at(d) + r%dir(d)
        if (r%at(d) < 0) r%at(d) = r%at(d) + m%n(d)
        if (r%at(d) >= m%n(d)) r%at(d) = r%at(d) - m%n(d)
        c(d) = min(int(r%at(d)) + 1, m%n(d))
      end do
      time = time + m%slowness(c(1), c(2), c(3))
      damping = damping + m%loss(c(1), c(2), c(3))*m%slowness(c(1), c(2), c(3))
    end do
  end subroutine trace

end module earth

program raytrace
  use earth
  implicit none
  integer, parameter :: shots = 6, rays = 5000, steps = 150
  type(model) :: crust
  type(ray) :: r
  integer :: shot, number
  integer(i8) :: micros, decibels
  real(dp) :: time, damping

  call build(crust, 128, 96, 80)
  do shot = 1, shots
    micros = 0
    decibels = 0
    !$omp parallel do schedule(static) private(r, time, damping) reduction(+:micros, decibels)
    do number = 1, rays
      r = shoot(number + shot*rays, crust%n)
      call trace(crust, r, steps, time, damping)
      micros = micros + nint(1000*time, i8)
      decibels = decibels + nint(1000000*damping, i8)
    end do
    !$omp end parallel do
    print '(a, i0, a, i0, 1x, i0)', 'shot ', shot, ': ', micros, decibels
  end do
end program raytrace
