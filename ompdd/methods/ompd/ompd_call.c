/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The common path of all ompd.* methods to the library. */
#include "methods/ompd/ompd_call.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/model/runtimes.h"
#include "openmp/plugin/callbacks.h"
#include "rpc/json_write.h"
#include "worker/capture/capture.h"

#define MAX_TEXTS 1024

struct error *ompd_call_runtime(struct worker *w, int64_t index, struct model **ret)
{
	struct error *err = worker_need_target(w);

	if (err)
		return err;
	runtimes_find_more(w->runtimes);
	if (index >= 0 && index < (int64_t)runtimes_count(w->runtimes)) {
		*ret = runtimes_get(w->runtimes, (size_t)index);
		return NULL;
	}
	return error_detail(error_create(ERR_INVALID_PARAMS, "/params/runtime: the process has %zu OpenMP runtimes",
					 runtimes_count(w->runtimes)),
			    "pointer", "/params/runtime");
}

/* Return the runtime of the handle @text; NULL: not a handle. */
static struct model *model_of_handle(struct worker *w, const char *text)
{
	struct handle_name name;

	if (!text || !handle_name_parse(text, &name) || name.runtime >= runtimes_count(w->runtimes))
		return NULL;
	return runtimes_get(w->runtimes, name.runtime);
}

static void choose_model(struct worker *w, struct ompd_call *call)
{
	for (int i = 0; i < OMPD_CALL_MAX_ARGS && !call->model; i++)
		call->model = model_of_handle(w, call->args[i].text);
	if (!call->model)
		call->model = worker_model(w);
	model_select(call->model);
}

static struct error *resolve_arguments(struct worker *w, struct ompd_call *call)
{
	for (int i = 0; i < OMPD_CALL_MAX_ARGS && call->args[i].pointer; i++) {
		struct ompd_arg *arg = &call->args[i];
		struct handle *handle;
		struct error *err;

		if (!arg->text) {
			arg->object = model_aspace(call->model);
			continue;
		}
		err = handles_find(w->handles, w->client, w->target_id, arg->text, (int)arg->kind, arg->pointer,
				   &handle);
		if (err)
			return err;
		/* A library must never get a handle of another library. */
		if (handle->runtime != model_index(call->model))
			return error_create_ompd(ompd_rc_bad_input, "the handles belong to two runtimes");
		arg->object = handle->object;
	}
	return NULL;
}

static struct error *prepare_model(const struct ompd_call *call)
{
	switch (call->needs) {
	case NEEDS_LIBRARY:
		return NULL;
	case NEEDS_VIEW_CLOSED:
		return model_initialize(call->model);
	case NEEDS_OPEN:
	case NEEDS_VIEW:
		break;
	}
	return model_open(call->model);
}

struct error *ompd_call_check_rc(const char *routine, int rc)
{
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned an unknown code");
	return rc == ompd_rc_ok ? NULL : error_create_ompd(rc, routine);
}

static struct error *check_result(struct worker *w, struct ompd_call *call, int rc)
{
	struct handle *handle;
	struct error *err = ompd_call_check_rc(call->routine, rc);

	if (err)
		return err;
	if (call->misbehaved)
		return ompd_misbehaved(call->routine, call->misbehaved);
	if (!call->creates)
		return NULL;
	if (!call->object)
		return ompd_misbehaved(call->routine, "returned ok without a handle");
	err = handles_intern(w->handles, model_index(call->model), w->client, w->epoch, call->creates_kind,
			     call->object, &handle);
	if (!err)
		call->number = handle->number;
	return err;
}

static struct error *run_call(struct worker *w, void *arg)
{
	struct ompd_call *call = arg;
	const struct error *why;
	struct error *err;

	guard_enter(w->plugin_options.timeout_ms);
	err = prepare_model(call);
	if (!err)
		err = resolve_arguments(w, call);
	if (!err) {
		call->object = NULL;
		call->misbehaved = NULL;
		err = check_result(w, call, call->fn(model_plugin(call->model, &why), call));
	}
	guard_leave();
	return callbacks_why(err);
}

static struct error *run_selected(struct worker *w, struct ompd_call *call)
{
	struct error *err = model_need_plugin(call->model);

	/* An invalid handle is no reason to stop the target. */
	if (!err)
		err = resolve_arguments(w, call);
	if (err)
		return err;
	if (call->needs == NEEDS_VIEW || call->needs == NEEDS_VIEW_CLOSED ||
	    (call->needs == NEEDS_OPEN && !model_aspace(call->model))) {
		call->has_view = true;
		return worker_capture(w, run_call, call, &call->view);
	}
	return run_call(w, call);
}

struct error *ompd_call_run(struct worker *w, struct ompd_call *call)
{
	struct error *err = worker_need_target(w);

