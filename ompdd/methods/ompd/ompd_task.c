/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: tasks (OpenMP 5.2, 20.5.7). */
#include "methods/ompd/ompd_call.h"
#include "methods_worker.h"

static int call_get_task_function(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_task_function, call->args[0].object, (ompd_address_t *)call->data);
}

struct error *handle_ompd_get_task_function(struct worker *w, const struct ompd_get_task_function_params *p,
					    struct json_object **ret)
{
	ompd_address_t address = {0};
	struct ompd_call call = {
		.routine = "ompd_get_task_function",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, task_handle, HANDLE_TASK)},
		.fn = call_get_task_function,
		.data = &address,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (!err)
		json_put(*ret, "entry_point", json_address(&address));
	return err;
}

/* The frames exit and enter, in the order of the routine. Some libraries never write the flags. */
static int call_get_task_frame(struct plugin *p, struct ompd_call *call)
{
	ompd_frame_info_t *frames = call->data;

	return plugin_call(p, get_task_frame, call->args[0].object, &frames[0], &frames[1]);
}

struct error *handle_ompd_get_task_frame(struct worker *w, const struct ompd_get_task_frame_params *p,
					 struct json_object **ret)
{
	ompd_frame_info_t frames[2] = {0};
	struct ompd_call call = {
		.routine = "ompd_get_task_frame",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, task_handle, HANDLE_TASK)},
		.fn = call_get_task_frame,
		.data = frames,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (err)
		return err;
	json_put(*ret, "exit_frame", json_frame(&frames[0]));
	json_put(*ret, "enter_frame", json_frame(&frames[1]));
	return NULL;
}

OMPD_CALL_DEFINE_STEP(get_curr_task_handle, thread_handle, HANDLE_THREAD, "task_handle", HANDLE_TASK)
OMPD_CALL_DEFINE_STEP(get_generating_task_handle, task_handle, HANDLE_TASK, "generating_task_handle", HANDLE_TASK)
OMPD_CALL_DEFINE_STEP(get_scheduling_task_handle, task_handle, HANDLE_TASK, "scheduling_task_handle", HANDLE_TASK)

static int call_get_task_in_parallel(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_task_in_parallel, call->args[0].object, *(const int *)call->data,
			   (ompd_task_handle_t **)&call->object);
}

struct error *handle_ompd_get_task_in_parallel(struct worker *w, const struct ompd_get_task_in_parallel_params *p,
					       struct json_object **ret)
{
	int thread_num = (int)p->thread_num;
	struct ompd_call call = {
		.routine = "ompd_get_task_in_parallel",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, parallel_handle, HANDLE_PARALLEL)},
		.fn = call_get_task_in_parallel,
		.data = &thread_num,
		.creates_kind = HANDLE_TASK,
	};

	return ompd_call_answer_handle(w, &call, "task_handle", ret);
}

OMPD_CALL_DEFINE_COMPARE(task_handle_compare, task_handle_1, task_handle_2, HANDLE_TASK)

OMPD_CALL_DEFINE_RELEASE(rel_task_handle, task_handle, HANDLE_TASK)
