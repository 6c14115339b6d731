/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sleeping and waking on a 32-bit word, within this process. Called by core/ only where spinning has failed. */
#ifndef OMPDD_RUNTIME_OS_FUTEX_H
#define OMPDD_RUNTIME_OS_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sleep while *@word is @expected; returns on a wake, a signal, or at once when it is something else. */
static inline void futex_wait(const void *word, uint32_t expected)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

/* Wake at most @n sleepers; INT_MAX: all. */
static inline void futex_wake(const void *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

#endif
