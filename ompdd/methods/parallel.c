/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* parallel.*: the parallel regions of the target. */
#include "methods/state.h"
#include "methods_worker.h"

struct error *handle_parallel_list(struct worker *w, const struct parallel_list_params *p, struct json_object **ret)
{
	return state_answer(w, SNAPSHOT_PARALLELS, p->stacks ? STACKS_REGIONS : STACKS_NONE, 0, ret);
}
