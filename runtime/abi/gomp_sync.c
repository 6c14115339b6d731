/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* barrier, critical, and atomic where the processor has no instruction for it. */
#include "abi/abi.h"
#include "core/barrier.h"
#include "core/lock.h"
#include "core/task.h"
#include "core/team.h"
#include "core/thread.h"

static struct lock critical_lock __attribute__((aligned(CACHE_LINE)));
static struct lock atomic_lock __attribute__((aligned(CACHE_LINE)));

ABI void GOMP_barrier(void)
{
	barrier_wait(thread_self(), ompt_state_wait_barrier, SITE_HERE().frame);
}

ABI bool GOMP_barrier_cancel(void)
{
	return barrier_wait_cancellable(thread_self(), ompt_state_wait_barrier, SITE_HERE().frame);
}

ABI void GOMP_critical_start(void)
{
	lock_acquire_from(&critical_lock, ompt_mutex_critical, SITE_HERE().frame);
}

ABI void GOMP_critical_end(void)
{
	lock_release_from(&critical_lock, ompt_mutex_critical, SITE_HERE().frame);
}

/* @name: a zeroed word, as wide as a pointer, that all translation units share. It holds the lock. */
ABI void GOMP_critical_name_start(void **name)
{
	lock_acquire_from((struct lock *)name, ompt_mutex_critical, SITE_HERE().frame);
}

ABI void GOMP_critical_name_end(void **name)
{
	lock_release_from((struct lock *)name, ompt_mutex_critical, SITE_HERE().frame);
}

ABI void GOMP_atomic_start(void)
{
	lock_acquire_from(&atomic_lock, ompt_mutex_atomic, SITE_HERE().frame);
}

ABI void GOMP_atomic_end(void)
{
	lock_release_from(&atomic_lock, ompt_mutex_atomic, SITE_HERE().frame);
}
