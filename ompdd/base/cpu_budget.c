/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The processor time of this process, compared with the request's limit. Not RLIMIT_CPU: it counts whole seconds, and
 * its signal cannot leave a library in the middle either.
 */
#include "base/cpu_budget.h"

#include <time.h>

static int64_t budget_us; /* 0: no limit */
static int64_t end_us;	  /* 0: nobody has asked yet */
static bool spent;

void cpu_budget_begin(int64_t us)
{
	budget_us = us;
	end_us = 0;
	spent = false;
}

bool cpu_budget_is_spent(void)
{
	struct timespec ts;

	if (spent || !budget_us)
		return spent;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	int64_t now_us = ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
	if (!end_us)
		end_us = now_us + budget_us;
	spent = now_us >= end_us;
	return spent;
}

bool cpu_budget_was_spent(void)
{
	return spent;
}
