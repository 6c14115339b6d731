/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A wrapper for the runtime's system calls, for tests of threads that sleep and wake. A test may observe, delay or
 * refuse a call.
 */
#ifndef OMPDD_SUPPORT_SYSCALL_OF_H
#define OMPDD_SUPPORT_SYSCALL_OF_H

#include <dlfcn.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Called before each call. false: the call fails with the errno that this function has set. NULL: no function. */
static bool (*before_syscall)(long number, const long *args);
/* Called after each futex wait. */
static void (*after_sleep)(long result);

static inline bool is_sleep(long number, const long *args)
{
	long command = args[1] & FUTEX_CMD_MASK;

	return number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

static inline bool is_wake(long number, const long *args)
{
	long command = args[1] & FUTEX_CMD_MASK;

	return number == SYS_futex && (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET);
}

long syscall(long number, ...)
{
	static long (*real)(long number, ...); /* atomic */
	va_list args;
	long a[6], result;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (!__atomic_load_n(&real, __ATOMIC_ACQUIRE))
		__atomic_store_n(&real, (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), __ATOMIC_RELEASE);
	if (before_syscall && !before_syscall(number, a))
		return -1;
	result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (after_sleep && is_sleep(number, a))
		after_sleep(result);
	return result;
}

#endif
