! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Common parts of the seeded hangs in Fortran; see hang.h.
module hang
  use iso_c_binding
  implicit none
  integer, volatile :: met = 0
  interface
    function c_alarm(seconds) bind(c, name="alarm")
      import
      integer(c_int), value :: seconds
      integer(c_int) :: c_alarm
    end function
    function c_pause() bind(c, name="pause")
      import
      integer(c_int) :: c_pause
    end function
    function c_usleep(us) bind(c, name="usleep")
      import
      integer(c_int), value :: us
      integer(c_int) :: c_usleep
    end function
    function c_getpid() bind(c, name="getpid")
      import
      integer(c_int) :: c_getpid
    end function
  end interface
contains
  subroutine hang_begin()
    integer :: ignored
    ignored = c_alarm(900)
    print '(a, i0, a)', '{"pid": ', c_getpid(), '}'
    flush (6)
  end subroutine
  subroutine hang_pause()
    integer :: ignored
    ignored = c_pause()
  end subroutine
  subroutine hang_meet(n)
    integer, intent(in) :: n
    integer :: now, ignored
    !$omp atomic
    met = met + 1
    do
      !$omp atomic read
      now = met
      if (now >= n) exit
      ignored = c_usleep(1000)
    end do
  end subroutine
end module
