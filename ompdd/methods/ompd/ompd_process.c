/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: the address space of the process, and its global data (OpenMP 5.2, 20.5.2 to 20.5.4, 20.5.9, 20.5.10). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "methods/ompd/ompd_call.h"
#include "methods_worker.h"
#include "openmp/devices/devices.h"
#include "openmp/plugin/callbacks.h"
#include "rpc/json_write.h"
#include "worker/worker.h"

#define MAX_THREAD_ID_KINDS 64

static int call_process_initialize(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, process_initialize, callbacks_context(model_index(call->model)),
			   (ompd_address_space_handle_t **)&call->object);
}

struct error *handle_ompd_process_initialize(struct worker *w, const struct ompd_process_initialize_params *p,
					     struct json_object **ret)
{
	struct ompd_call call = {
		.routine = "ompd_process_initialize",
		.needs = NEEDS_VIEW_CLOSED,
		.fn = call_process_initialize,
		.creates_kind = HANDLE_ASPACE,
	};

	struct error *err = p->has_runtime ? ompd_call_runtime(w, p->runtime, &call.model) : NULL;

	return err ? err : ompd_call_answer_handle(w, &call, "host_handle", ret);
}

struct opening {
	uint64_t kind;
	uint64_t id;
	char why[256]; /* "": no reason beside the library's code */
};

__attribute__((format(printf, 3, 4))) static int refuse_device(struct opening *o, int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(o->why, sizeof(o->why), format, args);
	va_end(args);
	return rc;
}

/* Check a number of a host's device. The number behind the last device is the initial device. */
static int check_number(const struct devices *d, struct opening *o)
{
	if (d->why)
		return refuse_device(o, ompd_rc_unsupported, "%s", d->why->message);
	if (o->id > d->n)
		return refuse_device(o, ompd_rc_bad_input, "the process has %zu devices: %zu is the host's number",
				     d->n, d->n);
	if (o->id < d->n && !devices_is_of_host(&d->list[o->id]))
		return refuse_device(o, ompd_rc_unsupported,
				     "a device of kind %s needs the debugger interface of its vendor",
				     d->list[o->id].kind);
	return ompd_rc_ok;
}

static int check_device(struct ompd_call *call, struct opening *o)
{
	_cleanup_(devices_deinit) struct devices d = {0};
	const struct error *why;
	const struct runtime *runtime = model_runtime(call->model, &why);

	if (o->kind != OMPD_DEVICE_KIND_HOST || !runtime)
		return ompd_rc_ok;
	struct error *err = devices_read(call->w->target, runtime, &d);

	if (!err)
		return check_number(&d, o);
	int rc = refuse_device(o, ompd_rc_error, "%s", err->message);
	error_destroy(err);
	return rc;
}

static int call_device_initialize(struct plugin *p, struct ompd_call *call)
{
	struct opening *o = call->data;
	int rc = check_device(call, o);

	if (rc != ompd_rc_ok)
		return rc;
	callbacks_clear_message();
	rc = plugin_call(p, device_initialize, call->args[0].object, callbacks_context(model_index(call->model)),
			 o->kind, sizeof(o->id), &o->id, (ompd_address_space_handle_t **)&call->object);
	return rc == ompd_rc_ok ? rc : refuse_device(o, rc, "%s", callbacks_message());
}

struct error *handle_ompd_device_initialize(struct worker *w, const struct ompd_device_initialize_params *p,
					    struct json_object **ret)
{
	struct opening opening = {(uint64_t)p->kind, p->id, ""};
	struct ompd_call call = {
		.routine = "ompd_device_initialize",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, host_handle, HANDLE_ASPACE)},
		.fn = call_device_initialize,
		.data = &opening,
		.creates_kind = HANDLE_ASPACE,
	};
	struct error *err = ompd_call_answer_handle(w, &call, "device_handle", ret);

	return error_is(err, ERR_OMPD) && opening.why[0] ? error_wrap(err, "%s", opening.why) : err;
}

