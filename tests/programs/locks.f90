! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! locks_f90: thread 0 holds the lock that thread 1 waits for. The lock is a variable of a module.
module shelf
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: first_lock, second_lock
  integer :: entered = 0
end module

program locks
  use, intrinsic :: iso_c_binding
  use shelf
  implicit none

  interface
    subroutine park_begin(lines) bind(C)
      import :: c_int
      integer(c_int), value :: lines
    end subroutine
    subroutine oracle_park() bind(C)
    end subroutine
    subroutine oracle_say(by, extra) bind(C)
      import :: c_char
      character(kind=c_char), intent(in) :: by(*), extra(*)
    end subroutine
    subroutine park_await(flag, value) bind(C)
      import :: c_int
      integer(c_int), intent(in) :: flag
      integer(c_int), value :: value
    end subroutine
  end interface

  call park_begin(2)
  call omp_init_lock(second_lock)
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) then
    call omp_set_lock(second_lock)
    !$omp atomic write
    entered = 1
    call oracle_park()
  end if
  call park_await(entered, 1)
  call oracle_say("futex" // c_null_char, c_null_char)
  call omp_set_lock(second_lock)
  !$omp end parallel
end program
