# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing grows: compare memory, descriptors and threads after a tenth of many repetitions and after all.

OMPDD_REPEAT multiplies the repetitions: 20 makes 10^6 regions of most kinds.
"""
import os
import subprocess

import pytest

from support import OURS, environment

PROGRAM = r"""
#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long memory(void)
{
	long size, resident;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
		abort();
	fclose(f);
	return resident * 4;
}

static int entries(const char *path)
{
	int n = 0;
	DIR *d = opendir(path);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static int x[1000];
static omp_lock_t lock;
static omp_nest_lock_t nest;
static omp_alloctrait_t traits[] = {{omp_atk_pool_size, 1 << 20}, {omp_atk_alignment, 64}};

static void locks(long i)
{
	#pragma omp parallel num_threads(2)
	{
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		omp_free(omp_alloc(100, omp_default_mem_alloc), omp_null_allocator);
	}
}

static void allocators(long i)
{
	omp_allocator_handle_t a = omp_init_allocator(omp_default_mem_space, 2, traits);
	void *p = omp_alloc(1000, a), *q = omp_calloc(10, 10, a);
	p = omp_realloc(p, 3000, a, a);
	omp_free(p, a);
	omp_free(q, a);
	omp_destroy_allocator(a);
}

static void icvs(long i)
{
	omp_set_num_threads(i % 7 + 1);
	omp_set_dynamic(i & 1);
	omp_set_schedule(omp_sched_static, i);
	#pragma omp task
	omp_set_num_threads(5);
	omp_set_num_threads(4);
	#pragma omp taskwait
}

static void icvs_of_members(long i)
{
	#pragma omp parallel num_threads(2)
	{
		omp_set_num_threads(3);
		#pragma omp task
		omp_set_num_threads(5);
		omp_set_num_threads(4);
	}
}

static void target(long i)
{
	#pragma omp target map(tofrom: x) firstprivate(i)
	x[i % 1000]++;
}

static void target_parallel(long i)
{
	#pragma omp target teams distribute parallel for num_teams(2) num_threads(2) map(tofrom: x)
	for (int k = 0; k < 1000; k++)
		x[k]++;
}

static void target_tasks(long i)
{
	int big[4000] = {0};

	#pragma omp parallel num_threads(2)
	#pragma omp single
	{
		#pragma omp target nowait depend(inout: x) firstprivate(big) map(tofrom: x)
		x[big[3]]++;
		#pragma omp target nowait depend(inout: x) map(tofrom: x)
		x[1]++;
		#pragma omp target depend(inout: x) map(tofrom: x)
		x[2]++;
		#pragma omp target update to(x) nowait depend(inout: x)
	}
}

static void pause_host(long i)
{
	#pragma omp parallel num_threads(2)
	x[omp_get_thread_num()]++;
	omp_pause_resource_all(omp_pause_hard);
	/* The C library keeps the stacks of as many threads as were ending at once. */
	while (entries("/proc/self/task") > 3)
		usleep(100);
}

static void affinity(long i)
{
	char text[100];

	omp_set_affinity_format("%A %H %n");
	omp_capture_affinity(text, sizeof(text), "%A %H %n %i %P");
}

static void sizes(long i)
{
	#pragma omp parallel num_threads(i % 4 + 1) proc_bind(spread)
	x[omp_get_thread_num()]++;
}

static void (*const cases[])(long) = {locks, allocators, icvs, icvs_of_members, target, target_parallel, target_tasks, pause_host,
				      affinity, sizes};

int main(int argc, char **argv)
{
	void (*body)(long) = cases[atoi(argv[1])];
	long n = atol(argv[2]), before = 0;
	int descriptors = 0, threads = 0;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	for (long i = 0; i < n; i++) {
		if (i == n / 10) {
			before = memory();
			descriptors = entries("/proc/self/fd");
			threads = entries("/proc/self/task");
		}
		body(i);
	}
	/* Threads of a pool that was given up take a moment to end. */
	for (int i = 0; i < 30000 && entries("/proc/self/task") > threads + 1; i++) {
		#pragma omp parallel num_threads(1)
		x[0]++;
		usleep(1000);
	}
	printf("%ld %d %d\n", memory() - before, entries("/proc/self/fd") - descriptors, entries("/proc/self/task") - threads);
	return 0;
}
"""
CASES = [("locks", 50000), ("allocators", 100000), ("icvs", 100000), ("icvs_of_members", 50000), ("target", 500000),
         ("target_parallel", 20000), ("target_tasks", 20000), ("pause_host", 1000), ("affinity", 10000), ("sizes", 50000)]


@pytest.mark.parametrize("case", range(len(CASES)), ids=[name for name, _ in CASES])
def test_nothing_grows(compiled, case):
    program = compiled(PROGRAM, "leaks")
    n = CASES[case][1] * int(os.environ.get("OMPDD_REPEAT", "1"))
    result = subprocess.run([program, str(case), str(n)], env=environment(OURS), capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    grown, descriptors, threads = map(int, result.stdout.split())
    # Lists of spare objects reach their size late when threads are slow. A leak of 8 bytes per repetition would be
    # larger.
    assert grown <= 256
    assert descriptors == 0
    assert threads <= 1
