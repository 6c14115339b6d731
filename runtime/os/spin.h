/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pausing and yielding: the steps of a wait without sleep. */
#ifndef OMPDD_RUNTIME_OS_SPIN_H
#define OMPDD_RUNTIME_OS_SPIN_H

#include <sched.h>

#define CACHE_LINE  64
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* Gives the CPU to another thread that is ready. */
static inline void spin_yield(void)
{
	sched_yield();
}

#endif
