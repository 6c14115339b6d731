/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What one request may spend of processor time in loops whose length somebody's file decides: they ask now and then,
 * and give up. What does not ask costs nothing.
 */
#ifndef OMPDD_BASE_CPU_BUDGET_H
#define OMPDD_BASE_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* A new request, with so many microseconds of this process from the first question on; without it there is no limit. */
void cpu_budget_begin(int64_t us);

/* Whether they are over; then true until the next cpu_budget_begin(). A system call. */
bool cpu_budget_is_spent(void);
/* Whether somebody was told so. */
bool cpu_budget_was_spent(void);

#endif
