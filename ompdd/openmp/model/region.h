/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Who is in one parallel region, asked of the OMPD library while the target is stopped: what steps into and out of
 * regions need at each of their stops.
 */
#ifndef OMPDD_OPENMP_REGION_H
#define OMPDD_OPENMP_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct model;

/*
 * Which of @tids are in the innermost region of @tid, and how many threads its team has (*@size_ret; 0: not known).
 * Threads of the team that have not run yet are not known to every library, but each knows the thread that executes the
 * region's function. Errors: those of model_need_plugin() and model_open(), the library's code for @tid.
 */
MUST_USE struct error *region_members(struct model *m, unsigned timeout_ms, pid_t tid, const pid_t *tids, size_t n,
				      bool *is_member, int64_t *size_ret);

/* The function that @tid's innermost task executes, or will: with OMPD's events that of a region about to begin. Errors
 * as above. */
MUST_USE struct error *region_function(struct model *m, unsigned timeout_ms, pid_t tid, uint64_t *ret);

/* Where one thread is, as the library says; a code of OMPD for each. */
struct region_position {
	int thread_num_rc, level_rc, function_rc;
	int64_t thread_num, level;
	uint64_t function; /* of its innermost region */
};

/* The library is there and can be asked; those errors otherwise. */
MUST_USE struct error *region_can_tell(struct model *m, unsigned timeout_ms);

/* All that is known of @tid's position, which must stand, the others need not. Errors as above: then nothing is. */
MUST_USE struct error *region_position(struct model *m, unsigned timeout_ms, pid_t tid, struct region_position *ret);

struct region_encounter {
	pid_t tid;	/* the thread that encountered the region */
	unsigned depth; /* so many regions further in it is by now */
	unsigned n_met; /* so many it has encountered from that one outward, without one between that another thread has
			 */
	uint64_t cfa;	/* of the call by which it entered the runtime, its stack pointer behind that; 0: not known */
};

/*
 * How the innermost region of @tid was encountered. ERR_STEP_IMPOSSIBLE: @tid is in no region but the initial one, or
 * that thread is not known; else as above.
 */
MUST_USE struct error *region_encountering(struct model *m, unsigned timeout_ms, pid_t tid,
					   struct region_encounter *ret);

#endif
