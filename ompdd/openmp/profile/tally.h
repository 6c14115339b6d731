/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What samples add up to: time by region, lock, task and thread, the tree of stacks and a timeline of each thread.
 * Bounded whatever the target does: what there is no room for is counted as that.
 */
#ifndef OMPDD_OPENMP_PROFILE_TALLY_H
#define OMPDD_OPENMP_PROFILE_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/profile/profile_state.h"
#include "openmp/profile/stack_tree.h"
#include "openmp/profile/texts.h"
#include "openmp/profile/timeline.h"

#define TALLY_MAX_REGIONS 1024
#define TALLY_MAX_LOCKS	  1024
#define TALLY_MAX_TASKS	  1024
#define TALLY_MAX_THREADS 8192
/* Of one region, by thread number; members with higher numbers have no part in its imbalance. */
#define TALLY_MAX_MEMBERS 4096
/* Of all regions together. */
#define TALLY_MAX_ALL_MEMBERS (256u << 10)
/* Where a lock is waited for. */
#define TALLY_MAX_PLACES 8
/* Of all threads' timelines together. */
#define TALLY_MAX_TIMELINES 2048

/* No region, lock or task, or no room for it. */
#define TALLY_NONE UINT32_MAX

/* A place in the program; texts are numbers of tally.texts. */
struct tally_place {
	uint32_t function, file;
	int32_t line; /* 0: not known */
};

bool tally_is_same_place(const struct tally_place *a, const struct tally_place *b);

struct tally_region {
	unsigned runtime;	  /* its number in the process */
	uint64_t key;		  /* address of its function; 0: not known */
	int64_t level;		  /* -1: not known */
	bool is_outside;	  /* of all parallel regions: what is idle or serial */
	bool is_inferred;	  /* the function */
	struct tally_place place; /* of the function */
	uint64_t state_us[PROFILE_N_STATES];
	uint64_t samples;
	uint32_t max_threads; /* that one sampling has seen in it */
	int64_t max_team_size;
	bool has_calls;
	uint64_t calls;	   /* how often it was begun (openmp/profile/region_calls) */
	uint64_t *work_us; /* by thread number */
	uint32_t n_members;
	uint32_t threads_now; /* in the sampling that goes on */
};

struct tally_lock {
	uint64_t address;
	enum profile_state state;
	uint32_t name;	 /* the variable; TEXTS_NONE: no symbol covers the address */
	uint64_t offset; /* of the address in the variable */
	uint64_t wait_us;
	uint64_t samples;
	uint64_t samplings; /* in which somebody waited */
	uint32_t max_waiters;
	uint32_t waiters_now, waiters_proven; /* the latter at the moment of the look */
	struct {
		struct tally_place place;
		uint64_t wait_us;
	} places[TALLY_MAX_PLACES]; /* those that waited first; who comes later is in other_us */
	uint32_t n_places;
	uint64_t other_us;
	/* Where those were that had it, while others waited; @holders_other_us: at further places, or it is not known.
	 */
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
	uint64_t wait_us; /* begun, and waiting for something */
	uint64_t samples;
	uint32_t max_running;
	uint32_t running_now;
};

struct tally_thread {
	pid_t tid;
	int64_t thread_num; /* the last; -1: not known */
	uint64_t state_us[PROFILE_N_STATES];
	struct timeline timeline;
	uint64_t seen; /* number of the last sampling that saw it */
};

struct tally {
	bool keeps_stacks, keeps_timeline;
	bool has_several; /* runtimes */
	struct texts texts;
	struct stack_tree tree;
	struct tally_region *regions;
	struct tally_lock *locks;
	struct tally_task *tasks;
	struct tally_thread *threads; /* in order of tid */
	uint32_t n_regions, n_locks, n_tasks, n_threads, cap_threads, n_timelines, n_all_members;
	size_t found; /* of the threads, the last time */
	uint64_t state_us[PROFILE_N_STATES];
	uint64_t samplings;
	uint64_t samples; /* of one thread each */
	/* Without a place of their own. */
	uint64_t refused_regions, refused_locks, refused_tasks, refused_threads;
};

struct tally_sample {
	pid_t tid;
	int64_t thread_num; /* -1: not known */
	enum profile_state state;
	bool is_older;		     /* its state is of an earlier moment than that of others */
	uint32_t n_late;	     /* not of this look, but so many of earlier ones; 0: of this one */
	uint32_t region, lock, task; /* TALLY_NONE: none, or not known */
	struct tally_place at;	     /* where user code entered the runtime, or stands */
};

MUST_USE bool tally_init(struct tally *t, bool keeps_stacks, bool keeps_timeline);
void tally_deinit(struct tally *t);

/* Numbers to be put into samples; made when first met. *@is_new_ret: its place and name are to be filled in. */
uint32_t tally_region(struct tally *t, unsigned runtime, uint64_t key, int64_t level, bool is_outside,
		      bool *is_new_ret);
uint32_t tally_lock(struct tally *t, uint64_t address, enum profile_state state, bool *is_new_ret);
uint32_t tally_task(struct tally *t, uint64_t key, bool *is_new_ret);

/* One look at all threads: begin, a sample for each thread, end. @t_us: since the profile began; each sample stands for
 * @us. */
void tally_begin(struct tally *t);
void tally_add(struct tally *t, const struct tally_sample *s, uint64_t t_us, uint64_t us);
void tally_end(struct tally *t, uint64_t t_us);
/* In this look, who has lock @lock is at @at; @at->function 0: that is not known. */
void tally_holder(struct tally *t, uint32_t lock, const struct tally_place *at, bool is_inferred, uint64_t us);
/* From now on until the next sampling nothing is known of any thread. */
void tally_pause(struct tally *t, uint64_t t_us);

/* Largest over mean of the members' work; false: less than two of them have worked. */
bool tally_imbalance(const struct tally_region *r, double *ret);

#endif
