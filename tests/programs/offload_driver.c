/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A stand-in for the driver below a device plugin. STAND_IN_KERNEL, STAND_IN_COPY and STAND_IN_LOAD say how an
 * operation ends: "sleep" and "spin" mean never, a number is a time in microseconds. Without them operations end at
 * once.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cuCtxSynchronize(void);
int cuMemcpyHtoD_v2(void *to, const void *from, size_t size);
int cuModuleLoadData(void);

static volatile int is_over;

static void wait_as(const char *how)
{
	while (how && strcmp(how, "sleep") == 0)
		pause();
	while (how && strcmp(how, "spin") == 0 && !is_over)
		;
	if (how)
		usleep((unsigned)atoi(how));
}

int cuCtxSynchronize(void)
{
	wait_as(getenv("STAND_IN_KERNEL"));
	return 0;
}

int cuMemcpyHtoD_v2(void *to, const void *from, size_t size)
{
	wait_as(getenv("STAND_IN_COPY"));
	memcpy(to, from, size);
	return 0;
}

int cuModuleLoadData(void)
{
	wait_as(getenv("STAND_IN_LOAD"));
	return 0;
}
