/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* handle.*: release a client's handles. */
#include <stdio.h>

#include "methods/json/json.h"
#include "methods_worker.h"
#include "openmp/model/handle/handles.h"
#include "worker/worker.h"

struct error *handle_handle_release(struct worker *w, const struct handle_release_params *p, struct json_object **ret)
{
	struct error *err = worker_need_target(w);
	struct handle *handle;
	char pointer[48];

	if (err)
		return err;
	/* Release all or none: first check that each handle exists. */
	for (size_t i = 0; i < p->n_handles; i++) {
		snprintf(pointer, sizeof(pointer), "/params/handles/%zu", i);
		err = handles_find(w->handles, w->client, w->target_id, p->handles[i], -1, pointer, &handle);
		if (err)
			return err;
	}
	int released = 0;

	for (size_t i = 0; i < p->n_handles; i++) {
		err = handles_find(w->handles, w->client, w->target_id, p->handles[i], -1, "", &handle);
		/* The handle was named twice. */
		if (err) {
			error_destroy(err);
			continue;
		}
		handles_release(w->handles, w->client, handle);
		released++;
	}
	struct json_object *o = json_object_new_object();

	if (!o)
		return &error_nomem;
	json_put(o, "released", json_object_new_int(released));
	*ret = o;
	return NULL;
}
