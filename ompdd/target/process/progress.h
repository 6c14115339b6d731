/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reports whether a thread has moved, without a stop: its CPU time, how often it got a CPU, and where it sleeps. Two
 * readings, a moment apart, distinguish a hanging thread from a slow one.
 */
#ifndef OMPDD_TARGET_PROGRESS_H
#define OMPDD_TARGET_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/proc/cgroup.h"
#include "target/target.h"

struct target_progress {
	bool known;			 /* false: the thread is gone, the kernel reports nothing, or there is no
					  * process */
	bool is_asleep;			 /* neither on a CPU nor waiting for one */
	uint64_t cpu_ns;		 /* CPU time since its start */
	uint64_t ready_ns;		 /* time for which it was ready and had no CPU */
	uint64_t n_runs;		 /* how often it got a CPU */
	struct target_activity activity; /* where it sleeps; known only while it sleeps */
};

/* Read the progress of @tid. It is not part of a view: the target runs, unless it is held. Never fails. */
void target_progress(struct target *t, pid_t tid, struct target_progress *ret);

/*
 * Return whether the thread slept in one place all the time from @before to @after. False also if one is unknown.
 */
bool target_progress_slept(const struct target_progress *before, const struct target_progress *after);

/*
 * Return whether all threads of the process are frozen with their control group (target/proc/cgroup.h). Store the path
 * of the main thread's group in @group, of CGROUP_MAX_PATH bytes.
 */
bool target_is_frozen(struct target *t, char *group);

/* Store how many pages thread @tid had to wait for since its start. Return false if that is not known. */
bool target_thread_faults(struct target *t, pid_t tid, uint64_t *ret);

/* The CPUs that a thread may use. */
#define TARGET_MAX_CPUS 4096
struct target_cpus {
	uint64_t bits[TARGET_MAX_CPUS / 64];
};

/* Store the CPUs that thread @tid may use. Return false if they are not known. */
bool target_thread_cpus(struct target *t, pid_t tid, struct target_cpus *ret);
/*
 * Parse "ff,ffffffff", a mask in hexadecimal as the kernel writes it: the last digit is for the first CPUs. Return
 * false without digits, or if it is too long.
 */
bool target_cpus_parse(const char *mask, struct target_cpus *ret);
unsigned target_cpus_count(const struct target_cpus *cpus);
/* Return whether all CPUs of @cpus are in @of. */
bool target_cpus_are_in(const struct target_cpus *cpus, const struct target_cpus *of);

/* Store the use of the CPU quota of the process's control group. Return false if no quota is known. */
bool target_cpu_quota(struct target *t, struct cgroup_quota *ret);
/*
 * Store for how many microseconds some thread of the process's control group waited for memory (PSI), since the group's
 * start. Return false if the kernel does not report it.
 */
bool target_memory_pressure(struct target *t, uint64_t *us_ret);

#endif
