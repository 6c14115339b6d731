/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions of changing size, nested ones, with barriers: the right threads in each, and nothing left behind by a million. */
#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long entries(const char *path)
{
	DIR *dir = opendir(path);
	long n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static long resident(void)
{
	long size, pages;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
		abort();
	fclose(f);
	return pages * 4;
}

static void some(int n)
{
	for (int i = 0; i < n; i++) {
		int size = 1 + i % 3, sum = 0, seen[3] = {0};

#pragma omp parallel num_threads(size)
		{
			if (omp_get_num_threads() != size || omp_get_level() != 1)
				abort();
			seen[omp_get_thread_num()]++;
#pragma omp barrier
			for (int k = 0; k < size; k++)
				if (seen[k] != 1)
					abort();
#pragma omp atomic
			sum++;
			if (i % 16 == 0) {
#pragma omp parallel num_threads(2)
				{
					if (omp_get_num_threads() != 2 || omp_get_level() != 2)
						abort();
#pragma omp barrier
				}
			}
		}
		if (sum != size || omp_get_num_threads() != 1 || omp_get_level() != 0)
			abort();
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100000;
	long threads, files, memory;

	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	some(100);
	threads = entries("/proc/self/task");
	files = entries("/proc/self/fd");
	memory = resident();
	some(n);
	printf("threads %ld -> %ld, files %ld -> %ld, kB %ld -> %ld\n", threads, entries("/proc/self/task"), files,
	       entries("/proc/self/fd"), memory, resident());
	if (entries("/proc/self/task") > threads || entries("/proc/self/fd") > files || resident() > memory + 512)
		return 1;
	return 0;
}
