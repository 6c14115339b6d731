/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The findings of diagnose.performance, on their way to JSON. Shared by performance*.c. */
#ifndef OMPDD_METHODS_PERFORMANCE_H
#define OMPDD_METHODS_PERFORMANCE_H

#include <json-c/json.h>

#include "methods/diagnose/diagnose.h"
#include "openmp/sampling/tally.h"
#include "target/process/numa.h"
#include "worker/sampler/sampler.h"

#define PERFORMANCE_MAX_FINDINGS 32
#define PERFORMANCE_MAX_CLAIMS	 8

/*
 * Least loss of a finding, in thousandths of the time of all threads. Below a tenth, the samples of three seconds are
 * not certain (about one point), and removing the cause gains little.
 */
#define PERFORMANCE_LEAST_LOSS 100

/* Samples are sparse below one in this many of the requested ones. */
#define PERFORMANCE_SPARSE_PART 3

struct performance_claim {
	struct sentence text;
	const char *source; /* "kernel", "samples" or "plugin" */
};

struct performance_finding {
	const char *kind; /* of the protocol */
	bool is_candidate;
	uint64_t lost_us; /* time of threads */
	struct sentence title, advice;
	struct performance_claim claims[PERFORMANCE_MAX_CLAIMS];
	size_t n_claims;
	struct tally_place place; /* function 0: none */
};

/* The kernel's counters of one thread, since the start of the recording. */
struct performance_thread {
	pid_t tid;
	uint64_t cpu_us, ready_us, major_faults;
	const struct target_cpus *cpus; /* NULL: not known */
};

struct performance {
	struct worker *w;
	const struct sampler *s;
	const struct tally *t;
	uint64_t elapsed_us; /* of the recording */
	uint64_t thread_us;  /* time of all samples */
	bool is_sparse;	     /* most samples were missed: ompdd lacked a CPU */
	bool has_counters;   /* the kernel's counters are known at both ends */
	struct performance_thread *threads;
	size_t n_threads;
	uint64_t cpu_us, ready_us, major_faults; /* of all threads */
	struct target_cpus cpus;		 /* of all threads together */
	unsigned n_cpus;			 /* 0: not known */
	bool is_throttled;			 /* the quota was used up */
	bool lacks_cpus;			 /* a finding on CPUs explains waits for threads without one */
	struct cgroup_quota quota;		 /* has_quota of both ends: the periods are those of the recording */
	bool has_quota, has_pressure;
	uint64_t pressure_us;
	struct numa numa; /* n_pages 0: it is not known where the memory is */
	struct performance_finding findings[PERFORMANCE_MAX_FINDINGS];
	size_t n_findings;
};

/*
 * Add a finding that lost @lost_us of the time of threads. Returns NULL if that is less than PERFORMANCE_LEAST_LOSS, or
 * there is no room.
 */
struct performance_finding *performance_add(struct performance *p, const char *kind, uint64_t lost_us);
/* Return the next claim of @f, empty, from @source. Beyond the limit, it is the last one again. */
struct sentence *performance_claim(struct performance_finding *f, const char *source);
/* Return @part in percent of @all, rounded. */
unsigned performance_percent(uint64_t part, uint64_t all);
/* Write "solve() at solve.c:40". Returns false if the place is not known. */
bool performance_place(const struct performance *p, const struct tally_place *place, struct sentence *ret);

/* Return whether the thread had a CPU, or was ready for one, for half of the time or more. */
bool performance_is_busy(const struct performance *p, const struct performance_thread *t);

/* performance_numa.c: add the finding on the memory's nodes. */
void performance_find_numa(struct performance *p);
/* performance_cpu.c: add the findings on CPUs and memory. They set lacks_cpus. */
void performance_find_cpu(struct performance *p);
/* performance_waits.c: add the findings on threads that wait for other threads. Call it after the former. */
void performance_find_waits(struct performance *p);

#endif
