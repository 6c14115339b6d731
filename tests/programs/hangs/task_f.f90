! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A task never ends; its parent is in taskwait.
program task_f
  use omp_lib
  use hang
  implicit none
  call hang_begin()
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task
  call stuck()
  !$omp end task
  !$omp taskwait
  !$omp end single
  !$omp end parallel
contains
  subroutine stuck()
    do
      call hang_pause() ! HERE
    end do
  end subroutine
end program
