/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The members of one parallel region, asked of the OMPD library while the target is stopped. Steps into and out of
 * regions need them at each stop.
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
 * Finds which of @tids are in the innermost region of @tid, and the size of its team (*@size_ret; 0: not known). Some
 * libraries do not know team threads that have not run yet. All know the thread that executes the region's function.
 * Errors: those of model_need_plugin() and model_open(), the library's code for @tid.
 */
MUST_USE struct error *region_members(struct model *m, unsigned timeout_ms, pid_t tid, const pid_t *tids, size_t n,
				      bool *is_member, int64_t *size_ret);

/*
 * Finds the function of @tid's innermost region. At ompd_bp_parallel_begin this is the region about to start. Errors as
 * above.
 */
MUST_USE struct error *region_function(struct model *m, unsigned timeout_ms, pid_t tid, uint64_t *ret);

/* The position of one thread, with one OMPD code for each value. */
struct region_position {
	int thread_num_rc, level_rc, function_rc, default_device_rc;
	int64_t thread_num, level;
	uint64_t function;	/* of its innermost region */
	int64_t default_device; /* default-device-var of its current task */
};

/* Checks that the library is present and can be asked. Errors as above. */
MUST_USE struct error *region_can_tell(struct model *m, unsigned timeout_ms);

/* Reads the position of @tid. Only @tid must be stopped. On an error, which is as above, no value is valid. */
MUST_USE struct error *region_position(struct model *m, unsigned timeout_ms, pid_t tid, struct region_position *ret);

struct region_encounter {
	pid_t tid;	/* the thread that encountered the region */
	unsigned depth; /* number of regions that it is further in by now */
	unsigned n_met; /* number of consecutive regions, from this one outward, that it encountered itself */
	uint64_t cfa;	/* stack pointer after the call by which it entered the runtime; 0: not known */
};

/*
 * Finds how the innermost region of @tid was encountered. ERR_STEP_IMPOSSIBLE: @tid is in no region but the initial
 * one, or the encountering thread is not known. Other errors as above.
 */
MUST_USE struct error *region_encountering(struct model *m, unsigned timeout_ms, pid_t tid,
					   struct region_encounter *ret);

#endif
