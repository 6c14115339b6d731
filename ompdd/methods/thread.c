/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* thread.*: the threads of the target. */
#include "methods/state.h"
#include "methods_worker.h"

struct error *handle_thread_list(struct worker *w, const struct thread_list_params *p, struct json_object **ret)
{
	(void)p;
	return state_answer(w, SNAPSHOT_STATES, STACKS_NONE, ret);
}
