/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* snapshot.get: the OpenMP state of the target at one moment. */
#include "methods/state.h"
#include "methods_worker.h"

struct error *handle_snapshot_get(struct worker *w, const struct snapshot_get_params *p, struct json_object **ret)
{
	static const enum state_stacks stacks[] = {
		[SNAPSHOT_GET_STACKS_NONE] = STACKS_NONE,
		[SNAPSHOT_GET_STACKS_REGIONS] = STACKS_REGIONS,
		[SNAPSHOT_GET_STACKS_ALL] = STACKS_ALL,
	};

	return state_answer(w, SNAPSHOT_ALL | (p->icvs ? 0 : SNAPSHOT_NO_ICVS), stacks[p->stacks],
			    (unsigned)p->sample_ms, ret);
}
