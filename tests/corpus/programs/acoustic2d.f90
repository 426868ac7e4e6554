! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-26, fifteenth
! truth: the main thread initialises five allocatable components of a derived type, exchanged by move_alloc; each thread a block of columns and one halo column
! fix: parts
! Second order acoustic wave propagation on a 2-D grid with a sponge layer.
! The three time levels rotate with move_alloc.
module acoustic
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: halo = 2

  type :: model_t
    integer :: nx = 0, nz = 0
    real(real64), allocatable :: c2(:,:)
    real(real64), allocatable :: older(:,:), now(:,:), newer(:,:)
    real(real64), allocatable :: damp(:,:)
  contains
    procedure :: setup
    procedure :: advance
    procedure :: rotate
    procedure :: checksum
  end type model_t

contains

  subroutine setup(self, nx, nz)
    class(model_t), intent(inout) :: self
    integer, intent(in) :: nx, nz
    integer :: i, k, edge
    self%nx = nx
    self%nz = nz
    allocate(self%c2(1-halo:nx+halo, 1-halo:nz+halo))
    allocate(self%damp(1-halo:nx+halo, 1-halo:nz+halo))
    allocate(self%older(1-halo:nx+halo, 1-halo:nz+halo))
    allocate(self%now(1-halo:nx+halo, 1-halo:nz+halo))
    allocate(self%newer(1-halo:nx+halo, 1-halo:nz+halo))
    self%older = 0.0_real64
    self%now = 0.0_real64
    self%newer = 0.0_real64
    do k = 1-halo, nz+halo
      do i = 1-halo, nx+halo
        self%c2(i, k) = 0.10_real64 + 0.05_real64 * real(k, real64) / nz
        if (mod(k / 90, 2) == 1) self%c2(i, k) = self%c2(i, k) + 0.03_real64
        edge = min(i, nx + 1 - i, k, nz + 1 - k)
        self%damp(i, k) = merge(0.96_real64, 1.0_real64, edge < 24)
      end do
    end do
    do k = nz/2 - 6, nz/2 + 6
      do i = nx/2 - 6, nx/2 + 6
        self%now(i, k) = exp(-0.1_real64 * ((i - nx/2)**2 + (k - nz/2)**2))
      end do
    end do
    do k = 1, nz
      self%now(:, k) = self%now(:, k) + 0.001_real64 * mod(k, 17)
    end do
  end subroutine setup

  subroutine advance(self)
    class(model_t), intent(inout) :: self
    integer :: i, k
    real(real64) :: lap
    !$omp parallel do schedule(static) private(i, lap)
    do k = 1, self%nz
      do i = 1, self%nx
        lap = -5.0_real64 * self%now(i, k) &
            + 1.3333333_real64 * (self%now(i-1, k) + self%now(i+1, k) &
                                + self%now(i, k-1) + self%now(i, k+1)) &
            - 0.0833333_real64 * (self%now(i-2, k) + self%now(i+2, k) &
                                + self%now(i, k-2) + self%now(i, k+2))
        self%newer(i, k) = self%damp(i, k) * (2.0_real64 * self%now(i, k) &
            - self%damp(i, k) * self%older(i, k) + self%c2(i, k) * lap)
      end do
    end do
    !$omp end parallel do
  end subroutine advance

  subroutine rotate(self)
    class(model_t), intent(inout) :: self
    real(real64), allocatable :: spare(:,:)
    call move_alloc(self%older, spare)
    call move_alloc(self%now, self%older)
    call move_alloc(self%newer, self%now)
    call move_alloc(spare, self%newer)
  end subroutine rotate

  function checksum(self) result(total)
    class(model_t), intent(in) :: self
    integer(int64) :: total
    integer :: i, k
    total = 0
    !$omp parallel do schedule(static) private(i) reduction(+:total)
    do k = 1, self%nz
      do i = 1, self%nx
        total = total + nint(self%now(i, k) * 1.0e6_real64, int64)
      end do
    end do
    !$omp end parallel do
  end function checksum
end module acoustic

program acoustic2d
  use acoustic
  use omp_lib, only: omp_set_num_threads
  implicit none
  type(model_t) :: shot
  character(len=16) :: word
  integer :: step, stat, nt
  call get_environment_variable('OMP_NUM_THREADS', word, status=stat)
  if (stat /= 0) call omp_set_num_threads(8)
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) nt
    call omp_set_num_threads(nt)
  end if
  call shot%setup(1100, 1000)
  do step = 1, 30
    call shot%advance()
    call shot%rotate()
  end do
  print '(a,1x,i0)', 'checksum', shot%checksum()
end program acoustic2d
