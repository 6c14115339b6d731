/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernel's own counters of a process at one moment: CPU time, waits for a CPU and page faults of each thread, the
 * CPUs that each thread may use, the CPU quota, and waits for memory. The difference of two moments is exact, unlike
 * sums of samples.
 */
#ifndef OMPDD_OPENMP_KERNEL_TIMES_H
#define OMPDD_OPENMP_KERNEL_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/process/progress.h"

struct target;

/* Limit for the threads. The counters of further threads are not read. */
#define KERNEL_TIMES_MAX_THREADS 4096

struct kernel_thread {
	pid_t tid;
	uint64_t cpu_ns, ready_ns; /* as in struct target_progress */
	uint64_t major_faults;
	bool has_cpus;
	struct target_cpus cpus;
};

/* All zeroes: nothing is known. */
struct kernel_times {
	struct kernel_thread *threads; /* sorted by tid */
	size_t n;
	bool is_cut; /* the process has more threads */
	int64_t at_us;
	bool has_quota, has_pressure;
	struct cgroup_quota quota;
	uint64_t pressure_us;
};

/* Reads the counters of the threads in a view of its own. The caller frees @ret with kernel_times_deinit(). */
MUST_USE struct error *kernel_times_read(struct target *t, struct kernel_times *ret);
void kernel_times_deinit(struct kernel_times *k);
/* Returns the counters of thread @tid, or NULL. */
const struct kernel_thread *kernel_times_find(const struct kernel_times *k, pid_t tid);

#endif
