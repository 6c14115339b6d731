/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the states of waiting threads that neither the library nor the kernel reports. They spin, or sleep in an
 * unknown way.
 */
#ifndef OMPDD_OPENMP_STACK_STATE_H
#define OMPDD_OPENMP_STACK_STATE_H

#include "openmp/stacks/stacks.h"

/*
 * Fills in states, marked as inferred, by the routine of the runtime that the program has called. A thread in
 * omp_set_lock() has not got the lock yet, or has just got it. A thread in the program's own code, or in functions
 * called from there, is at work. @st was taken with the snapshot @s, after infer_snapshot() and stack_fill_snapshot()
 * processed it.
 */
void stack_state_fill(struct stacks *st, struct snapshot *s, bool *filled);

/*
 * Returns whether the program is in the runtime, which waits for a device: a plugin or a driver is among the innermost
 * frames, or the thread executes the device's code for a plugin.
 */
bool stack_state_is_at_device(struct target *target, const struct stacks_thread *t);

/*
 * Fills in the states of threads that wait for a device, and of other threads whose stack shows code of the program
 * where the kernel alone does not prove that the program called it.
 */
void stack_state_fill_devices(struct stacks *st, struct snapshot *s);

#endif
