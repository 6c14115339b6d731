! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! languages_f90: the nest of 2 and 2 or 3 threads in Fortran; the answers come from Fortran's own omp_lib.
module oracle_module
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none

  type, bind(C) :: oracle
    integer(c_int) :: level, active_level, thread_num, num_threads, max_threads, dynamic
    integer(c_int) :: max_active_levels, in_final, in_parallel, schedule, chunk, proc_bind
    integer(c_int) :: thread_limit, cancellation, default_device, max_task_priority, num_procs
    integer(c_int) :: ancestors(32), team_sizes(32)
  end type

  interface
    subroutine park_begin(lines) bind(C)
      import :: c_int
      integer(c_int), value :: lines
    end subroutine
    subroutine park() bind(C)
    end subroutine
    subroutine oracle_say_values(o, by, extra) bind(C)
      import :: oracle, c_char
      type(oracle), intent(in) :: o
      character(kind=c_char), intent(in) :: by(*), extra(*)
    end subroutine
  end interface

contains
  subroutine say_and_park()
    type(oracle) :: o
    integer(omp_sched_kind) :: kind
    integer :: i

    o%level = omp_get_level()
    o%active_level = omp_get_active_level()
    o%thread_num = omp_get_thread_num()
    o%num_threads = omp_get_num_threads()
    o%max_threads = omp_get_max_threads()
    o%dynamic = merge(1, 0, omp_get_dynamic())
    o%max_active_levels = omp_get_max_active_levels()
    o%in_final = merge(1, 0, omp_in_final())
    o%in_parallel = merge(1, 0, omp_in_parallel())
    call omp_get_schedule(kind, o%chunk)
    o%schedule = int(kind, c_int)
    o%proc_bind = int(omp_get_proc_bind(), c_int)
    o%thread_limit = omp_get_thread_limit()
    o%cancellation = merge(1, 0, omp_get_cancellation())
    o%default_device = omp_get_default_device()
    o%max_task_priority = omp_get_max_task_priority()
    o%num_procs = omp_get_num_procs()
    do i = 0, o%level
      o%ancestors(i + 1) = omp_get_ancestor_thread_num(i)
      o%team_sizes(i + 1) = omp_get_team_size(i)
    end do
    call oracle_say_values(o, "pause" // c_null_char, c_null_char)
    call park()
  end subroutine
end module

program languages
  use oracle_module
  implicit none
  integer :: inner

  call omp_set_nested(.true.) ! libgomp before gcc 11 wants this, too
  call omp_set_max_active_levels(2)
  call omp_set_schedule(omp_sched_dynamic, 4)
  call park_begin(5)
  !$omp parallel num_threads(2) private(inner)
  inner = 2 + omp_get_thread_num()
  !$omp parallel num_threads(inner)
  call say_and_park()
  !$omp end parallel
  !$omp end parallel
end program
