/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile of a worker's target: looks at it by a timer of its own, between the requests, until it is to end. */
#ifndef OMPDD_WORKER_SAMPLER_H
#define OMPDD_WORKER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/profile/looks.h"
#include "openmp/profile/region_calls.h"
#include "openmp/profile/tally.h"

struct worker;

/* In the order of the protocol's profile_end. */
enum sampler_end {
	SAMPLER_STOPPED,      /* profile.stop */
	SAMPLER_EXITED,	      /* the target */
	SAMPLER_EXEC,	      /* it runs another program */
	SAMPLER_DURATION,     /* that was asked for is over */
	SAMPLER_DISCONNECTED, /* who has begun it is gone */
	SAMPLER_FAILED,	      /* sampler.why */
	SAMPLER_RECORDING,    /* it goes on */
};

struct sampler_options {
	unsigned rate_hz;
	unsigned max_overhead_permille;
	unsigned duration_s;
	bool keeps_stacks, keeps_timeline;
	bool keep; /* also when the connection that has begun it is gone */
};

struct sampler {
	struct sampler_options options;
	int64_t client; /* that has begun it */
	struct tally tally;
	struct looks looks;
	struct region_calls calls;
	int fd; /* the timer; -1 when it has ended */
	enum sampler_end end;
	struct error *why;
	int64_t begun_unix_us;
	int64_t begun_us, ended_us; /* of clock_now_us() */
	int64_t last_us;	    /* the look before, or the end of a pause */
	int64_t period_us;	    /* at present */
	uint64_t missed;	    /* looks that were too late to be made */
	uint64_t failed;	    /* looks that saw nothing of use */
	uint64_t held_us;	    /* the target was held stopped: not sampled */
	uint64_t stopped_us;	    /* the target, for looks */
	int64_t took_us;	    /* a look, of processor time, on average */
	int64_t stop_us;	    /* one such stop, on average */
	uint64_t cpu_us;	    /* of this process, for looks */
	uint64_t seed;
};

/* Begin; one that has ended is dropped. ERR_PROFILE_RUNNING, ERR_LIMIT_EXCEEDED, ERR_MODE_UNSUPPORTED (a core). */
MUST_USE struct error *sampler_start(struct worker *w, const struct sampler_options *options);
/* For poll(): readable when sampler_tick() is to be called; -1. */
int sampler_fd(const struct worker *w);
/* Whether looks stop the target: the kernel gives no stacks of running threads, and it may be stopped. */
bool sampler_stops(const struct worker *w);
void sampler_tick(struct worker *w);
/* End the recording if it goes on; what was recorded stays. */
void sampler_finish(struct worker *w, enum sampler_end end);
/* Have the tally say how often its regions were begun until now; when the recording has ended, until then. */
void sampler_count_calls(struct worker *w);
void sampler_client_gone(struct worker *w, int64_t client);
void sampler_destroy(struct sampler *s);

#endif
