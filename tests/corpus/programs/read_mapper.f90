! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-27, eighteenth
! truth: the main thread makes the genome (a string of deferred length, 5 MiB) and sorts the index of its seeds (first and place, 24 MiB) with 90 % of all requests; reads taken dynamically look up random places of all three; spread, the memory would be remote for main too
! fix: none
module genome_index
  use iso_fortran_env, only: int32, int64
  implicit none
  integer, parameter :: seed = 10, nbucket = 4**seed
  character(len=*), parameter :: bases = 'ACGT'
  character(len=:), allocatable :: genome
  integer(int32), allocatable :: first(:), place(:)
contains
  pure integer function code(letter)
    character, intent(in) :: letter
    code = index(bases, letter) - 1
  end function code

  pure integer function bucket(text)
    character(len=seed), intent(in) :: text
    integer :: i
    bucket = 0
    do i = 1, seed
      bucket = 4*bucket + code(text(i:i))
    end do
  end function bucket

  subroutine assemble(length)
    integer, intent(in) :: length
    integer(int64) :: state
    integer :: i, digit
    allocate (character(len=length) :: genome)
    state = 20261127
    do i = 1, length
      state = mod(state*1103515245_int64 + 12345_int64, 2147483648_int64)
      digit = int(state/536870912_int64) + 1
      genome(i:i) = bases(digit:digit)
    end do
  end subroutine assemble

  ! A counting sort of all seeds.
  subroutine build_index
    integer :: i, b, rolling
    allocate (first(0:nbucket), source=0)
    allocate (place(len(genome) - seed + 1))
    rolling = bucket('A'//genome(1:seed - 1))
    do i = 1, size(place)
      rolling = mod(rolling, nbucket/4)*4 + code(genome(i + seed - 1:i + seed - 1))
      first(rolling + 1) = first(rolling + 1) + 1
    end do
    do b = 1, nbucket
      first(b) = first(b) + first(b - 1)
    end do
    rolling = bucket('A'//genome(1:seed - 1))
    do i = 1, size(place)
      rolling = mod(rolling, nbucket/4)*4 + code(genome(i + seed - 1:i + seed - 1))
      first(rolling) = first(rolling) + 1
      place(first(rolling)) = i
    end do
    do b = nbucket, 1, -1
      first(b) = first(b - 1)
    end do
    first(0) = 0
  end subroutine build_index

  ! Where a read fits best, and how many of its letters agree there.
  subroutine map_read(read_text, best, agree)
    character(len=*), intent(in) :: read_text
    integer, intent(out) :: best, agree
    integer :: start, b, k, i, from, same
    best = 0
    agree = 0
    do start = 1, len(read_text) - seed + 1, 12
      b = bucket(read_text(start:start + seed - 1))
      do k = first(b) + 1, first(b + 1)
        from = place(k) - start + 1
        if (from < 1 .or. from + len(read_text) - 1 > len(genome)) cycle
        same = 0
        do i = 1, len(read_text)
          if (genome(from + i - 1:from + i - 1) == read_text(i:i)) same = same + 1
        end do
        if (same > agree .or. (same == agree .and. from < best)) then
          agree = same
          best = from
        end if
      end do
    end do
  end subroutine map_read
end module genome_index

program read_mapper
  use genome_index
  implicit none
  integer, parameter :: nread = 40000, length = 64
  integer :: r, from, best, agree
  integer(int64) :: right, letters, h
  character(len=length) :: sample
  call assemble(5*2**20)
  call build_index()
  right = 0
  letters = 0
  !$omp parallel do schedule(dynamic, 64) private(from, best, agree, sample, h) reduction(+:right, letters)
  do r = 1, nread
    h = mod(r*2654435761_int64, 4294967296_int64)
    from = int(mod(h*7919_int64 + 13, int(len(genome) - length, int64))) + 1
    sample = genome(from:from + length - 1)
    sample(1 + mod(r, length):1 + mod(r, length)) = 'A'
    call map_read(sample, best, agree)
    if (best == from) right = right + 1
    letters = letters + agree
  end do
  print '(a,i0,a,i0)', 'right ', right, ' letters ', letters
end program read_mapper
