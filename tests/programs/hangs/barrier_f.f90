! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! One thread waits for input that never arrives, the others wait at the end of the loop.
program barrier_f
  use omp_lib
  use hang
  implicit none
  integer :: i
  call hang_begin()
  !$omp parallel do schedule(static, 1) num_threads(4)
  do i = 1, 4
    if (i == 3) call lost()
  end do
  !$omp end parallel do
contains
  subroutine lost()
    do
      call hang_pause() ! HERE
    end do
  end subroutine
end program
