/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread as JSON: its activity, its wait, its place, and why any of these is not known. */
#include "methods/json/thread_json.h"

#include "methods/json/json.h"
#include "methods/json/stack_json.h"
#include "openmp/model/states.h"
#include "rpc/json_write.h"
#include "target/arch/syscalls.h"
#include "target/modules/emulator.h"
#include "target/modules/modules.h"

static struct error *why_unknown(const struct state_builder *b, enum state_unknown why)
{
	if (why == STATE_UNKNOWN_RUNNING)
		return error_create(
			ERR_THREAD_RUNNING,
			"the runtime does not store the states of its threads, and this thread was running");
	if (why == STATE_UNKNOWN_NOT_SAMPLED)
		return error_hint(
			error_create(ERR_THREAD_RUNNING, "it did not get enough processor time to be sampled"),
			"ask for longer, or attach with mode \"stop\"");
	if (why == STATE_UNKNOWN_STACK)
		return error_create(ERR_STACK_INCOMPLETE,
				    "too few registers of a running thread are known to find the program's code");
	if (why == STATE_UNKNOWN_EMULATED)
		return error_create(
			ERR_STATE_UNPROVEN,
			"%s executes the program: registers and system calls of the thread are those of the emulator",
			target_emulator(b->w->target));
	struct error *err = error_create(ERR_STATE_UNPROVEN,
					 "neither the runtime's memory nor the thread's place proves its state");

	if (target_mode(b->w->target) == TARGET_OBSERVE)
		return error_hint(err, "diagnose.get examines its stack as well; mode \"stop\" shows more of it");
	return error_hint(err, "diagnose.get examines its stack as well");
}

static struct json_object *share_reason(struct state_builder *b, enum state_unknown why)
{
	if (!b->reasons[why]) {
		struct error *err = why_unknown(b, why);

		b->reasons[why] = json_reason(err);
		error_destroy(err);
	}
	return json_object_get(b->reasons[why]);
}

/* Return why the thread has no state: neither the library nor another source provided one. */
static struct json_object *unknown_state_json(struct state_builder *b, const struct snapshot_thread *thread)
{
	if (target_emulator(b->w->target))
		return share_reason(b, STATE_UNKNOWN_EMULATED);
	bool is_observed = target_mode(b->w->target) == TARGET_OBSERVE;

	return share_reason(b, is_observed && !thread->activity.known ? STATE_UNKNOWN_RUNNING : STATE_UNKNOWN_UNPROVEN);
}

static struct json_object *state_json(struct state_builder *b, const struct snapshot_thread *thread)
{
	const struct snapshot_word *state = &thread->state;

	if (state->rc == ompd_rc_unavailable)
		return unknown_state_json(b, thread);
	if (state->rc != ompd_rc_ok)
		return state_builder_rc(b, state->rc);
	if (b->last_state && b->last_state_word.value == state->value &&
	    b->last_state_inferred == thread->state_is_inferred)
		return json_object_get(b->last_state);

	const char *name = states_name(model_states(b->model), state->value);
	struct json_object *o = json_object_new_object();

	json_put(o, "name", json_object_new_string(name ? name : "unknown"));
	json_put(o, "value", json_object_new_int64(state->value));
	json_put(o, "source", json_object_new_string(thread->state_is_inferred ? "inferred" : "plugin"));
	json_object_put(b->last_state);
	b->last_state = json_object_get(o);
	b->last_state_word = *state;
	b->last_state_inferred = thread->state_is_inferred;
	return o;
}

/* Add the variable's name. All threads of a team wait for the same one, so its name is built once. */
static void put_variable(struct state_builder *b, struct json_object *o, uint64_t address)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	if (address != b->last_wait_id) {
		json_object_put(b->last_wait);
		b->last_wait = NULL;
		b->last_wait_id = address;
		if (target_object_at(b->w->target, address, symbol, sizeof(symbol), &offset)) {
			b->last_wait = json_object_new_object();
			json_put(b->last_wait, "symbol", json_variable(symbol));
			json_put(b->last_wait, "offset", json_object_new_int64((int64_t)offset));
			struct json_object *name = json_variable_name(symbol, offset);
			if (name)
				json_put(b->last_wait, "name", name);
		}
	}
	if (!b->last_wait)
		return;
	json_object_object_foreach(b->last_wait, key, value) json_put(o, key, json_object_get(value));
}

/*
 * Return whether the thread waits at a barrier of its own region. Waits in the states
 * ompt_state_wait_barrier_implementation and _teams may be for other barriers.
 */
static bool is_at_barrier(const struct snapshot_thread *thread)
{
	return thread->wait == WAIT_BARRIER || (thread->wait == WAIT_UNKNOWN && thread->state.rc == ompd_rc_ok &&
						thread->state.value >= ompt_state_wait_barrier &&
						thread->state.value <= ompt_state_wait_barrier_explicit);
}

