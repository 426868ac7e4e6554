! SPDX-License-Identifier: Apache-2.0
! Arrays as Fortran has them, each 1 MiB: of a module, in COMMON, of the main program, allocated.
module held
  implicit none
  real(8) :: in_module(131072)
end module held

subroutine allocate_one(total)
  implicit none
  real(8), intent(out) :: total
  real(8), allocatable :: allocated_array(:)
  allocate (allocated_array(131072))
  allocated_array = 1.0d0
  total = sum(allocated_array)
end subroutine allocate_one

program arrays
  use held
  implicit none
  real(8) :: in_common(131072), in_program(131072), total
  common /shared_block/ in_common
  in_module = 1.0d0
  in_common = 2.0d0
  in_program = 3.0d0
  call allocate_one(total)
  print *, total + sum(in_module) + sum(in_common) + sum(in_program)
end program arrays
