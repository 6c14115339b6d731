/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Limits the processor time of one piece of work, usually a request: a file of a user may determine the length of
 * loops. Our own loops check the budget regularly, and give up. Loops of a library do not; the watch is the last resort
 * for these. Code without checks has no cost.
 */
#ifndef OMPDD_BASE_CPU_BUDGET_H
#define OMPDD_BASE_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Start new work with a budget of @us microseconds of this process, counted from the first check on. 0, the initial
 * state: no limit.
 */
void cpu_budget_begin(int64_t us);

/* Return true if the budget is spent; then true until the next cpu_budget_begin(). Makes a system call. */
bool cpu_budget_is_spent(void);
/* Return true if cpu_budget_is_spent() has returned true for this work. */
bool cpu_budget_was_spent(void);

/*
 * Call @on_overrun from a signal handler (SIGXCPU) when one piece of work has used @seconds of processor time, or up to
 * one second more. Repeats each further second. Independent of budget checks. Call it once per process.
 */
MUST_USE struct error *cpu_budget_watch(unsigned seconds, void (*on_overrun)(void));

#endif
