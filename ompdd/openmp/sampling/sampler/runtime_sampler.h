/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples the OpenMP threads of one runtime of a running target: adds each thread's state and place to a tally.
 * openmp/sampling/sampler/process_sampler runs this for all runtimes at once. The target need not stop. States are read
 * from memory. Stacks come from the kernel for running threads (target/perf), and from memory for sleeping ones. A
 * thread that has slept since the last sampling is not read again.
 */
#ifndef OMPDD_OPENMP_SAMPLING_RUNTIME_SAMPLER_H
#define OMPDD_OPENMP_SAMPLING_RUNTIME_SAMPLER_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/walk/sample_walk.h"
#include "openmp/sampling/call_chain.h"
#include "openmp/sampling/memory_states.h"
#include "openmp/sampling/path.h"
#include "openmp/sampling/tally.h"
#include "target/unwind/perf.h"

struct model;

/* Limit for the kernel's samples of one thread that are used from between two samplings. */
#define RUNTIME_SAMPLER_MAX_SAMPLES 4

/* One thread, kept from sampling to sampling. */
struct sampled_thread {
	pid_t tid;
	struct target_activity activity;
	uint32_t asleep_runs;  /* perf_runs() when it was seen to sleep; 0: not known */
	uint32_t running_runs; /* when it was seen to run */
	struct sample_walk_known known;
	bool is_asleep;			/* in this sampling, or all the time since the sampling that saw it */
	bool is_fresh;			/* its activity was requested in this sampling */
	bool slept;			/* it was seen to sleep before this sampling, and has slept since */
	size_t asked_ahead;		/* the sampling for which its activity was requested in advance */
	uint64_t generation;		/* of the chains below */
	const struct call_chain *chain; /* the last stack that was seen; NULL */
	bool is_current;		/* `chain` is of the present sleep */
	const struct call_chain *samples[RUNTIME_SAMPLER_MAX_SAMPLES]; /* since the sampling before */
	uint32_t n_samples;
	/*
	 * Samples that wait for a matching stack, by state. Those of PROFILE_UNKNOWN wait for a stack that shows the
	 * state.
	 */
	struct pending_samples {
		uint64_t us;
		uint64_t since_us;
		uint32_t n; /* samples */
	} pending[PROFILE_N_STATES];
	uint32_t unknown_region;
	int64_t unknown_num;
	int rank; /* of its runtime in this sampling: the runtime with the highest rank counts the thread */
	bool has_region;
	uint32_t last_region; /* the tally's region in which it was seen last */
};

struct runtime_sampler {
	struct tally *tally;
	struct perf *perf; /* of all runtimes; borrowed */
	unsigned runtime;  /* its number in the process */
	struct call_chains *chains;
	struct paths paths;
	struct memory_states memory_states; /* the states that memory shows of running threads */
	struct sampled_thread *threads;	    /* of the process, in order of tid; the same for all runtimes */
	size_t n_threads;
	size_t found;	 /* index of the last thread found */
	struct model *m; /* of the last sampling */
	size_t n_samplings;
	bool wants_stacks;
	bool wants_holds;    /* threads wait for locks: their stacks must show the holders */
	uint64_t generation; /* of the chains, at the start of the sampling */
	struct snapshot s;   /* the data that the sampling has read */
	bool is_there;	     /* the data was readable */
	bool stands;	     /* the target was stopped during the read, for stacks that the kernel cannot sample */
	uint64_t sample_us;  /* the time that each sample represents */
	struct stack_copies copies; /* if stopped: of all OpenMP threads, in their order */
	/* Sums over all samplings. */
	uint64_t torn;	    /* threads that ran meanwhile: their stack was not used */
	uint64_t no_stacks; /* samples of threads without a readable stack */
};

/* The client of the samplings' handles. No connection has this number. */
#define RUNTIME_SAMPLER_CLIENT (-2)

