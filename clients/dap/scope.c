/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contents of the scopes of a frame. */
#include "scope.h"

#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* Return @object without members that are useless for a reader: handles, and members with a scope of their own. */
static struct json_object *copy_visible_members(struct json_object *object)
{
	static const char *const hidden[] = {"handle",	   "parallel",	 "task",     "icvs",
					     "generating", "scheduling", "enclosing"};
	struct json_object *copy = dap_message_copy(object);

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		json_object_object_del(copy, hidden[i]);
	return copy;
}

static struct json_object *create_region(const struct view *v, size_t parallel)
{
	struct json_object *region = copy_visible_members(v->s.parallels[parallel].json);
	struct json_object *members = json_object_new_object();
	size_t enclosing = v->s.parallels[parallel].enclosing;

	if (v->numbers[parallel])
		dap_message_put_int(region, "number", (int64_t)v->numbers[parallel]);
	if (v->functions[parallel])
		dap_message_put_string(region, "construct in", v->functions[parallel]);
	for (size_t i = 0; i < v->s.parallels[parallel].n_members; i++) {
		size_t thread = v->s.parallels[parallel].members[i];
		char *name = view_thread_name(v, thread);
		char tid[32];

		snprintf(tid, sizeof(tid), "%lld", (long long)v->s.threads[thread].tid);
		dap_message_put_string(members, tid, name);
		free(name);
	}
	json_object_object_add(region, "threads", members);
	if (enclosing != OVERVIEW_NONE) {
		struct text t = {0};

		view_add_region(v, enclosing, &t);
		dap_message_put_string(region, "within", t.data);
		text_deinit(&t);
	}
	return region;
}

void scope_add(struct variables *variables, const struct view *v, size_t thread, size_t task,
	       struct json_object *scopes)
{
	struct json_object *own = copy_visible_members(v->s.threads[thread].json);
	size_t parallel = task == OVERVIEW_NONE ? OVERVIEW_NONE : v->s.tasks[task].parallel;

	variables_add_scope(variables, scopes, "Thread", own);
	json_object_put(own);
	struct json_object *icvs = task == OVERVIEW_NONE ? NULL : view_icvs(v, task);
	if (icvs)
		variables_add_scope(variables, scopes, "Task ICVs", icvs);
	else if (task != OVERVIEW_NONE)
		variables_add_later(variables, scopes, "Task ICVs", task);
	if (parallel != OVERVIEW_NONE) {
		struct json_object *region = create_region(v, parallel);

		variables_add_scope(variables, scopes, "Region", region);
		json_object_put(region);
	}
}
