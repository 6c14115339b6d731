! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Iteration 2 never reaches its ordered region.
program ordered_f
  use omp_lib
  use hang
  implicit none
  integer :: i, total
  total = 0
  call hang_begin()
  !$omp parallel do ordered schedule(static, 1) num_threads(3)
  do i = 1, 3
    if (i == 2) call late()
    !$omp ordered
    total = total + i
    !$omp end ordered
  end do
  !$omp end parallel do
contains
  subroutine late()
    do
      call hang_pause() ! HERE
    end do
  end subroutine
end program
