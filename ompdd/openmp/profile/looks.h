/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The looks of a profile at all OpenMP runtimes of a process at once (openmp/profile/look), each thread counted once:
 * as of the runtime in a region of which it is.
 */
#ifndef OMPDD_OPENMP_PROFILE_LOOKS_H
#define OMPDD_OPENMP_PROFILE_LOOKS_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/runtimes.h"
#include "openmp/profile/look.h"

struct looks {
	struct tally *tally;
	struct perf *perf;
	struct error *perf_refused; /* why some threads have none; NULL */
	struct look *of[RUNTIMES_MAX];
	size_t n;
	struct runtimes *runtimes; /* of the last look; NULL: there was none */
	uint64_t listed_us;	   /* when threads were listed */
	size_t counted;		   /* and how many the kernel counted then */
	size_t n_modules;	   /* when runtimes were looked for */
	size_t n_looks;
	bool is_begun; /* the view of the next look, by looks_read_ahead() */
	/*
	 * The target stands while a look reads it, and is let go with @let_go, for stacks of running threads where the
	 * kernel samples none; NULL: it runs on.
	 */
	struct error *(*let_go)(void *arg);
	void *let_go_arg;
	/* Of runtimes that could not be read, while others were. */
	uint64_t failed;
	uint64_t torn, lost, no_stacks; /* of those that have ended: looks_torn() and so on */
};

/* @period_us: between looks, and of a thread's processor time between the kernel's samples. */
MUST_USE struct error *looks_init(struct looks *ls, struct tally *tally, unsigned period_us);
/* There will be no more: free what only those need. */
void looks_end(struct looks *ls);
void looks_deinit(struct looks *ls);

/*
 * Right before looks_take(), but not while the target stands: begin the view with what the last look has asked for, if
 * that may be the same. It is to be the first that a look does. The others go on meanwhile, but not who had the
 * processor that this process has taken: what is read late has more of waiting threads than there is.
 */
void looks_read_ahead(struct looks *ls, struct runtimes *r, uint64_t t_us);

/*
 * Look, in a view that is begun here or by looks_read_ahead(); the main runtime is selected then. @t_us: since the
 * profile began; @us: what each sample stands for. Errors are those of walk_snapshot(), if no runtime could be read;
 * then nothing was added.
 */
MUST_USE struct error *looks_take(struct looks *ls, struct runtimes *r, unsigned timeout_ms, uint64_t t_us,
				  uint64_t us);

/* Count what still waits for a stack as what has none. */
void looks_settle(struct looks *ls, uint64_t t_us);

/* A running thread's state or stack is wanted, so the kernel is to sample. */
bool looks_want_stacks(const struct looks *ls);
/* Of all looks: at a thread that went on meanwhile, so that its stack was not used; the kernel's samples that did not
 * fit into its buffers; samples of threads whose stack could not be had. */
uint64_t looks_torn(const struct looks *ls);
uint64_t looks_lost(const struct looks *ls);
uint64_t looks_no_stacks(const struct looks *ls);

/* Part of looks_take(): leave each thread to one of the runtimes that know it, the main one, @main, before others. */
void looks_part_threads(struct looks *ls, size_t main);

#endif
