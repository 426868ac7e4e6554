! truth: the 10 MB of climate means are allocated, zeroed and accumulated by the master thread alone; the team works on columns in arrays of its own stacks and on a flux array of 16 KB
! fix: none
module physics
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: levels = 64

contains

  ! implicit diffusion of heat in a column (tridiagonal solver) with a source, some substeps
  subroutine column(step, number, flux)
    integer, intent(in) :: step, number
    real(dp), intent(out) :: flux
    real(dp) :: t(levels), c(levels), d(levels), source(levels), w
    integer :: k, substep

    do k = 1, levels
      t(k) = 288.0_dp - 1.1_dp*k + 0.01_dp*mod(number*k, 97)
      source(k) = 0.02_dp*mod(step*13 + number + k, 7)/k
    end do
    do substep = 1, 4
      c(1) = -0.3_dp/1.3_dp
      d(1) = (t(1) + source(1))/1.3_dp
      do k = 2, levels
        w = 1/(1.6_dp + 0.3_dp*c(k - 1))
        c(k) = -0.3_dp*w
        d(k) = (t(k) + source(k) + 0.3_dp*d(k - 1))*w
      end do
      t(levels) = d(levels)
      do k = levels - 1, 1, -1
        t(k) = d(k) - c(k)*t(k + 1)
      end do
    end do
    flux = sum((t*0.01_dp)**4)/levels
  end subroutine column

end module physics

module diagnostics
  use physics, only: dp, levels
  implicit none

  type :: climate
    integer :: columns = 0, fields = 0, samples = 0
    real(dp), allocatable :: mean(:, :, :)
    real(dp), allocatable :: weight(:, :)
  end type climate

contains

  subroutine start(c, columns, fields)
    type(climate), intent(out) :: c
    integer, intent(in) :: columns, fields
    integer :: f, k
    c%columns = columns
    c%fields = fields
    allocate (c%mean(levels, columns, fields), source=0.0_dp)
    allocate (c%weight(levels, fields))
    do concurrent(f=1:fields, k=1:levels)
      c%weight(k, f) = 1.0_dp/(k + f)
    end do
  end subroutine start

  subroutine accumulate(c, flux)
    type(climate), intent(inout) :: c
    real(dp), intent(in) :: flux(:)
    integer :: f, i, k
    c%samples = c%samples + 1
    do f = 1, c%fields
      do i = 1, c%columns
        do k = 1, levels
          c%mean(k, i, f) = c%mean(k, i, f) + (c%weight(k, f)*flux(i) - c%mean(k, i, f))/c%samples
        end do
      end do
    end do
  end subroutine accumulate

end module diagnostics

program column_climate
  use physics
  use diagnostics
  implicit none
  integer, parameter :: columns = 2048, fields = 10, steps = 10
  type(climate) :: record
  real(dp), allocatable :: flux(:)
  integer :: step, i

  call start(record, columns, fields)
  allocate (flux(columns))

  !$omp parallel private(step)
  do step = 1, steps
    !$omp do schedule(static)
    do i = 1, columns
      call column(step, i, flux(i))
    end do
    !$omp end do
    !$omp master
    call accumulate(record, flux)
    !$omp end master
    !$omp barrier
  end do
  !$omp end parallel

  print '(a, f0.6, 1x, f0.6)', 'mean ', record%mean(1, 1, 1), sum(record%mean(levels, :, fields))
end program column_climate
