/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whether a thread has moved: its CPU time, how often it was given a CPU, and where it sleeps, as the kernel tells them
 * without a stop. Two of them, a moment apart, tell a thread that hangs from one that is slow.
 */
#ifndef OMPDD_TARGET_PULSE_H
#define OMPDD_TARGET_PULSE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/target.h"

struct target_pulse {
	bool known;			 /* false: it is gone, the kernel does not tell, or there is no process */
	bool is_asleep;			 /* neither on a CPU nor ready for one */
	uint64_t cpu_ns;		 /* on a CPU since it began */
	uint64_t n_runs;		 /* so often was it given one */
	struct target_activity activity; /* where it sleeps; known only while it does */
};

/* Of @tid, now. Not part of a view: the target runs, unless it is held. Never fails. */
void target_pulse(struct target *t, pid_t tid, struct target_pulse *ret);

/* It slept from @before to @after, all the time and in one place. False also when one of them is not known. */
bool target_pulse_slept(const struct target_pulse *before, const struct target_pulse *after);

/* Whether all threads of a process are frozen with their control group (target/group.h); into @group, of GROUP_MAX
 * bytes, the path of the main thread's. */
bool target_is_frozen(struct target *t, char *group);

/* How many CPUs the process's main thread may use; 0: not known. */
unsigned target_cpus(struct target *t);

#endif
