/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which members of a team work while the others wait at a barrier, or are idle: the causes of imbalance and of serial
 * time. Each sampling is judged as a whole, from the states of all threads in it.
 */
#ifndef OMPDD_OPENMP_LAGS_H
#define OMPDD_OPENMP_LAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/sampling/profile_state.h"

#define LAGS_MAX_ROWS	 256
#define LAGS_MAX_WORKERS 16

/* A place in the program; texts are numbers of tally.texts. */
struct tally_place {
	uint32_t function, file;
	int32_t line; /* 0: not known */
};

/* Where threads wait. */
enum lag_kind {
	LAG_IDLE,	/* outside of regions: in the pool */
	LAG_REGION_END, /* at the end of a region */
	LAG_BARRIER,	/* at another barrier, or at an unknown one */
};

/* The state of one thread in a sampling. */
struct lag_sample {
	unsigned runtime;
	uint32_t team;	 /* number of its region in this sampling; ignored outside of regions */
	uint32_t region; /* number of the tally's row */
	bool is_outside;
	int64_t thread_num; /* -1: not known */
	enum profile_state state;
	bool is_awake;	       /* it waits and uses a CPU */
	bool is_end;	       /* it waits at the end of the region */
	long syscall;	       /* PROFILE_ASLEEP: the call */
	struct tally_place at; /* function 0: not known */
	uint64_t us;
};

/* A member that did not wait while others waited. */
struct lag_worker {
	int64_t thread_num;
	enum profile_state state; /* work, serial or asleep */
	long syscall;
	struct tally_place at; /* the line is that of the first sample in this function */
	uint64_t us;	       /* time of waiting threads, divided by the number of workers */
};

struct lag_row {
	uint32_t region;
	enum lag_kind kind;
	struct tally_place at; /* of LAG_BARRIER; function 0: not known */
	uint64_t wait_us;      /* time of waiting threads */
	uint64_t awake_us;     /* of it, with use of a CPU */
	uint64_t lone_us;      /* of it, while exactly one member worked */
	uint64_t few_us;       /* of it, while some members worked, at most half of the team */
	uint64_t all_wait_us;  /* of it, while all members waited or were in the runtime's own code */
	uint32_t max_waiters;
	struct lag_worker workers[LAGS_MAX_WORKERS];
	uint32_t n_workers;
	uint64_t other_us; /* of workers without a row */
};

/* All zeroes: no sample was added. */
struct lags {
	struct lag_row *rows;
	uint32_t n_rows;
	uint64_t refused_us; /* of waits without a row */
	/*
	 * Time of all threads of a runtime in samplings that show the state of each, and the part of it in which none
	 * works: all wait, are idle, or are in the runtime's own code.
	 */
	uint64_t judged_us, idle_us;
	struct lag_sample *samples;
	size_t n_samples, cap_samples;
	/* Sums over the samplings with threads in parallel regions: their teams, and the threads of these teams. */
	uint64_t n_region_samplings, teams, team_threads;
};

/* Adds the state of one thread in the present sampling. Without memory the sample is ignored. */
void lags_add(struct lags *l, const struct lag_sample *sample);
/* Judges the present sampling, and starts the next one. */
void lags_end(struct lags *l);
void lags_deinit(struct lags *l);

#endif
