/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * several PART.so [quiet|loop]: a team of 3 threads. On a thread of its own, a shared object uses the OpenMP
 * runtime that it brings along (dlopen_part.c, linked with another copy). quiet: only the shared object.
 * loop: both start region after region instead, of two threads each, in own_region() and part_region().
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oracle.h"

static const char *mode = "";
static volatile int n_regions;

__attribute__((noinline)) static void own_region(void)
{
#pragma omp parallel num_threads(2)
	n_regions++;
	usleep(1000);
}

static void *run_part(void *path)
{
	/* Its own runtime takes precedence over the program's. */
	void *part = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	if (!part) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	void (*run)(void) = (void (*)(void))dlsym(part, strcmp(mode, "loop") ? "dlopen_part_run" : "part_region");

	if (strcmp(mode, "loop"))
		run();
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	for (;;)
		run();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	if (argc > 2)
		mode = argv[2];
	park_begin(!strcmp(mode, "loop") ? 2 : argc > 2 ? 5 : 8);
	pthread_create(&thread, NULL, run_part, argv[1]);
	if (!strcmp(mode, "loop"))
		park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	while (!strcmp(mode, "loop"))
		own_region();
	if (argc > 2)
		park();
#pragma omp parallel num_threads(3)
	oracle_park();
}
