/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Infers states and wait ids that the library does not report, from the futex that a thread sleeps on and the code it
 * is in. For runtimes whose descriptor names the proofs of a state. Such values are marked as inferred.
 */
#ifndef OMPDD_OPENMP_INFER_H
#define OMPDD_OPENMP_INFER_H

#include <stdbool.h>
#include <stdint.h>

struct model;
struct snapshot;
struct target_activity;

/* Returns whether a thread with the activity @a sleeps in the runtime on a futex word; *@word_ret is its address. */
bool infer_sleeps_on(struct model *m, const struct target_activity *a, uint64_t *word_ret);

/*
 * Returns whether a thread with the activity @a busy-waits in a routine for an iteration of a doacross loop.
 * *@function_ret is the start of the routine.
 */
bool infer_spins(struct model *m, const struct target_activity *a, uint64_t *function_ret);

/*
 * Fills in what is unavailable in the threads of @s, from their `activity`. Reads no target memory: the target may run.
 */
void infer_snapshot(struct model *m, struct snapshot *s);

/*
 * Returns whether only a stop shows which threads of @s sleep in the runtime: those called syscall(), and the return
 * address is in a register. Then target_need_registers() has been called for each.
 */
bool infer_needs_registers(struct model *m, const struct snapshot *s);

#endif
