/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which CPUs there are, which of them we may use, and how they lie together. Called by core/places and core/icv. */
#ifndef OMPDD_RUNTIME_OS_CPUS_H
#define OMPDD_RUNTIME_OS_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct cpus {
	cpu_set_t *set; /* owned; NULL: unknown */
	size_t size;	/* bytes of @set */
	int count;	/* CPUs in it */
};

/* Those that the process may run on, at its start. Read once; borrowed. */
const struct cpus *cpus_initial(void);
/* Those that the calling thread may run on now: omp_get_num_procs(). At least 1. */
int cpus_available(void);
/* The siblings of @cpu by /sys: "core", "package" (a socket), "die", "llc" (last-level cache), "node". False: not known. */
bool cpus_siblings(int cpu, const char *level, cpu_set_t *ret, size_t size);

#endif
