/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: parallel regions (OpenMP 5.2, 20.5.6). */
#include "methods/ompd_call.h"
#include "methods_worker.h"

static int call_get_curr_parallel_handle(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_curr_parallel_handle, call->args[0].object,
			   (ompd_parallel_handle_t **)&call->object);
}

struct error *
handle_ompd_get_curr_parallel_handle(struct worker *w,
				     const struct ompd_get_curr_parallel_handle_params *p,
				     struct json_object **ret)
{
	struct ompd_call call = {
	    .routine = "ompd_get_curr_parallel_handle",
	    .needs = NEEDS_VIEW,
	    .args = {{p->thread_handle, HANDLE_THREAD, "/params/thread_handle", NULL}},
	    .n_args = 1,
	    .fn = call_get_curr_parallel_handle,
	    .creates_kind = HANDLE_PARALLEL,
	};

	return ompd_call_answer_handle(w, &call, "parallel_handle", ret);
}

static int call_get_enclosing_parallel_handle(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_enclosing_parallel_handle, call->args[0].object,
			   (ompd_parallel_handle_t **)&call->object);
}

struct error *
handle_ompd_get_enclosing_parallel_handle(struct worker *w,
					  const struct ompd_get_enclosing_parallel_handle_params *p,
					  struct json_object **ret)
{
	struct ompd_call call = {
	    .routine = "ompd_get_enclosing_parallel_handle",
	    .needs = NEEDS_VIEW,
	    .args = {{p->parallel_handle, HANDLE_PARALLEL, "/params/parallel_handle", NULL}},
	    .n_args = 1,
	    .fn = call_get_enclosing_parallel_handle,
	    .creates_kind = HANDLE_PARALLEL,
	};

	return ompd_call_answer_handle(w, &call, "enclosing_parallel_handle", ret);
}

static int call_get_task_parallel_handle(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_task_parallel_handle, call->args[0].object,
			   (ompd_parallel_handle_t **)&call->object);
}

struct error *
handle_ompd_get_task_parallel_handle(struct worker *w,
				     const struct ompd_get_task_parallel_handle_params *p,
				     struct json_object **ret)
{
	struct ompd_call call = {
	    .routine = "ompd_get_task_parallel_handle",
	    .needs = NEEDS_VIEW,
	    .args = {{p->task_handle, HANDLE_TASK, "/params/task_handle", NULL}},
	    .n_args = 1,
	    .fn = call_get_task_parallel_handle,
	    .creates_kind = HANDLE_PARALLEL,
	};

	return ompd_call_answer_handle(w, &call, "task_parallel_handle", ret);
}

static int call_parallel_handle_compare(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, parallel_handle_compare, call->args[0].object, call->args[1].object,
			   (int *)call->data);
}

struct error *handle_ompd_parallel_handle_compare(
    struct worker *w, const struct ompd_parallel_handle_compare_params *p, struct json_object **ret)
{
	int value = 0;
	struct ompd_call call = {
	    .routine = "ompd_parallel_handle_compare",
	    .needs = NEEDS_OPEN,
	    .args = {{p->parallel_handle_1, HANDLE_PARALLEL, "/params/parallel_handle_1", NULL},
		     {p->parallel_handle_2, HANDLE_PARALLEL, "/params/parallel_handle_2", NULL}},
	    .n_args = 2,
	    .fn = call_parallel_handle_compare,
	    .data = &value,
	};

	return ompd_call_answer_compare(w, &call, &value, ret);
}

static int call_rel_parallel_handle(struct plugin *p, void *object)
{
	return plugin_call(p, rel_parallel_handle, object);
}

struct error *handle_ompd_rel_parallel_handle(struct worker *w,
					      const struct ompd_rel_parallel_handle_params *p,
					      struct json_object **ret)
{
	return ompd_call_release(w, "ompd_rel_parallel_handle", p->parallel_handle, HANDLE_PARALLEL,
				 "/params/parallel_handle", call_rel_parallel_handle, ret);
}
