/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The word of a lock. It names the holder, so that a debugger can find it. */
#ifndef OMPDD_RUNTIME_CORE_STATE_LOCK_WORD_H
#define OMPDD_RUNTIME_CORE_STATE_LOCK_WORD_H

#include <stdint.h>

/*
 * The number that names a lock's holder. No other thread of the process ever has the same. A thread that acquires a
 * lock of the program becomes known to the runtime. After 2^28 threads the holder is unknown. Lock words of OpenMP 2.5
 * (abi/omp_lock_25.c) do not have the first bit.
 */
#define THREAD_LOCK_UNKNOWN 0x40000000u
#define THREAD_LOCK_WORD(serial)                                                                                       \
	((serial) < 1u << 28 ? THREAD_LOCK_UNKNOWN | (uint32_t)(serial) << 1 : THREAD_LOCK_UNKNOWN)

/*
 * 0: free. Otherwise the holder (thread.lock_word), and LOCK_SLEEPERS. The size, and that zero is free, belong to the
 * ABI.
 */
struct lock {
	uint32_t word;
};

/* A thread may sleep. */
#define LOCK_SLEEPERS 1u

#endif