/* Initializes @l for runtime number @runtime. @perf watches the listed threads. */
MUST_USE struct error *runtime_sampler_init(struct runtime_sampler *l, struct tally *tally, struct perf *perf,
					    unsigned runtime);
void runtime_sampler_deinit(struct runtime_sampler *l);

/*
 * The steps of a sampling. @m must be selected (model_select()) until runtime_sampler_read(). Handles of the sampling
 * before become invalid. With @all those of threads do, too: then the sampling owns no handle.
 */
void runtime_sampler_forget_handles(struct runtime_sampler *l, bool all);
void runtime_sampler_begin(struct runtime_sampler *l, struct model *m);
/* Requests, in the started view, the activity of the threads that the last sampling requested. */
void runtime_sampler_read_ahead(struct runtime_sampler *l);
/* Sets the present threads, sorted, and keeps their known data. Returns false if memory is out. */
MUST_USE bool runtime_sampler_list(struct runtime_sampler *l, const pid_t *tids, size_t n);
/* Fills l->s. Errors are those of walk_snapshot(). */
MUST_USE struct error *runtime_sampler_read(struct runtime_sampler *l, unsigned timeout_ms);
/* Copies the stacks of the threads of l->s while the target is stopped.
 * openmp/sampling/sampler/runtime_sampler_stacks.c */
MUST_USE struct error *runtime_sampler_copy(struct runtime_sampler *l);
/*
 * Adds l->s to the tally, between tally_begin() and tally_end(). Only threads with `openmp` set in l->s count. @t_us:
 * since the profile started; @us: the time that each sample represents.
 */
MUST_USE struct error *runtime_sampler_add(struct runtime_sampler *l, uint64_t t_us, uint64_t us);

/* Parts of runtime_sampler_add(). Returns the thread @tid, or NULL. */
struct sampled_thread *runtime_sampler_find_thread(struct runtime_sampler *l, pid_t tid);
/* Implements sample_walk.known for a sampling, @arg. */
struct sample_walk_known *runtime_sampler_get_known(void *arg, const struct snapshot_thread *thread, bool *slept_ret);
/* Takes the chains and samples of the threads of @s. openmp/sampling/sampler/runtime_sampler_stacks.c */
void runtime_sampler_take_stacks(struct runtime_sampler *l, const struct snapshot *s);
/* Adds the places of the holders that block threads of @s. openmp/sampling/sampler/runtime_sampler_holders.c */
void runtime_sampler_add_holders(struct runtime_sampler *l, const struct snapshot *s, uint64_t us);

/* Samples that wait for a stack; also parts of runtime_sampler_add(). openmp/sampling/sampler/runtime_sampler_pending.c
 */

/* Makes a sample of @t in @state wait. With PROFILE_UNKNOWN it waits for a stack that shows the state. */
void runtime_sampler_add_pending(struct sampled_thread *t, enum profile_state state, uint64_t t_us, uint64_t us);
/* Adds a sample to @node of the tree. */
void runtime_sampler_add_to_tree(struct runtime_sampler *l, uint32_t node, enum profile_state state, uint64_t us);
/* Assigns the waiting samples to the new stacks of @t, thread number @i of the snapshot. */
void runtime_sampler_assign_pending(struct runtime_sampler *l, uint32_t i, struct sampled_thread *t);
/* Counts samples whose state and lock have just become known, or stay unknown. */
void runtime_sampler_add_unknown(struct runtime_sampler *l, struct sampled_thread *t, enum profile_state state,
				 uint32_t lock, uint64_t t_us);
/* Gives up samples that have waited since before @before_us. */
void runtime_sampler_drop_pending(struct runtime_sampler *l, struct sampled_thread *t, uint64_t t_us,
				  uint64_t before_us);

/* Counts the samples that still wait for a stack as samples without a stack. */
void runtime_sampler_settle(struct runtime_sampler *l, uint64_t t_us);

#endif
