/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CPUs of the machine, the ones that this process may use, and how they are grouped. */
#ifndef OMPDD_RUNTIME_OS_CPUS_H
#define OMPDD_RUNTIME_OS_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct cpus {
	cpu_set_t *set; /* owned; NULL: unknown */
	size_t size;	/* bytes of @set */
	int count;	/* number of CPUs in @set */
};

/* The CPUs on which the process may run, read once at its start. Borrowed. */
const struct cpus *cpus_initial(void);
/*
 * The CPUs on which the calling thread may run now. The set has the kernel's size, which covers all possible CPUs. The
 * caller frees it. NULL: not known, and count is 1.
 */
void cpus_read(struct cpus *ret);
/* Makes the kernel move the calling thread to another CPU of its affinity mask. The mask is the same afterwards. */
void cpus_move(void);
/* Returns the number of available CPUs, at least 1: omp_get_num_procs(). */
int cpus_available(void);
/*
 * Adds the CPUs of a list as in /sys ("0-3,8,10-11") to @ret. Returns false if the text is malformed or a CPU does not
 * fit.
 */
bool cpus_parse_list(const char *text, cpu_set_t *ret, size_t size);
/*
 * Returns the siblings of @cpu: "core", "package" (a socket), "die", "llc" (last-level cache), "node". False: not
 * known.
 */
bool cpus_siblings(int cpu, const char *level, cpu_set_t *ret, size_t size);

#endif
