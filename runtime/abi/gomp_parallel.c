/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* parallel. Newer programs pass the region's function in one call; gcc up to 4.8 uses two calls. */
#include "abi/abi.h"
#include "core/team.h"
#include "core/thread.h"

ABI void GOMP_parallel(gomp_fn fn, void *data, unsigned num_threads, unsigned flags)
{
	struct thread *t = thread_self();

	team_begin(t, fn, data, team_size(t, num_threads, 0), flags, SITE_HERE(), NULL, NULL);
	fn(data);
	team_end(t);
}

/* The program calls the region's function between the two calls. */
ABI void GOMP_parallel_start(gomp_fn fn, void *data, unsigned num_threads)
{
	struct thread *t = thread_self();

	team_begin(t, fn, data, team_size(t, num_threads, 0), 0, SITE_HERE(), NULL, NULL);
}

ABI void GOMP_parallel_end(void)
{
	team_end(thread_self());
}
