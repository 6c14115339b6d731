/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Python's GIL as a lock with a holder. Threads wait for it in slices of 5 ms. Such a thread consumes next to no CPU
 * and never sleeps for long: it polls. It is proven to wait by the word that it sleeps on, which is a member of the
 * GIL. A thread between two slices is proven to wait by its stack: it is in the routine that takes the GIL.
 */
#ifndef OMPDD_OPENMP_PYTHON_GIL_H
#define OMPDD_OPENMP_PYTHON_GIL_H

#include "openmp/stacks/stacks.h"
#include "target/target.h"

/*
 * Sets `gil` and `gil_holder` of the threads of @s that call Python while another thread of @s holds the GIL. Sets
 * `gil_is_proven` for those that sleep on a member of the GIL. Call it within the view of @s, after the `activity` of
 * the threads is filled in.
 */
void python_gil_find(struct target *t, struct snapshot *s);
/*
 * Keeps only the proven waits. @st was taken with the snapshot @s. @is_consistent: all of @s is of one moment; else no
 * stack proves that the GIL was held at its moment.
 */
void python_gil_prove(struct stacks *st, struct snapshot *s, bool is_consistent);

#endif
