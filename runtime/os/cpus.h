/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which CPUs there are, which of them we may use, and how they lie together. */
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
/*
 * Those that the calling thread may run on now; the set has the kernel's size, so it says which CPUs there can be. The
 * caller frees it; NULL: not known, and count is 1.
 */
void cpus_read(struct cpus *ret);
/* Have the kernel put the calling thread on another CPU that it may run on; afterwards it may run on the same as
 * before. */
void cpus_move(void);
/* How many they are: omp_get_num_procs(). At least 1. */
int cpus_available(void);
/* "0-3,8,10-11", as /sys writes it, added to @ret. False: it has not that form, or names no CPU that fits. */
bool cpus_parse_list(const char *text, cpu_set_t *ret, size_t size);
/* The siblings of @cpu by /sys: "core", "package" (a socket), "die", "llc" (last-level cache), "node". False: not
 * known. */
bool cpus_siblings(int cpu, const char *level, cpu_set_t *ret, size_t size);

#endif
