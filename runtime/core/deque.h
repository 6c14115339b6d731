/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ready tasks of one member of a team: its owner pushes and pops at one end, thieves take at the other (Chase and Lev). */
#ifndef OMPDD_RUNTIME_CORE_DEQUE_H
#define OMPDD_RUNTIME_CORE_DEQUE_H

#include <stdint.h>

#include "os/spin.h"

struct task;

struct deque {
	uint64_t top __attribute__((aligned(CACHE_LINE))); /* thieves */
	uint64_t bottom __attribute__((aligned(CACHE_LINE))); /* owner */
	struct task **ring;
	uint64_t mask;
};

#endif