	call->w = w;
	if (err)
		return err;
	choose_model(w, call);
	err = run_selected(w, call);
	runtimes_main(w->runtimes);
	return err;
}

struct error *ompd_call_answer(struct worker *w, struct ompd_call *call, struct json_object **ret)
{
	struct error *err = ompd_call_run(w, call);
	struct json_object *o = err ? NULL : json_object_new_object();

	if (!o) {
		free(call->text);
		call->text = NULL;
		return err ? err : &error_nomem;
	}
	if (call->has_view)
		json_put_view(o, &call->view);
	*ret = o;
	return NULL;
}

struct json_object *ompd_call_handle_json(const struct ompd_call *call)
{
	char text[HANDLE_NAME_SIZE];
	size_t len = handle_name_write(call->w->target_id, call->has_view ? call->view.epoch : call->w->epoch,
				       model_index(call->model), call->creates_kind, call->number, text);

	return json_object_new_string_len(text, (int)len);
}

struct error *ompd_call_answer_handle(struct worker *w, struct ompd_call *call, const char *key,
				      struct json_object **ret)
{
	struct error *err;

	call->creates = true;
	err = ompd_call_answer(w, call, ret);
	if (!err)
		json_put(*ret, key, ompd_call_handle_json(call));
	return err;
}

struct error *ompd_call_answer_done(struct json_object **ret)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return &error_nomem;
	*ret = o;
	return NULL;
}

struct error *ompd_call_release(struct worker *w, const char *routine, const char *text, enum handle_kind kind,
				const char *pointer, int (*release)(struct plugin *p, void *object),
				struct json_object **ret)
{
	const struct error *why;
	struct handle *handle;
	struct error *err = worker_need_target(w);

	if (err)
		return err;
	struct model *model = model_of_handle(w, text);

	if (!model)
		model = worker_model(w);
	err = model_need_plugin(model);
	if (!err)
		err = handles_find(w->handles, w->client, w->target_id, text, (int)kind, pointer, &handle);
	if (err)
		return err;
	model_select(model);
	guard_enter(w->plugin_options.timeout_ms);
	int rc = release(model_plugin(model, &why), handles_take(w->handles, w->client, handle));

	guard_leave();
	runtimes_main(w->runtimes);
	err = ompd_call_check_rc(routine, rc);
	return err ? err : ompd_call_answer_done(ret);
}

int ompd_call_take_text(struct ompd_call *call, int rc, const char *text, const char *misbehaved)
{
	if (rc != ompd_rc_ok)
		return rc;
	free(call->text);
	call->text = NULL;
	guard_in_plugin = 1; /* the library chose the pointer */
	size_t len = callbacks_strlen(text, OMPD_CALL_MAX_STRING);

	if (len != SIZE_MAX)
		call->text = strndup(text, len);
	guard_in_plugin = 0;
	callbacks_free(text);
	if (!call->text)
		call->misbehaved = misbehaved;
	return rc;
}

struct json_object *ompd_call_texts_json(struct ompd_call *call, const char *const *texts)
{
	struct json_object *array = json_object_new_array();

	if (!texts)
		call->misbehaved = "returned no list";
	for (size_t i = 0; texts && i < MAX_TEXTS; i++) {
		guard_in_plugin = 1; /* the library chose the pointers */
		size_t len = texts[i] ? callbacks_strlen(texts[i], OMPD_CALL_MAX_STRING) : 0;
		_cleanup_free_ char *copy = texts[i] && len != SIZE_MAX ? strndup(texts[i], len) : NULL;
		bool end = !texts[i];

		guard_in_plugin = 0;
		if (end)
			break;
		if (copy)
			json_object_array_add(array, json_text(copy));
	}
	return array;
}

struct json_object *ompd_call_text_json(struct ompd_call *call)
{
	struct json_object *text = json_text(call->text);

	free(call->text);
	call->text = NULL;
	return text;
}

struct error *ompd_scope_arg(const char *text, int64_t scope, struct ompd_arg *ret)
{
	struct ompd_arg arg = {.text = text, .pointer = "/params/handle"};

	switch (scope) {
	case ompd_scope_global:
	case ompd_scope_address_space:
		arg.kind = HANDLE_ASPACE;
		break;
	case ompd_scope_thread:
		arg.kind = HANDLE_THREAD;
		break;
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		arg.kind = HANDLE_TASK;
		break;
	default: /* parallel, teams, target */
		arg.kind = HANDLE_PARALLEL;
		break;
	}
	if (!text && arg.kind != HANDLE_ASPACE)
		return error_detail(error_create(ERR_INVALID_PARAMS, "/params/handle: this scope needs a handle"),
				    "pointer", "/params/handle");
	*ret = arg;
	return NULL;
}
