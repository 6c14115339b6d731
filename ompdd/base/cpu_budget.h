/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What one piece of work, a request most often, may spend of processor time in loops whose length somebody's file
 * decides. Ours ask now and then, and give up; those of a library do not, and for these there is a last resort. What
 * does not ask costs nothing.
 */
#ifndef OMPDD_BASE_CPU_BUDGET_H
#define OMPDD_BASE_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* New work, with so many microseconds of this process from the first question on; 0, as before the first call: no
 * limit.
 */
void cpu_budget_begin(int64_t us);

/* Whether they are over; then true until the next cpu_budget_begin(). A system call. */
bool cpu_budget_is_spent(void);
/* Whether somebody was told so. */
bool cpu_budget_was_spent(void);

/*
 * From now on @on_overrun is called, in a signal handler (SIGXCPU), when one piece of work has taken @seconds, or up to
 * one more, whether anybody asked or not; and again each second of it. Once per process.
 */
MUST_USE struct error *cpu_budget_watch(unsigned seconds, void (*on_overrun)(void));

#endif
