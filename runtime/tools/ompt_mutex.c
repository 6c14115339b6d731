/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of mutual exclusion: locks, critical, ordered, and atomic where the program calls the runtime for it. */
#include "core/state/task.h"
#include "omp-tools.h"
#include "tools/ompt.h"
#include "tools/ompt_data.h"

/* OMPT_CALL() needs a type for each name. */
typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_released_t;
typedef ompt_callback_mutex_acquire_t ompt_callback_lock_init_t;
typedef ompt_callback_mutex_t ompt_callback_lock_destroy_t;

#define NO_HINT 0 /* gcc's code does not pass a hint */

static ompt_wait_id_t get_wait_id(const void *mutex)
{
	return (ompt_wait_id_t)(uintptr_t)mutex;
}

void ompt_mutex_acquire(ompt_mutex_t kind, const void *mutex, struct site site)
{
	OMPT_CALL(mutex_acquire, kind, NO_HINT, OMPT_MUTEX_FUTEX, get_wait_id(mutex), ompt_code_of(site));
}

void ompt_mutex_acquired(ompt_mutex_t kind, const void *mutex, struct site site)
{
	OMPT_CALL(mutex_acquired, kind, get_wait_id(mutex), ompt_code_of(site));
}

void ompt_mutex_released(ompt_mutex_t kind, const void *mutex, struct site site)
{
	OMPT_CALL(mutex_released, kind, get_wait_id(mutex), ompt_code_of(site));
}

void ompt_lock_init(ompt_mutex_t kind, const void *lock, struct site site)
{
	OMPT_CALL(lock_init, kind, NO_HINT, OMPT_MUTEX_FUTEX, get_wait_id(lock), ompt_code_of(site));
}

void ompt_lock_destroy(ompt_mutex_t kind, const void *lock, struct site site)
{
	OMPT_CALL(lock_destroy, kind, get_wait_id(lock), ompt_code_of(site));
}

void ompt_nest_lock(ompt_scope_endpoint_t endpoint, const void *lock, struct site site)
{
	OMPT_CALL(nest_lock, endpoint, get_wait_id(lock), ompt_code_of(site));
}
