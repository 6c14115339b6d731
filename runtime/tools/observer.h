/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Observers: tests for a tool (ompt.h) and for a debugger (ompd.h). One word has both. */
#ifndef OMPDD_RUNTIME_TOOLS_OBSERVER_H
#define OMPDD_RUNTIME_TOOLS_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/thread.h"
#include "os/spin.h"
#include "tools/ompd.h"

/*
 * Returns whether one of @bits is set. gcc compiles an atomic load and a test into four instructions; two are enough.
 * Relaxed, like every load of the processor.
 */
static inline __attribute__((always_inline)) bool point_is_set(uint32_t bits)
{
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__SANITIZE_THREAD__)
	bool is_set;

	__asm__ volatile("testl %[bits], %[word]"
			 : "=@ccnz"(is_set)
			 : [bits] "e"(bits), [word] "m"(ompd_breakpoints_here));
	return unlikely(is_set);
#else
	return unlikely(__atomic_load_n(&ompd_breakpoints_here, __ATOMIC_RELAXED) & bits);
#endif
}

/* Returns whether an observer wants events. */
static inline bool point_is_wanted(void)
{
	return RUNTIME_POINTS && point_is_set(0x7fffffff);
}

/* Returns whether a tool exists. Each task needs a struct then, for the tool's data. */
static inline bool point_has_tool(void)
{
	return RUNTIME_POINTS && point_is_set(OMPD_TOOL);
}

/* Returns whether a debugger wants events. */
static inline bool point_has_debugger(void)
{
	return RUNTIME_POINTS && point_is_set(0x7fffffffu & ~OMPD_TOOLS);
}

/*
 * Returns whether a tool may exist, for callers in a thread that may be unknown yet: thread_self() searches for the
 * tool.
 */
static inline bool point_may_have_tool(void)
{
	return RUNTIME_POINTS && point_is_set(OMPD_TOOLS);
}

#endif
