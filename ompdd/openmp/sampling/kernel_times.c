/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads /proc/PID/task/TID and the files of the process's control group. */
#include "openmp/sampling/kernel_times.h"

#include <stdlib.h>

#include "base/clock.h"
#include "target/target.h"

static int compare_threads(const void *a, const void *b)
{
	const struct kernel_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Read the counters of @tid. Return false if the thread has ended, or the kernel has no counters. */
static bool read_thread(struct target *t, pid_t tid, struct kernel_thread *ret)
{
	struct target_progress progress;

	target_progress(t, tid, &progress);
	if (!progress.known)
		return false;
	ret->tid = tid;
	ret->cpu_ns = progress.cpu_ns;
	ret->ready_ns = progress.ready_ns;
	if (!target_thread_faults(t, tid, &ret->major_faults))
		ret->major_faults = 0;
	ret->has_cpus = target_thread_cpus(t, tid, &ret->cpus);
	return true;
}

struct error *kernel_times_read(struct target *t, struct kernel_times *ret)
{
	const struct target_thread *threads;
	size_t n;

	target_view_begin(t);
	struct error *err = target_threads(t, &threads, &n);
	if (err)
		return err;
	ret->is_cut = n > KERNEL_TIMES_MAX_THREADS;
	n = ret->is_cut ? KERNEL_TIMES_MAX_THREADS : n;
	ret->threads = calloc(n ? n : 1, sizeof(*ret->threads));
	if (!ret->threads)
		return &error_nomem;
	ret->at_us = clock_now_us();
	for (size_t i = 0; i < n; i++)
		ret->n += read_thread(t, threads[i].tid, &ret->threads[ret->n]);
	qsort(ret->threads, ret->n, sizeof(*ret->threads), compare_threads);
	ret->has_quota = target_cpu_quota(t, &ret->quota);
	ret->has_pressure = target_memory_pressure(t, &ret->pressure_us);
	return NULL;
}

void kernel_times_deinit(struct kernel_times *k)
{
	free(k->threads);
	*k = (struct kernel_times){0};
}

const struct kernel_thread *kernel_times_find(const struct kernel_times *k, pid_t tid)
{
	const struct kernel_thread key = {.tid = tid};

	return k->n ? bsearch(&key, k->threads, k->n, sizeof(key), compare_threads) : NULL;
}
