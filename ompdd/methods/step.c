/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target.step: out of a parallel region, into one, over one, or one instruction. */
#include "worker/control/step.h"

#include "methods/json/json.h"
#include "methods_worker.h"
#include "worker/worker.h"

/* The schema names the kinds in the order of enum step_kind. */
_Static_assert((int)TARGET_STEP_KIND_INTO_PARALLEL == STEP_INTO_PARALLEL &&
		       (int)TARGET_STEP_KIND_OUT_OF_PARALLEL == STEP_OUT_OF_PARALLEL &&
		       (int)TARGET_STEP_KIND_INSTRUCTION == STEP_INSTRUCTION &&
		       (int)TARGET_STEP_KIND_OVER_PARALLEL == STEP_OVER_PARALLEL,
	       "an order");

static pid_t which_thread(const struct worker *w, const struct target_step_params *p)
{
	if (p->has_thread)
		return (pid_t)p->thread;
	if (w->holder >= 0 && w->stop.tid)
		return w->stop.tid;
	return w->target ? target_pid(w->target) : 0;
}

struct error *handle_target_step(struct worker *w, const struct target_step_params *p, struct json_object **ret)
{
	struct error *err = worker_step(w, (enum step_kind)p->kind, which_thread(w, p));

	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "kind", json_object_new_string(step_kind_name(step_kind(w->step))));
	json_put(o, "thread", json_object_new_int(step_thread(w->step)));
	json_put(o, "state", json_object_new_string(step_is_active(w->step) ? "running" : "held"));
	json_put(o, "epoch", json_object_new_int64((int64_t)w->epoch));
	*ret = o;
	return NULL;
}
