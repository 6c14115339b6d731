/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* target.serialize: the next regions have one thread. */
#include "worker/control/serialize.h"

#include "methods/json/json.h"
#include "methods_worker.h"
#include "worker/worker.h"

struct error *handle_target_serialize(struct worker *w, const struct target_serialize_params *p,
				      struct json_object **ret)
{
	struct error *err = worker_need_target(w);

	if (!err)
		err = serialize_set(w, (uint32_t)p->count, p->has_thread ? (pid_t)p->thread : 0);
	if (err)
		return err;
	struct json_object *o = json_result(w);
	if (!o)
		return &error_nomem;
	json_put(o, "left", json_object_new_int64(serialize_left(w)));
	*ret = o;
	return NULL;
}