static int call_get_omp_version(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_omp_version, call->args[0].object, (ompd_word_t *)call->data);
}

struct error *handle_ompd_get_omp_version(struct worker *w, const struct ompd_get_omp_version_params *p,
					  struct json_object **ret)
{
	ompd_word_t version = 0;
	struct ompd_call call = {
		.routine = "ompd_get_omp_version",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, address_space, HANDLE_ASPACE)},
		.fn = call_get_omp_version,
		.data = &version,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (!err)
		json_put(*ret, "omp_version", json_word(version));
	return err;
}

static int call_get_omp_version_string(struct plugin *p, struct ompd_call *call)
{
	const char *text = NULL;
	int rc = plugin_call(p, get_omp_version_string, call->args[0].object, &text);

	return ompd_call_take_text(call, rc, text, "returned no string");
}

struct error *handle_ompd_get_omp_version_string(struct worker *w, const struct ompd_get_omp_version_string_params *p,
						 struct json_object **ret)
{
	struct ompd_call call = {
		.routine = "ompd_get_omp_version_string",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, address_space, HANDLE_ASPACE)},
		.fn = call_get_omp_version_string,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (!err)
		json_put(*ret, "string", ompd_call_text_json(&call));
	return err;
}

struct thread_id_kinds {
	ompd_thread_id_t kinds[MAX_THREAD_ID_KINDS];
	ompd_size_t sizes[MAX_THREAD_ID_KINDS];
	int count;
};

static int call_get_device_thread_id_kinds(struct plugin *p, struct ompd_call *call)
{
	struct thread_id_kinds *k = call->data;
	ompd_thread_id_t *kinds = NULL;
	ompd_size_t *sizes = NULL;
	int count = 0;

	if (!plugin_routines(p)->get_device_thread_id_kinds)
		return ompd_rc_unsupported;
	int rc = plugin_call(p, get_device_thread_id_kinds, call->args[0].object, &kinds, &sizes, &count);

	if (rc != ompd_rc_ok)
		return rc;
	if (kinds && sizes && count > 0 && count <= MAX_THREAD_ID_KINDS) {
		guard_in_plugin = 1; /* the library chose the pointers */
		memcpy(k->kinds, kinds, (size_t)count * sizeof(*kinds));
		memcpy(k->sizes, sizes, (size_t)count * sizeof(*sizes));
		guard_in_plugin = 0;
		k->count = count;
	} else {
		call->misbehaved = "returned no kinds, or too many";
	}
	callbacks_free(kinds);
	callbacks_free(sizes);
	return rc;
}

static struct json_object *thread_id_kind_json(uint64_t kind)
{
	static const char *const names[] = {"OMPD_THREAD_ID_PTHREAD", "OMPD_THREAD_ID_LWP", "OMPD_THREAD_ID_WINTHREAD",
					    "OMPD_THREAD_ID_CUDALOGICAL"};

	return kind < sizeof(names) / sizeof(names[0]) ? json_object_new_string(names[kind]) : json_number_or_hex(kind);
}

struct error *handle_ompd_get_device_thread_id_kinds(struct worker *w,
						     const struct ompd_get_device_thread_id_kinds_params *p,
						     struct json_object **ret)
{
	struct thread_id_kinds k = {0};
	struct ompd_call call = {
		.routine = "ompd_get_device_thread_id_kinds",
		.needs = NEEDS_OPEN,
		.args = {OMPD_ARG(p, device_handle, HANDLE_ASPACE)},
		.fn = call_get_device_thread_id_kinds,
		.data = &k,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (err)
		return err;

	struct json_object *kinds = json_object_new_array_ext(k.count);
	struct json_object *sizes = json_object_new_array_ext(k.count);