static struct json_object *wait_json(struct state_builder *b, const struct snapshot_thread *thread)
{
	static const char *const what[] = {
		[WAIT_UNKNOWN] = NULL,	[WAIT_BARRIER] = "barrier",	[WAIT_DOCK] = "dock",
		[WAIT_LOCK] = "lock",	[WAIT_CRITICAL] = "critical",	[WAIT_ATOMIC] = "atomic",
		[WAIT_MUTEX] = "mutex", [WAIT_SEMAPHORE] = "semaphore",
	};

	if (thread->wait_id.rc != ompd_rc_ok)
		return state_builder_rc(b, thread->wait_id.rc);
	struct json_object *o = json_object_new_object();

	json_put(o, "value", json_hex((uint64_t)thread->wait_id.value));
	if (what[thread->wait])
		json_put(o, "what", json_object_new_string(what[thread->wait]));
	put_variable(b, o, (uint64_t)thread->wait_id.value);
	if (is_at_barrier(thread) && thread->parallel.rc == ompd_rc_ok)
		json_put(o, "parallel", state_builder_ref(b, HANDLE_PARALLEL, &thread->parallel));
	json_put(o, "source", json_object_new_string(thread->wait_is_inferred ? "inferred" : "plugin"));
	return o;
}

/* Add the kernel's data of a thread that was not stopped. */
static void put_kernel(struct json_object *o, const struct snapshot_thread *thread)
{
	const struct target_activity *a = &thread->activity;
	const char *state = NULL;

	switch (thread->kernel_state) {
	case 'R':
		state = "running";
		break;
	case 'S':
	case 'D':
		state = "asleep";
		break;
	case 'T':
	case 't':
		state = "stopped";
		break;
	default:
		return;
	}
	struct json_object *kernel = json_object_new_object();
	const char *call = a->known && a->in_syscall ? syscall_name(a->syscall) : NULL;

	json_put(kernel, "state", json_object_new_string(state));
	if (call && thread->kernel_state != 'R')
		json_put(kernel, "syscall", json_object_new_string(call));
	json_put(o, "kernel", kernel);
}

/* Return the thread's place in the program. */
static struct json_object *place_json(struct state_builder *b, const struct snapshot_thread *thread)
{
	const struct stack_where *where = b->seen->wheres ? &b->seen->wheres[thread - b->s->threads] : NULL;

	if (where && where->pc) {
		struct json_object *o = stack_where_json(where);

		json_put(o, "source", json_object_new_string("inferred"));
		return o;
	}
	if (target_emulator(b->w->target))
		return share_reason(b, STATE_UNKNOWN_EMULATED);
	if (target_mode(b->w->target) != TARGET_OBSERVE)
		return state_builder_rc(b, ompd_rc_unavailable);
	if (thread->activity.known)
		return share_reason(b, STATE_UNKNOWN_STACK);
	return b->seen->why ? json_reason(b->seen->why) : share_reason(b, STATE_UNKNOWN_NOT_SAMPLED);
}

struct json_object *thread_json(struct state_builder *b, const struct snapshot_thread *thread)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "tid", json_object_new_int(thread->tid));
	json_put(o, "pthread", thread->pthread ? json_hex(thread->pthread) : state_builder_rc(b, ompd_rc_unavailable));
	/* A core has only the main thread's name. */
	json_put(o, "comm",
		 thread->comm[0] || target_mode(b->w->target) != TARGET_CORE
			 ? json_text(thread->comm)
			 : state_builder_rc(b, ompd_rc_unavailable));
	put_kernel(o, thread);
	if (thread->is_racy)
		json_put(o, "racy", json_object_new_boolean(true));
	if (!thread->openmp) {
		json_put(o, "openmp",
			 thread->openmp_rc == ompd_rc_unavailable ? json_object_new_boolean(false)
								  : state_builder_rc(b, thread->openmp_rc));
		return o;
	}
	json_put(o, "openmp", json_object_new_boolean(true));
	state_builder_put_runtime(b, o);
	json_put(o, "thread_num", state_builder_int(b, &thread->thread_num));
	json_put(o, "state", state_json(b, thread));
	json_put(o, "wait_id", wait_json(b, thread));
	if (thread->has_device)
		json_put(o, "device", json_object_new_int(thread->device));
	if (b->seen)
		json_put(o, "place", place_json(b, thread));
	state_builder_put_location(b, o, thread->location);
	if (thread->entry)
		json_put(o, "construct", stack_in_construct_json(b->stacks, thread->entry));
	json_put(o, "parallel", state_builder_ref(b, HANDLE_PARALLEL, &thread->parallel));
	json_put(o, "task", state_builder_ref(b, HANDLE_TASK, &thread->task));
	if (b->s->thread_icvs.n > 0)
		json_put(o, "icvs", state_builder_icvs(b, &b->s->thread_icvs, thread->icvs, false));
	return o;
}
