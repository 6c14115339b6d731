! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A thread takes a lock of its own twice, in Fortran's two-level style.
program lock_f
  use omp_lib
  use hang
  implicit none
  integer(omp_lock_kind) :: guard
  call hang_begin()
  call omp_init_lock(guard)
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) call outer()
  !$omp end parallel
contains
  subroutine outer()
    call omp_set_lock(guard)
    call inner()
    call omp_unset_lock(guard)
  end subroutine
  subroutine inner()
    call omp_set_lock(guard) ! HERE
    call omp_unset_lock(guard)
  end subroutine
end program
