/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile of a worker's target. A timer of its own takes samples between the requests, until the profile ends. */
#ifndef OMPDD_WORKER_SAMPLER_H
#define OMPDD_WORKER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/sampling/kernel_times.h"
#include "openmp/sampling/region_calls.h"
#include "openmp/sampling/sampler/process_sampler.h"
#include "openmp/sampling/tally.h"

struct worker;

/* In the order of the protocol's profile_end. */
enum sampler_end {
	SAMPLER_STOPPED,      /* by profile.stop */
	SAMPLER_EXITED,	      /* the target has exited */
	SAMPLER_EXEC,	      /* the target runs another program */
	SAMPLER_DURATION,     /* the requested duration is over */
	SAMPLER_DISCONNECTED, /* the connection that started it is closed */
	SAMPLER_FAILED,	      /* sampler.why has the error */
	SAMPLER_RECORDING,    /* not ended */
};

struct sampler_options {
	unsigned rate_hz;
	unsigned max_overhead_permille;
	unsigned duration_s;
	bool keeps_stacks, keeps_timeline;
	bool keep; /* continue after the connection that started it is closed */
};

struct sampler {
	struct sampler_options options;
	int64_t client; /* the connection that started it */
	struct tally tally;
	struct process_sampler process;
	struct region_calls calls;
	struct kernel_times before, after; /* at the start, and at the end or the last sampler_read_times() */
	int fd;				   /* the timer; -1 after the end */
	enum sampler_end end;
	struct error *why;
	int64_t begun_unix_us;
	int64_t begun_us, ended_us; /* clock_now_us() */
	int64_t last_us;	    /* time of the previous sample, or of the end of a pause */
	int64_t period_us;	    /* the present period */
	uint64_t missed;	    /* samples skipped because they were late */
	uint64_t failed;	    /* samples without a usable result */
	uint64_t held_us;	    /* time in which the target was held stopped and not sampled */
	uint64_t stopped_us;	    /* time in which the target was stopped for samples */
	int64_t took_us;	    /* average processor time of a sample */
	int64_t stop_us;	    /* average length of such a stop */
	uint64_t cpu_us;	    /* processor time of this process for samples */
	uint64_t seed;
};

/*
 * Start a profile; a finished one is dropped. ERR_PROFILE_RUNNING, ERR_LIMIT_EXCEEDED, ERR_MODE_UNSUPPORTED (a core).
 */
MUST_USE struct error *sampler_start(struct worker *w, const struct sampler_options *options);
/* Return the descriptor for poll(): readable when sampler_tick() is due. -1: no profile is running. */
int sampler_fd(const struct worker *w);
/*
 * Return whether samples stop the target. They do if the kernel gives no stacks of running threads and stops are
 * allowed.
 */
bool sampler_stops(const struct worker *w);
void sampler_tick(struct worker *w);
/* End the recording if it is running. The recorded data stay. */
void sampler_finish(struct worker *w, enum sampler_end end);
/* Update the tally's counts of started regions, to the present or to the end of the recording. */
void sampler_count_calls(struct worker *w);
/*
 * Read the kernel's counters of the threads into `after`, if the recording is running. They are unknown if the target
 * has ended.
 */
void sampler_read_times(struct worker *w);
void sampler_client_gone(struct worker *w, int64_t client);
void sampler_destroy(struct sampler *s);

#endif
