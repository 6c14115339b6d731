/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kinds of system calls. */
#include "methods/diagnose/diagnose_sleep.h"

#include <linux/futex.h>

#include "target/arch/syscalls.h"
#include "target/target.h"

bool diagnose_sleeps_on_word(const struct target_activity *activity)
{
	int op = (int)activity->args[1] & FUTEX_CMD_MASK;

	return activity->known && activity->in_syscall && activity->syscall == SYS_futex &&
	       (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET);
}

bool diagnose_is_timed(const struct target_activity *a)
{
	switch (a->syscall) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return true;
	case SYS_poll:
		return (int)a->args[2] >= 0;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int)a->args[3] >= 0;
	case SYS_ppoll:
		return a->args[2] != 0;
	case SYS_select:
	case SYS_pselect6:
		return a->args[4] != 0;
	case SYS_rt_sigtimedwait:
		return a->args[2] != 0;
	case SYS_futex:
		return a->args[3] != 0;
	default:
		return false;
	}
}

bool diagnose_is_brief(const struct target_activity *a)
{
	switch (a->syscall) {
	case SYS_sched_yield:
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_madvise:
	case SYS_brk:
	case SYS_clone:
	case SYS_clone3:
		return true;
	case SYS_futex:
		switch ((int)a->args[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAKE:
		case FUTEX_WAKE_OP:
		case FUTEX_WAKE_BITSET:
		case FUTEX_REQUEUE:
		case FUTEX_CMP_REQUEUE:
			return true;
		default:
			return false;
		}
	default:
		return false;
	}
}
