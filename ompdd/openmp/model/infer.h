/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * States and wait ids that the library cannot tell, concluded from what the process itself shows: the
 * futex that a thread sleeps on, the code it is in. For runtimes whose profile says what proves a state (stock
 * libgomp); marked as inferred.
 */
#ifndef OMPDD_OPENMP_INFER_H
#define OMPDD_OPENMP_INFER_H

#include <stdbool.h>
#include <stdint.h>

struct model;
struct snapshot;
struct target_activity;

/* Whether a thread that does @a sleeps in the runtime until a word changes; *@word_ret: that word. */
bool infer_sleeps_on(struct model *m, const struct target_activity *a, uint64_t *word_ret);

/* Whether a thread that does @a is in a routine that waits awake for an iteration of a doacross loop;
 * *@function_ret: where that begins. */
bool infer_spins(struct model *m, const struct target_activity *a, uint64_t *function_ret);

/* Fill what is unavailable in the threads of @s from their `activity`. Reads no target memory: the target may run
 * again. */
void infer_snapshot(struct model *m, struct snapshot *s);

#endif
