/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * several PART.so [quiet]: a team of 3 threads, and beside it, on a thread of its own, what a shared object does with the
 * OpenMP runtime that it brings along (dlopen_part.c, linked with another copy). quiet: only that.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracle.h"

static void *run_part(void *path)
{
	/* Its own runtime comes before that of the program. */
	void *part = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	if (!part) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	((void (*)(void))dlsym(part, "dlopen_part_run"))();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	park_begin(argc > 2 ? 5 : 8);
	pthread_create(&thread, NULL, run_part, argv[1]);
	if (argc > 2)
		park();
#pragma omp parallel num_threads(3)
	oracle_park();
}
