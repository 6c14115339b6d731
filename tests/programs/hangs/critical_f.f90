! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Two named criticals in opposite order.
program critical_f
  use omp_lib
  use hang
  implicit none
  integer :: total
  total = 0
  call hang_begin()
  !$omp parallel num_threads(2) shared(total)
  if (omp_get_thread_num() == 0) then
    !$omp critical (north)
    call hang_meet(2)
    !$omp critical (south) ! HERE
    total = total + 1
    !$omp end critical (south)
    !$omp end critical (north)
  else
    !$omp critical (south)
    call hang_meet(2)
    !$omp critical (north) ! HERE
    total = total * 3
    !$omp end critical (north)
    !$omp end critical (south)
  end if
  !$omp end parallel
end program