	for (int i = 0; i < k.count; i++) {
		json_object_array_add(kinds, thread_id_kind_json(k.kinds[i]));
		json_object_array_add(sizes, json_number_or_hex(k.sizes[i]));
	}
	json_put(*ret, "kinds", kinds);
	json_put(*ret, "thread_id_sizes", sizes);
	json_put(*ret, "count", json_object_new_int(k.count));
	return NULL;
}

struct next_state {
	ompd_word_t current;
	ompd_word_t next;
	ompd_word_t more;
};

static int call_enumerate_states(struct plugin *p, struct ompd_call *call)
{
	struct next_state *s = call->data;
	const char *name = NULL;
	int rc = plugin_call(p, enumerate_states, call->args[0].object, s->current, &s->next, &name, &s->more);

	return ompd_call_take_text(call, rc, name, "returned no name");
}

struct error *handle_ompd_enumerate_states(struct worker *w, const struct ompd_enumerate_states_params *p,
					   struct json_object **ret)
{
	struct next_state s = {.current = p->current_state};
	struct ompd_call call = {
		.routine = "ompd_enumerate_states",
		.needs = NEEDS_OPEN,
		.args = {OMPD_ARG(p, address_space_handle, HANDLE_ASPACE)},
		.fn = call_enumerate_states,
		.data = &s,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (err)
		return err;
	json_put(*ret, "next_state", json_word(s.next));
	json_put(*ret, "next_state_name", ompd_call_text_json(&call));
	json_put(*ret, "more_enums", json_word(s.more));
	return NULL;
}

/*
 * The last list of the library, which ompd.rel_display_control_vars releases. All connections share it. A newer list,
 * or the end of the library, replaces it.
 */
static struct {
	const char *const *vars;
	int64_t client;
	unsigned generation; /* model_generation() of the list's library */
} display;

static bool display_is_of(const struct model *m)
{
	return display.vars && display.generation == model_generation(m);
}

static void release_display(const struct model *m, struct plugin *p)
{
	if (display_is_of(m))
		plugin_call(p, rel_display_control_vars, &display.vars);
	display.vars = NULL;
}

static int call_get_display_control_vars(struct plugin *p, struct ompd_call *call)
{
	struct json_object **array = call->data;
	const char *const *vars = NULL;

	release_display(call->model, p);
	int rc = plugin_call(p, get_display_control_vars, call->args[0].object, &vars);

	if (rc != ompd_rc_ok)
		return rc;
	display.vars = vars;
	display.client = call->w->client;
	display.generation = model_generation(call->model);
	json_object_put(*array);
	*array = ompd_call_texts_json(call, vars);
	return rc;
}

struct error *handle_ompd_get_display_control_vars(struct worker *w,
						   const struct ompd_get_display_control_vars_params *p,
						   struct json_object **ret)
{
	struct json_object *vars = NULL;
	struct ompd_call call = {
		.routine = "ompd_get_display_control_vars",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, address_space_handle, HANDLE_ASPACE)},
		.fn = call_get_display_control_vars,
		.data = &vars,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (err)
		json_object_put(vars);
	else
		json_put(*ret, "control_vars", vars);
	return err;
}

static int call_rel_display_control_vars(struct plugin *p, struct ompd_call *call)
{
	if (!display_is_of(call->model) || display.client != call->w->client)
		return ompd_rc_bad_input;
	int rc = plugin_call(p, rel_display_control_vars, &display.vars);

	display.vars = NULL;
	return rc;
}

struct error *handle_ompd_rel_display_control_vars(struct worker *w,
						   const struct ompd_rel_display_control_vars_params *p,
						   struct json_object **ret)
{
	struct ompd_call call = {
		.routine = "ompd_rel_display_control_vars",
		.needs = NEEDS_LIBRARY,
		.fn = call_rel_display_control_vars,
	};

	(void)p;
	return ompd_call_answer(w, &call, ret);
}

OMPD_CALL_DEFINE_RELEASE(rel_address_space_handle, handle, HANDLE_ASPACE)
