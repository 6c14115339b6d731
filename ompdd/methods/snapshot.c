/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* snapshot.get: the OpenMP state of the target at one moment. */
#include "methods/state.h"
#include "methods_worker.h"

struct error *handle_snapshot_get(struct worker *w, const struct snapshot_get_params *p, struct json_object **ret)
{
	(void)p;
	return state_answer(w, SNAPSHOT_ALL, ret);
}
