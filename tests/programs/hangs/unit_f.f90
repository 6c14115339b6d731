! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! All threads write to unit 10, the pipe that argv[1] names. Without a reader, one of them waits with the unit's lock.
program unit_f
  use omp_lib
  use hang
  implicit none
  character(len=65536) :: text
  character(len=4096) :: path
  call get_command_argument(1, path)
  text = repeat('x', len(text))
  open(unit=10, file=trim(path), action='write', access='stream', form='unformatted')
  call hang_begin()
  !$omp parallel num_threads(3)
  do
    write(10) text ! HERE
  end do
  !$omp end parallel
end program
