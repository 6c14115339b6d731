/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reports whether a thread has moved, without a stop: its CPU time, how often it got a CPU, and where it sleeps. Two
 * pulses, a moment apart, distinguish a hanging thread from a slow one.
 */
#ifndef OMPDD_TARGET_PULSE_H
#define OMPDD_TARGET_PULSE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/target.h"

struct target_pulse {
	bool known;			 /* false: the thread is gone, the kernel reports nothing, or there is no
					  * process */
	bool is_asleep;			 /* neither on a CPU nor waiting for one */
	uint64_t cpu_ns;		 /* CPU time since its start */
	uint64_t n_runs;		 /* how often it got a CPU */
	struct target_activity activity; /* where it sleeps; known only while it sleeps */
};

/* Read the pulse of @tid. It is not part of a view: the target runs, unless it is held. Never fails. */
void target_pulse(struct target *t, pid_t tid, struct target_pulse *ret);

/*
 * Return whether the thread slept in one place all the time from @before to @after. False also if a pulse is unknown.
 */
bool target_pulse_slept(const struct target_pulse *before, const struct target_pulse *after);

/*
 * Return whether all threads of the process are frozen with their control group (target/group.h). Store the path of the
 * main thread's group in @group, of GROUP_MAX bytes.
 */
bool target_is_frozen(struct target *t, char *group);

/* Return how many CPUs the process's main thread may use; 0: unknown. */
unsigned target_cpus(struct target *t);

#endif
