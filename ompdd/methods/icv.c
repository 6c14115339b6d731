/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* icv.*: the control variables of the target's address space. */
#include "methods/state.h"
#include "methods_worker.h"

struct error *handle_icv_list(struct worker *w, const struct icv_list_params *p, struct json_object **ret)
{
	(void)p;
	return state_answer(w, SNAPSHOT_ICVS, STACKS_NONE, 0, ret);
}
