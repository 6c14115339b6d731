/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sleeping and waking on a 32-bit word within this process, after spinning has failed. */
#ifndef OMPDD_RUNTIME_OS_FUTEX_H
#define OMPDD_RUNTIME_OS_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The half of a 64-bit word on which threads can sleep: its lower 32 bits. */
static inline const uint32_t *futex_low_half(const uint64_t *word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (const uint32_t *)word;
#else
	return (const uint32_t *)word + 1;
#endif
}

/* Sleeps while *@word is @expected. Returns on a wake or a signal, or at once if the value differs. */
static inline void futex_wait(const void *word, uint32_t expected)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

/* Wakes at most @n sleepers (INT_MAX: all). Returns their number. */
static inline long futex_wake(const void *word, int n)
{
	return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/*
 * As futex_wait(), for at most @ns nanoseconds (less than a second; 0: no limit). Only futex_wake_bits() with a common
 * bit in @bits wakes the thread.
 */
static inline void futex_wait_bits(const void *word, uint32_t expected, uint32_t bits, uint32_t ns)
{
	struct timespec until;

	if (ns == 0) {
		syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, NULL, NULL, bits);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ns;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, &until, NULL, bits);
}

/* Wakes all threads that sleep by futex_wait_bits() with one of @bits. */
static inline void futex_wake_bits(const void *word, uint32_t bits)
{
	syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, bits);
}

#endif
