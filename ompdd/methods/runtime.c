/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* runtime.*: what is known about runtimes and compilers, whatever the target. */
#include "methods/json/json.h"
#include "methods_worker.h"
#include "openmp/runtimes/body.h"
#include "openmp/runtimes/constructs.h"
#include "worker/worker.h"

static void add_text(void *arg, const char *text)
{
	json_object_array_add(arg, json_object_new_string(text));
}

struct error *handle_runtime_names(struct worker *w, const struct runtime_names_params *p, struct json_object **ret)
{
	struct json_object *bodies, *regions, *runtime;

	(void)p;
	if (!w->target)
		return worker_need_target(w);
	*ret = json_result(w);
	if (!*ret)
		return &error_nomem;
	bodies = json_object_new_array();
	regions = json_object_new_array();
	runtime = json_object_new_array();
	for (const char *const *mark = body_marks; *mark; mark++)
		add_text(bodies, *mark);
	construct_each_region_prefix(add_text, regions);
	construct_each_runtime_prefix(add_text, runtime);
	json_put(*ret, "bodies", bodies);
	json_put(*ret, "regions", regions);
	json_put(*ret, "runtime", runtime);
	return NULL;
}
