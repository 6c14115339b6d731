/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library's constructor, and routines about the process: its time (OpenMP 5.2, 18.10) and environment (18.15). */
#include "abi/omp_abi.h"

#include <time.h>

#include "abi/ompd_layout.h"
#include "core/icv/env.h"
#include "core/icv/env_display.h"
#include "core/state/thread.h"
#include "core/sync/wait.h"
#include "core/team/fork.h"
#include "core/team/registration.h"
#include "os/fence.h"
#include "tools/ompd.h"
#include "tools/ompt.h"
#include "tools/point.h"

static __attribute__((constructor)) void start_runtime(void)
{
	env_read();
	layout_init();
	ompd_init();
	wait_init();
	fence_init();
	thread_init();
	fork_init();
	if (!ompt_is_likely())
		thread_register(thread_peek());
	point_library_loaded();
}

static double convert_timespec(struct timespec ts)
{
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

ABI double omp_get_wtime(void)
{
	struct timespec ts;

	abi_is_used();
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return convert_timespec(ts);
}
FORTRAN_ALIAS(omp_get_wtime);

ABI double omp_get_wtick(void)
{
	struct timespec ts;

	abi_is_used();
	clock_getres(CLOCK_MONOTONIC, &ts);
	return convert_timespec(ts);
}
FORTRAN_ALIAS(omp_get_wtick);

ABI void omp_display_env(int verbose)
{
	env_display(verbose != 0);
}
FORTRAN_SET_LOGICAL(omp_display_env)
