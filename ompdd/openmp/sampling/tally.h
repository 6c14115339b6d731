/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sums of samples: time by region, lock, task and thread, the tree of stacks and a timeline of each thread. The size is
 * bounded for any target. Samples that find no room are counted as such.
 */
#ifndef OMPDD_OPENMP_PROFILE_TALLY_H
#define OMPDD_OPENMP_PROFILE_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/sampling/lags.h"
#include "openmp/sampling/profile_state.h"
#include "openmp/sampling/stack_tree.h"
#include "openmp/sampling/texts.h"
#include "openmp/sampling/timeline.h"

#define TALLY_MAX_REGIONS 1024
#define TALLY_MAX_LOCKS	  1024
#define TALLY_MAX_TASKS	  1024
#define TALLY_MAX_THREADS 8192
/* Limit for one region, by thread number. Members with higher numbers do not count in its imbalance. */
#define TALLY_MAX_MEMBERS 4096
/* Limit for all regions together. */
#define TALLY_MAX_ALL_MEMBERS (256u << 10)
/* Limit for the places where threads wait for one lock. */
#define TALLY_MAX_PLACES 8
/* Limit for all threads' timelines together. */
#define TALLY_MAX_TIMELINES 2048

/* No region, lock or task, or no room for it. */
#define TALLY_NONE UINT32_MAX

bool tally_is_same_place(const struct tally_place *a, const struct tally_place *b);

struct tally_region {
	unsigned runtime;	  /* its number in the process */
	uint64_t key;		  /* address of the region's function; 0: not known */
	int64_t level;		  /* -1: not known */
	bool is_outside;	  /* outside of all parallel regions: idle or serial */
	bool is_inferred;	  /* the function is inferred */
	struct tally_place place; /* of the function */
	uint64_t state_us[PROFILE_N_STATES];
	uint64_t awake_us; /* of waiting and idle threads that used a CPU, or were ready for one */
	uint64_t samples;
	uint32_t max_threads; /* most threads that one sampling has seen in it */
	int64_t max_team_size;
	bool has_calls;
	uint64_t calls;	   /* number of starts (openmp/sampling/region_calls) */
	uint64_t *work_us; /* by thread number */
	uint32_t n_members;
	uint32_t threads_now; /* in the present sampling */
};

struct tally_lock {
	uint64_t address;
	enum profile_state state;
	uint32_t name;	 /* the variable; TEXTS_NONE: no symbol covers the address */
	uint64_t offset; /* of the address in the variable */
	uint64_t wait_us;
	uint64_t samples;
	uint64_t samplings; /* in which a thread waited */
	uint32_t max_waiters;
	uint32_t waiters_now, waiters_proven; /* the latter at the moment of the sampling */
	struct {
		struct tally_place place;
		uint64_t wait_us;
	} places[TALLY_MAX_PLACES]; /* of the first waiting threads; time at later places is in other_us */
	uint32_t n_places;
	uint64_t other_us;
	/* The places of the holders while others waited. @holders_other_us: at further or unknown places. */
	struct {
		struct tally_place place;
		bool is_inferred;
		uint64_t us;
	} holders[TALLY_MAX_PLACES];
	uint32_t n_holders;
	uint64_t holders_other_us;
};

struct tally_task {
	uint64_t key; /* address of its function */
	struct tally_place place;
	uint64_t run_us;  /* executing */
	uint64_t wait_us; /* started, and waiting */
	uint64_t samples;
	uint32_t max_running;
	uint32_t running_now;
};

struct tally_thread {
	pid_t tid;
	int64_t thread_num; /* of the last sample; -1: not known */
	uint64_t state_us[PROFILE_N_STATES];
	uint64_t awake_us; /* as in tally_region */
	struct timeline timeline;
	uint64_t seen; /* number of the last sampling that saw it */
};

struct tally {
	bool keeps_stacks, keeps_timeline;
	bool has_several; /* several runtimes */
	struct texts texts;
	struct stack_tree tree;
	struct tally_region *regions;
	struct tally_lock *locks;
	struct tally_task *tasks;
	struct tally_thread *threads; /* in order of tid */
	uint32_t n_regions, n_locks, n_tasks, n_threads, cap_threads, n_timelines, n_all_members;
	size_t found; /* index of the last thread found */
	uint64_t state_us[PROFILE_N_STATES];
	uint64_t awake_us; /* as in tally_region */
	uint64_t fault_us; /* of threads that slept in a page fault; also in the state work or serial */
	/* The kernel's samples of running threads, one per period of CPU time; and those of waiting or idle threads. */
	uint64_t cpu_samples, cpu_wait_samples;
	struct lags lags;
	uint64_t samplings;
	uint64_t samples; /* of one thread each */
	/* Samples that found no room for their region, lock, task or thread. */
	uint64_t refused_regions, refused_locks, refused_tasks, refused_threads;
};

struct tally_sample {
	pid_t tid;
	int64_t thread_num; /* -1: not known */
	enum profile_state state;
	bool is_awake;		     /* it waits or is idle, and uses a CPU or is ready for one */
	bool is_in_fault;	     /* it sleeps in a page fault */
	bool is_older;		     /* its state is of an earlier moment than that of other samples */
	uint32_t n_late;	     /* number of samples from earlier samplings; 0: the sample is of this one */
	uint32_t region, lock, task; /* TALLY_NONE: no such object, or not known */
	struct tally_place at;	     /* the place of user code: its call into the runtime, or its present line */
};

MUST_USE bool tally_init(struct tally *t, bool keeps_stacks, bool keeps_timeline);
void tally_deinit(struct tally *t);

/* Return numbers for samples, created at the first use. *@is_new_ret: the caller must fill in place and name. */
uint32_t tally_region(struct tally *t, unsigned runtime, uint64_t key, int64_t level, bool is_outside,
		      bool *is_new_ret);
uint32_t tally_lock(struct tally *t, uint64_t address, enum profile_state state, bool *is_new_ret);
uint32_t tally_task(struct tally *t, uint64_t key, bool *is_new_ret);

/*
 * Bracket one sampling of all threads: begin, a sample for each thread, end. @t_us: since the profile started; @us: the
 * time that each sample represents.
 */
void tally_begin(struct tally *t);
void tally_add(struct tally *t, const struct tally_sample *s, uint64_t t_us, uint64_t us);
void tally_end(struct tally *t, uint64_t t_us);
/* Notes that the holder of lock @lock is at @at in this sampling; @at->function 0: the place is not known. */
void tally_holder(struct tally *t, uint32_t lock, const struct tally_place *at, bool is_inferred, uint64_t us);
/* Marks the state of all threads as unknown until the next sampling. */
void tally_pause(struct tally *t, uint64_t t_us);

/* Computes the largest over the mean of the members' work. Returns false if less than two of them have worked. */
bool tally_imbalance(const struct tally_region *r, double *ret);

#endif
