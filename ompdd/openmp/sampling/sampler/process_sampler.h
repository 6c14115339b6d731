/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples all OpenMP runtimes of a process at once (openmp/sampling/sampler/runtime_sampler). Each thread is counted
 * once, for the runtime whose region it is in.
 */
#ifndef OMPDD_OPENMP_SAMPLING_PROCESS_SAMPLER_H
#define OMPDD_OPENMP_SAMPLING_PROCESS_SAMPLER_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/runtimes.h"
#include "openmp/sampling/sampler/runtime_sampler.h"

struct process_sampler {
	struct tally *tally;
	struct perf *perf;
	struct error *perf_refused; /* why some threads have no kernel samples; NULL */
	struct runtime_sampler *of[RUNTIMES_MAX];
	size_t n;
	struct runtimes *runtimes; /* of the last sampling; NULL: none yet */
	uint64_t listed_us;	   /* time of the last list of threads */
	size_t counted;		   /* the kernel's number of threads then */
	size_t n_modules;	   /* number of modules at the last search for runtimes */
	size_t n_samplings;
	bool is_begun; /* process_sampler_read_ahead() has started the view of the next sampling */
	/*
	 * If set, the target is stopped while a sampling reads it, and resumed with this function. That gives stacks of
	 * running threads where the kernel cannot sample. NULL: the target runs on.
	 */
	struct error *(*resume)(void *arg);
	void *resume_arg;
	/* Reads of single runtimes that failed while others succeeded. */
	uint64_t failed;
	uint64_t torn, lost, no_stacks; /* of runtimes that have ended: process_sampler_torn() and so on */
};

/* Initializes @ls. @period_us: time between samplings, and processor time of a thread between the kernel's samples. */
MUST_USE struct error *process_sampler_init(struct process_sampler *ls, struct tally *tally, unsigned period_us);
/* Ends the samplings: frees the data that only they need. */
void process_sampler_end(struct process_sampler *ls);
void process_sampler_deinit(struct process_sampler *ls);

/*
 * Starts the view with the data that the last sampling requested, if that may be the same. Call it right before
 * process_sampler_take(), but not while the target is stopped. This read must be the first of a sampling. Meanwhile
 * other threads run, but not the thread whose processor this process took. So a late read would count too many waiting
 * threads.
 */
void process_sampler_read_ahead(struct process_sampler *ls, struct runtimes *r, uint64_t t_us);

/*
 * Takes a sampling in a view that starts here or in process_sampler_read_ahead(). Then the main runtime is selected.
 * @t_us: since the profile started; @us: the time that each sample represents. Returns the errors of walk_snapshot() if
 * no runtime could be read; then nothing was added.
 */
MUST_USE struct error *process_sampler_take(struct process_sampler *ls, struct runtimes *r, unsigned timeout_ms,
					    uint64_t t_us, uint64_t us);

/* Counts the samples that still wait for a stack as samples without a stack. */
void process_sampler_settle(struct process_sampler *ls, uint64_t t_us);

/* Returns whether a running thread's state or stack is needed, so that the kernel must sample. */
bool process_sampler_wants_stacks(const struct process_sampler *ls);
/*
 * Return sums over all samplings. torn: threads that ran meanwhile, so that their stack was not used. lost: the
 * kernel's samples that did not fit into its buffers. no_stacks: samples of threads without a readable stack.
 */
uint64_t process_sampler_torn(const struct process_sampler *ls);
uint64_t process_sampler_lost(const struct process_sampler *ls);
uint64_t process_sampler_no_stacks(const struct process_sampler *ls);

/* Part of process_sampler_take(): assigns each thread to one of the runtimes that know it, with the main one, @main,
 * first. */
void process_sampler_assign_threads(struct process_sampler *ls, size_t main);

#endif
