! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-28, twenty-sixth
! truth: a rarefied gas by direct simulation: the main thread allocates 150000 particles (a component of a derived type, 48 bytes each, 6.9 MiB; their default initialisation writes them already in allocate) and sets them in fill, at random places of the channel, so that the particles of a cell, a chain by number, lie anywhere in the array; in each of 20 steps a static loop gives each thread the same 8 rows of cells, whose particles it follows, collides and moves: every page is used by all threads, about as much by each; main itself then puts about one particle of ten, those that left their cell, into the chain of the next (some 10 % of the requests, on its own node); a little less than half of the requests are remote; spreading the particles takes load off main's node but leaves half remote (only another order of the particles, sorted by cell, would give the threads parts); the chains' heads (16 KiB) stay in caches
! fix: spread
module rarefied
  use iso_fortran_env, only: dp => real64, int64
  implicit none
  integer, parameter :: nx = 64, ny = 64, most = 256

  type :: particle
    real(dp) :: x = 0, y = 0, v(3) = 0
    integer :: cell = 0, next = 0  ! a cell is a chain of particles
  end type particle

  type :: channel
    type(particle), allocatable :: p(:)
    integer :: first(nx, ny) = 0
    integer :: leaving(ny) = 0  ! chains of the particles that left a cell of this row
    integer(int64) :: collisions(ny) = 0, seed(ny) = 0
  end type channel
contains
  real(dp) function uniform(seed)
    integer(int64), intent(inout) :: seed
    seed = iand(seed * 25214903917_int64 + 11_int64, 281474976710655_int64)
    uniform = real(ishft(seed, -16), dp) / 4294967296.0_dp
  end function uniform

  subroutine fill(c, n)
    type(channel), intent(inout) :: c
    integer, intent(in) :: n
    integer(int64) :: seed
    integer :: i, k, status
    allocate (c%p(n), stat=status)
    if (status /= 0) error stop 'no memory for the particles'
    seed = 20261128
    do i = 1, n
      c%p(i)%x = nx * uniform(seed)
      c%p(i)%y = ny * uniform(seed)
      do k = 1, 3
        c%p(i)%v(k) = 0.1_dp * (uniform(seed) + uniform(seed) + uniform(seed) - 1.5_dp)
      end do
      c%p(i)%v(1) = c%p(i)%v(1) + 0.05_dp  ! the stream
      call enter(c, i)
    end do
    c%seed = [(7919_int64 * k, k=1, ny)]
  end subroutine fill

  subroutine enter(c, i)
    type(channel), intent(inout) :: c
    integer, intent(in) :: i
    integer :: jx, jy
    jx = min(int(c%p(i)%x), nx - 1) + 1
    jy = min(int(c%p(i)%y), ny - 1) + 1
    c%p(i)%cell = jx + nx * (jy - 1)
    c%p(i)%next = c%first(jx, jy)
    c%first(jx, jy) = i
  end subroutine enter

  ! Pairs of a cell collide as hard spheres do: the relative velocity gets a new direction.
  subroutine collide(p, members, seed, collisions)
    type(particle), intent(inout) :: p(:)
    integer, intent(in) :: members(:)
    integer(int64), intent(inout) :: seed, collisions
    real(dp) :: centre(3), relative(3), speed, chance, cosine, angle
    integer :: a, b, pair
    do pair = 1, size(members) / 4
      a = members(1 + int(size(members) * uniform(seed)))
      b = members(1 + int(size(members) * uniform(seed)))
      relative = p(a)%v - p(b)%v
      speed = norm2(relative)
      chance = 0.25_dp * uniform(seed)
      if (a == b .or. speed < chance) cycle
      cosine = 2 * uniform(seed) - 1
      angle = 6.283185307179586_dp * uniform(seed)
      relative = speed * [cosine, sqrt(1 - cosine**2) * cos(angle), sqrt(1 - cosine**2) * sin(angle)]
      centre = (p(a)%v + p(b)%v) / 2
      p(a)%v = centre + relative / 2
      p(b)%v = centre - relative / 2
      collisions = collisions + 1
    end do
  end subroutine collide

  subroutine move(p)
    type(particle), intent(inout) :: p
    p%x = modulo(p%x + p%v(1), real(nx, dp))
    p%y = p%y + p%v(2)
    if (p%y < 0 .or. p%y > ny) then  ! a mirror
      p%y = merge(-p%y, 2 * ny - p%y, p%y < 0)
      p%v(2) = -p%v(2)
    end if
  end subroutine move

  subroutine advance_row(c, row)
    type(channel), intent(inout) :: c
    integer, intent(in) :: row
    integer :: members(most), column, n, i, k
    do column = 1, nx
      n = 0
      i = c%first(column, row)
      do while (i /= 0)
        n = n + 1
        members(n) = i  ! "most" is far more than any cell has
        i = c%p(i)%next
      end do
      call collide(c%p, members(:n), c%seed(row), c%collisions(row))
      c%first(column, row) = 0
      do k = n, 1, -1  ! so that the order of the chain stays
        i = members(k)
        call move(c%p(i))
        if (int(c%p(i)%x) + 1 == column .and. int(c%p(i)%y) + 1 == row) then
          call enter(c, i)
        else
          c%p(i)%next = c%leaving(row)
          c%leaving(row) = i
        end if
      end do
    end do
  end subroutine advance_row

  subroutine step(c)
    type(channel), intent(inout) :: c
    integer :: row, i, next
    !$omp parallel do schedule(static)
    do row = 1, ny
      c%leaving(row) = 0
      call advance_row(c, row)
    end do
    do row = 1, ny
      i = c%leaving(row)
      do while (i /= 0)
        next = c%p(i)%next
        call enter(c, i)
        i = next
      end do
    end do
  end subroutine step
end module rarefied

program rarefied_flow
  use rarefied
  implicit none
  type(channel) :: flow
  integer :: n
  call fill(flow, 150000)
  do n = 1, 20
    call step(flow)
  end do
  print '(i0, a, f9.6)', sum(flow%collisions), ' collisions, mean speed along the channel ', &
    sum([(flow%p(n)%v(1), n=1, size(flow%p), 50)]) / (size(flow%p) / 50)
end program rarefied_flow
