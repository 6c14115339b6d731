/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The objects that exist once in the process or in each thread. */
#include "core/state/root.h"

#include "core/state/lock_word.h"
#include "core/state/thread.h"

struct root runtime_root = {.places = &places};
struct place_list places;
struct region_count region_count_none;

/* The values that do not depend on the machine. env_read() fills in the rest. */
struct icv_process icv_process = {
	.initial =
		{
			.nthreads = 1,
			.thread_limit = UINT32_MAX,
			.run_sched = SCHEDULE_DYNAMIC,
			.run_sched_chunk = 1,
			.max_active_levels = 1,
			.def_allocator = ICV_DEFAULT_ALLOCATOR,
		},
	.num_procs = 1,
	.device_num = TARGET_HOST,
	.spin_count = ICV_SPIN_DEFAULT,
	.tool = 1,
};

__thread struct thread thread_tls = {
	.n_threads = 1,
	.spins = WAIT_SPINS,
	.lock_word = THREAD_LOCK_UNKNOWN,
	.counted = &region_count_none,
};
