/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start and the end of regions: parallel, nested initial (target, teams), and of a root thread. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_REGION_H
#define OMPDD_RUNTIME_CORE_TEAM_REGION_H

#include "core/state/task.h"

struct workshare_setup;

#define TEAM_BIND_MASK 7 /* of team_begin(): omp_proc_bind_t of a proc_bind clause; 0: none */

/*
 * Starts a parallel region: a team of @n_threads, whose other members execute @fn(@data) at once. The caller becomes
 * member 0, in state work_parallel, and calls @fn itself after the return. @first: the worksharing construct of a
 * combined parallel loop, for loop_begin_region(); NULL: none. @reductions: see core/task/reduction.
 */
struct team *team_begin(struct thread *t, void (*fn)(void *), void *data, uint32_t n_threads, uint32_t flags,
			struct site site, const struct workshare_setup *first, void *reductions);
/* The implicit barrier at the end. The caller is the encountering task again. */
void team_end(struct thread *t);

/*
 * A target region on the host (core/team/target), or a team of a league (core/team/league). @t executes an initial
 * task, in an implicit region of level 0, with @icv except @thread_limit (0: as in @icv). After the end it is the
 * encountering task again.
 */
void team_begin_nested_initial(struct thread *t, void (*fn)(void *), void *data, const struct icv *icv,
			       uint32_t thread_limit, struct site site);
void team_end_nested_initial(struct thread *t);
/* The implicit region of a root thread, with its initial task. */
void team_begin_initial(struct thread *t);
void team_end_initial(struct thread *t);

#endif
