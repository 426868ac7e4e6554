! SPDX-License-Identifier: Apache-2.0
! held-out: 2026-11-23, seventh
! truth: a mesh of a module with an array of fields, each with an allocatable of its own; edges go to threads in ranges
! fix: parts
module mesh_data
  implicit none
  type :: field
    character(len=16) :: name
    real(8), allocatable :: v(:)
  end type
  type :: mesh
    integer :: cells
    integer, allocatable :: left(:), right(:)
    type(field), allocatable :: fields(:)
  end type
  type(mesh), save :: m
contains
  subroutine setup(cells, count)
    integer, intent(in) :: cells, count
    integer :: f, i
    m%cells = cells
    allocate (m%left(cells), m%right(cells), m%fields(count))
    do f = 1, count
      allocate (m%fields(f)%v(cells))
      write (m%fields(f)%name, '(a,i0)') 'field', f
      do i = 1, cells
        m%fields(f)%v(i) = mod(i * f, 31)
      end do
    end do
    do i = 1, cells
      m%left(i) = max(1, i - 1)
      m%right(i) = min(cells, i + 1)
    end do
  end subroutine
  subroutine relax(a, b)
    type(field), intent(in) :: a
    type(field), intent(inout) :: b
    integer :: i
    !$omp parallel do schedule(static)
    do i = 1, m%cells
      b%v(i) = 0.5d0 * b%v(i) + 0.25d0 * (a%v(m%left(i)) + a%v(m%right(i)))
    end do
  end subroutine
end module

program mesh_fields
  use mesh_data
  implicit none
  integer :: step, f
  call setup(160000, 5)
  do step = 1, 8
    do f = 2, size(m%fields)
      call relax(m%fields(f - 1), m%fields(f))
    end do
    call relax(m%fields(5), m%fields(1))
  end do
  print '(2f14.6)', m%fields(1)%v(1000), m%fields(5)%v(159000)
end program
