/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which interrupted system calls are restarted: interrupted_call.h. */
#include "target/trace/interrupted_call.h"

#include <stddef.h>
#include <sys/syscall.h>

#ifndef IORING_ENTER_EXT_ARG
#define IORING_ENTER_EXT_ARG 8
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* How a call's arguments select a wait without a time limit. */
enum limit {
	LIMIT_NONE,	/* the call never has a time limit */
	LIMIT_POINTER,	/* the argument is NULL */
	LIMIT_NEGATIVE, /* the argument, an int, is negative */
	LIMIT_FLAG,	/* the argument lacks IORING_ENTER_EXT_ARG */
};

/* The calls without a time limit that return EINTR after a stop. EINTR says that they have done nothing. */
static const struct {
	long number;
	enum limit limit;
	unsigned argument;
} calls[] = {
#ifdef SYS_epoll_wait
	{SYS_epoll_wait, LIMIT_NEGATIVE, 3},
#endif
	{SYS_epoll_pwait, LIMIT_NEGATIVE, 3},	 {SYS_epoll_pwait2, LIMIT_POINTER, 3},
	{SYS_rt_sigtimedwait, LIMIT_POINTER, 2}, {SYS_semop, LIMIT_NONE, 0},
	{SYS_semtimedop, LIMIT_POINTER, 3},	 {SYS_io_getevents, LIMIT_POINTER, 4},
	{SYS_io_pgetevents, LIMIT_POINTER, 4},	 {SYS_io_uring_enter, LIMIT_FLAG, 3},
};

bool interrupted_call_is_exact(long number, const uint64_t args[ARCH_N_ARGUMENTS])
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		uint64_t value = args[calls[i].argument];

		if (calls[i].number != number)
			continue;
		switch (calls[i].limit) {
		case LIMIT_NONE:
			return true;
		case LIMIT_POINTER:
			return value == 0;
		case LIMIT_NEGATIVE:
			return (int32_t)value < 0;
		case LIMIT_FLAG:
			return !(value & IORING_ENTER_EXT_ARG);
		}
	}
	return false;
}

void interrupted_call_restart(pid_t tid)
{
	uint64_t args[ARCH_N_ARGUMENTS];
	long number;

	if (arch_host.read_interrupted_call && arch_host.read_interrupted_call(tid, &number, args) &&
	    interrupted_call_is_exact(number, args))
		arch_host.restart_call(tid);
}
