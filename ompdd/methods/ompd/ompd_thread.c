/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompd.*: threads (OpenMP 5.2, 20.5.5 and 20.5.9). */
#include "methods/ompd/ompd_call.h"
#include "methods_worker.h"

/* The kinds of native ids that a client may pass, and the default size of each. */
struct thread_id {
	uint64_t kind;
	uint64_t size;
	uint64_t id;
};

static uint64_t size_of_kind(int64_t kind)
{
	return kind == (int64_t)OMPD_THREAD_ID_LWP ? sizeof(int32_t) : sizeof(uint64_t);
}

static int call_get_thread_handle(struct plugin *p, struct ompd_call *call)
{
	const struct thread_id *t = call->data;

	return plugin_call(p, get_thread_handle, call->args[0].object, t->kind, t->size, &t->id,
			   (ompd_thread_handle_t **)&call->object);
}

struct error *handle_ompd_get_thread_handle(struct worker *w, const struct ompd_get_thread_handle_params *p,
					    struct json_object **ret)
{
	struct thread_id id = {
		.kind = (uint64_t)p->kind,
		.size = p->has_sizeof_thread_id ? (uint64_t)p->sizeof_thread_id : size_of_kind(p->kind),
		.id = p->thread_id,
	};
	struct ompd_call call = {
		.routine = "ompd_get_thread_handle",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, handle, HANDLE_ASPACE)},
		.fn = call_get_thread_handle,
		.data = &id,
		.creates_kind = HANDLE_THREAD,
	};

	return ompd_call_answer_handle(w, &call, "thread_handle", ret);
}

static int call_get_thread_id(struct plugin *p, struct ompd_call *call)
{
	struct thread_id *t = call->data;

	t->id = 0;
	return plugin_call(p, get_thread_id, call->args[0].object, t->kind, t->size, &t->id);
}

struct error *handle_ompd_get_thread_id(struct worker *w, const struct ompd_get_thread_id_params *p,
					struct json_object **ret)
{
	struct thread_id id = {
		.kind = (uint64_t)p->kind,
		.size = p->has_sizeof_thread_id ? (uint64_t)p->sizeof_thread_id : size_of_kind(p->kind),
	};
	struct ompd_call call = {
		.routine = "ompd_get_thread_id",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, thread_handle, HANDLE_THREAD)},
		.fn = call_get_thread_id,
		.data = &id,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (!err)
		json_put(*ret, "thread_id", json_hex(id.id));
	return err;
}

struct thread_state {
	ompd_word_t state;
	ompd_wait_id_t wait_id;
};

static int call_get_state(struct plugin *p, struct ompd_call *call)
{
	struct thread_state *s = call->data;

	return plugin_call(p, get_state, call->args[0].object, &s->state, &s->wait_id);
}

struct error *handle_ompd_get_state(struct worker *w, const struct ompd_get_state_params *p, struct json_object **ret)
{
	struct thread_state state = {0};
	struct ompd_call call = {
		.routine = "ompd_get_state",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, thread_handle, HANDLE_THREAD)},
		.fn = call_get_state,
		.data = &state,
	};
	struct error *err = ompd_call_answer(w, &call, ret);

	if (err)
		return err;
	json_put(*ret, "state", json_word(state.state));
	json_put(*ret, "wait_id", json_hex(state.wait_id));
	return NULL;
}

static int call_get_thread_in_parallel(struct plugin *p, struct ompd_call *call)
{
	return plugin_call(p, get_thread_in_parallel, call->args[0].object, *(const int *)call->data,
			   (ompd_thread_handle_t **)&call->object);
}

struct error *handle_ompd_get_thread_in_parallel(struct worker *w, const struct ompd_get_thread_in_parallel_params *p,
						 struct json_object **ret)
{
	int thread_num = (int)p->thread_num;
	struct ompd_call call = {
		.routine = "ompd_get_thread_in_parallel",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, parallel_handle, HANDLE_PARALLEL)},
		.fn = call_get_thread_in_parallel,
		.data = &thread_num,
		.creates_kind = HANDLE_THREAD,
	};

	return ompd_call_answer_handle(w, &call, "thread_handle", ret);
}

static int call_get_device_from_thread(struct plugin *p, struct ompd_call *call)
{
	if (!plugin_routines(p)->get_device_from_thread)
		return ompd_rc_unsupported;
	return plugin_call(p, get_device_from_thread, call->args[0].object,
			   (ompd_address_space_handle_t **)&call->object);
}

struct error *handle_ompd_get_device_from_thread(struct worker *w, const struct ompd_get_device_from_thread_params *p,
						 struct json_object **ret)
{
	struct ompd_call call = {
		.routine = "ompd_get_device_from_thread",
		.needs = NEEDS_VIEW,
		.args = {OMPD_ARG(p, thread_handle, HANDLE_THREAD)},
		.fn = call_get_device_from_thread,
		.creates_kind = HANDLE_ASPACE,
	};

	return ompd_call_answer_handle(w, &call, "device", ret);
}

OMPD_CALL_DEFINE_COMPARE(thread_handle_compare, thread_handle_1, thread_handle_2, HANDLE_THREAD)

OMPD_CALL_DEFINE_RELEASE(rel_thread_handle, thread_handle, HANDLE_THREAD)
