/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * States and wait ids that the library cannot tell, concluded from what the process itself shows: the
 * futex that a thread sleeps on, the code it is in. For stock libgomp; marked as inferred.
 */
#ifndef OMPDD_OPENMP_INFER_H
#define OMPDD_OPENMP_INFER_H

struct model;
struct snapshot;

/* Fill what is unavailable in the threads of @s from their `activity`. Reads no target memory: the target may run again. */
void infer_snapshot(struct model *m, struct snapshot *s);

#endif
