/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explains why a stop failed. */
#include "target/stop/stop_backend.h"

#include <fcntl.h>

#include "target/proc/cgroup.h"
#include "target/trace/traced.h"

struct error *stop_backend_timeout(pid_t tid, unsigned limit_ms)
{
	char group[CGROUP_MAX_PATH];

	/* A frozen group of version 1 also prevents the stop of its threads. */
	if (cgroup_is_frozen(tid, group))
		return error_detail(
			error_hint(error_create(ERR_STOP_TIMEOUT,
						"thread %d did not stop within %u ms: it is frozen with its control "
						"group, %s",
						tid, limit_ms, group),
				   "thaw the group (docker unpause, systemctl thaw), or attach with mode \"observe\""),
			"tid", "%d", tid);
	return error_detail(error_create(ERR_STOP_TIMEOUT, "thread %d did not stop within %u ms (state %c)", tid,
					 limit_ms, traced_state(AT_FDCWD, tid)),
			    "tid", "%d", tid);
}
