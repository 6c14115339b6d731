/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* taskgroup. */
#include "abi/abi.h"

#include "core/taskgroup.h"
#include "core/thread.h"

ABI void GOMP_taskgroup_start(void)
{
	taskgroup_begin(thread_self(), SITE_HERE());
}

ABI void GOMP_taskgroup_end(void)
{
	taskgroup_end(thread_self(), SITE_HERE());
}
