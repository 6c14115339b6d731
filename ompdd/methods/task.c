/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* task.*: the tasks of the target. */
#include "methods/state.h"
#include "methods_worker.h"

struct error *handle_task_list(struct worker *w, const struct task_list_params *p, struct json_object **ret)
{
	unsigned parts = SNAPSHOT_TASKS | (p->dependences ? SNAPSHOT_DEPENDENCES : 0);

	return state_answer(w, parts, STACKS_NONE, 0, ret);
}
