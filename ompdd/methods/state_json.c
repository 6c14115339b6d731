/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of snapshots as JSON. Members that hundreds of threads and tasks have alike are one shared object. */
#include "methods/state_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods/json.h"
#include "methods/stack_json.h"
#include "openmp/model/handles.h"
#include "openmp/model/location.h"
#include "openmp/model/model.h"
#include "openmp/model/states.h"
#include "rpc/json_write.h"
#include "rpc/utf8.h"
#include "target/syscalls.h"

#define N_RC 14

/* Why a thread has no state, or no place. */
enum unknown { UNKNOWN_RUNNING, UNKNOWN_UNPROVEN, UNKNOWN_NOT_SAMPLED, UNKNOWN_STACK, N_UNKNOWN };

/* What is built once and shared by reference. */
struct builder {
	struct worker *w;
	const struct model *model;
	const struct snapshot *s;
	struct stacks *stacks;
	struct stack_seen *seen;
	bool tells_runtime;
	struct json_object *rcs[N_RC];
	struct json_object *last_icvs; /* of the set and values below */
	const struct snapshot_icv_set *last_set;
	const struct icv_value *last_values;
	struct json_object *last_wait; /* name and offset of the variable at the address below; NULL: none */
	uint64_t last_wait_id;
	struct json_object *last_state;
	struct json_object *last_location_json; /* of the one below */
	const struct snapshot_location *last_location;
	struct json_object *reasons[N_UNKNOWN]; /* why a state or place is not known */
	struct snapshot_word last_state_word;
	bool last_state_inferred;
	/* "t1:e14:par:", which all handles of a kind begin with */
	char prefix[HANDLE_KINDS][HANDLE_NAME_SIZE];
	size_t prefix_len[HANDLE_KINDS];
};

static void builder_deinit(struct builder *b)
{
	for (int i = 0; i < N_RC; i++)
		json_object_put(b->rcs[i]);
	json_object_put(b->last_icvs);
	json_object_put(b->last_state);
	json_object_put(b->last_location_json);
	json_object_put(b->last_wait);
	for (int i = 0; i < N_UNKNOWN; i++)
		json_object_put(b->reasons[i]);
}

static struct json_object *share_rc(struct builder *b, int rc)
{
	if (rc <= 0 || rc >= N_RC)
		rc = ompd_rc_error;
	if (!b->rcs[rc])
		b->rcs[rc] = json_rc(rc);
	return json_object_get(b->rcs[rc]);
}

static struct json_object *int_json(struct builder *b, const struct snapshot_word *word)
{
	return word->rc == ompd_rc_ok ? json_object_new_int64(word->value) : share_rc(b, word->rc);
}

static struct json_object *handle_json(struct builder *b, enum handle_kind kind, uint32_t number)
{
	char text[HANDLE_NAME_SIZE + 10], digits[10];
	size_t len = b->prefix_len[kind], n = 0;

	if (len == 0) {
		/* Make the prefix from a name with number 0, which no handle has, less its digit. */
		len = handle_name_write(b->w->target_id, b->s->epoch, b->s->runtime, kind, 0, b->prefix[kind]) - 1;
		b->prefix_len[kind] = len;
	}
	memcpy(text, b->prefix[kind], len);
	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (n > 0)
		text[len++] = digits[--n];
	return json_object_new_string_len(text, (int)len);
}

static struct json_object *ref_json(struct builder *b, enum handle_kind kind, const struct snapshot_ref *ref)
{
	return ref->rc == ompd_rc_ok ? handle_json(b, kind, ref->number) : share_rc(b, ref->rc);
}

static void put_location(struct builder *b, struct json_object *o, const struct snapshot_location *location)
{
	if (!location)
		return;
	if (location != b->last_location) {
		json_object_put(b->last_location_json);
		b->last_location_json = state_location_json(location);
		b->last_location = location;
	}
	json_put(o, "location", json_object_get(b->last_location_json));
}

static struct json_object *icv_json(const struct icv_def *def, const struct icv_value *value, bool with_scope)
{
	struct json_object *o = json_object_new_object();
	char text[24];

	if (with_scope)
		json_put(o, "scope", json_object_new_string(icv_scope_name(def->scope)));
	if (value->rc != ompd_rc_ok) {
		json_put(o, "rc", json_object_new_string(error_ompd_rc_name(value->rc)));
		return o;
	}
	if (value->text) {
		json_put(o, "value", utf8_json(value->text));
	} else {
		snprintf(text, sizeof(text), "%lld", (long long)value->number);
		json_put(o, "value", json_object_new_string(text));
	}
	if (value->has_number)
		json_put(o, "int", json_word(value->number));
	return o;
}

static bool icvs_equal(const struct snapshot_icv_set *set, const struct icv_value *a, const struct icv_value *b)
{
	for (size_t i = 0; i < set->n; i++) {
		if (a[i].rc != b[i].rc || a[i].has_number != b[i].has_number || a[i].number != b[i].number ||
		    !a[i].text != !b[i].text)
			return false;
		if (a[i].text && strcmp(a[i].text, b[i].text) != 0)
			return false;
	}
	return true;
}

static struct json_object *icvs_json(struct builder *b, const struct snapshot_icv_set *set,
				     const struct icv_value *values, bool with_scope)
{
	if (b->last_icvs && b->last_set == set && values && icvs_equal(set, values, b->last_values))
		return json_object_get(b->last_icvs);

	struct json_object *o = json_object_new_object();

	for (size_t i = 0; values && i < set->n; i++) {
		if (values[i].rc == SNAPSHOT_ICV_NOT_HERE)
			continue;
		/* The names are the model's, which outlives the answer. */
		json_object_object_add_ex(o, set->defs[i]->name, icv_json(set->defs[i], &values[i], with_scope),
					  JSON_C_OBJECT_ADD_CONSTANT_KEY);
	}
	if (values) {
		json_write_freeze(o);
		json_object_put(b->last_icvs);
		b->last_icvs = json_object_get(o);
		b->last_set = set;
		b->last_values = values;
	}
	return o;
}

static struct json_object *function_json(struct builder *b, const struct snapshot_word *function, bool is_inferred)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	if (function->rc != ompd_rc_ok)
		return share_rc(b, function->rc);
	struct json_object *o = json_object_new_object();

	json_put(o, "address", json_hex((uint64_t)function->value));
	if (target_symbol_at(b->w->target, (uint64_t)function->value, symbol, sizeof(symbol), &offset) && offset == 0)
		json_put(o, "symbol", json_function(symbol));
	else
		json_put(o, "symbol", share_rc(b, ompd_rc_unavailable));
	if (is_inferred)
		json_put(o, "source", json_object_new_string("inferred"));
	return o;
}

static struct error *why_unknown(const struct builder *b, enum unknown why)
{
	if (why == UNKNOWN_RUNNING)
		return error_create(ERR_THREAD_RUNNING,
				    "the runtime does not write down what its threads do, and this one was running");
	if (why == UNKNOWN_NOT_SAMPLED)
		return error_hint(
			error_create(ERR_THREAD_RUNNING, "it was not given enough of a processor to be sampled"),
			"ask for longer, or attach with mode \"stop\"");
	if (why == UNKNOWN_STACK)
		return error_create(
			ERR_STACK_INCOMPLETE,
			"of a thread that is not stopped too few registers are known to find the program's code");
	struct error *err = error_create(ERR_STATE_UNPROVEN,
					 "neither the runtime's memory nor where the thread is proves what it does");

	if (target_mode(b->w->target) == TARGET_OBSERVE)
		return error_hint(err, "diagnose.get looks at its stack, too; mode \"stop\" shows more of it");
	return error_hint(err, "diagnose.get looks at its stack, too");
}

static struct json_object *share_reason(struct builder *b, enum unknown why)
{
	if (!b->reasons[why]) {
		struct error *err = why_unknown(b, why);

		b->reasons[why] = json_reason(err);
		error_destroy(err);
	}
	return json_object_get(b->reasons[why]);
}

/* The library has none, and nothing showed one. */
static struct json_object *unknown_state_json(struct builder *b, const struct snapshot_thread *thread)
{
	bool is_observed = target_mode(b->w->target) == TARGET_OBSERVE;

	return share_reason(b, is_observed && !thread->activity.known ? UNKNOWN_RUNNING : UNKNOWN_UNPROVEN);
}

static struct json_object *state_json(struct builder *b, const struct snapshot_thread *thread)
{
	const struct snapshot_word *state = &thread->state;

	if (state->rc == ompd_rc_unavailable)
		return unknown_state_json(b, thread);
	if (state->rc != ompd_rc_ok)
		return share_rc(b, state->rc);
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

/* What the threads of a team wait for has one name for all. */
static void put_variable(struct builder *b, struct json_object *o, uint64_t address)
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
		}
	}
	if (!b->last_wait)
		return;
	json_object_object_foreach(b->last_wait, key, value) json_put(o, key, json_object_get(value));
}

/* A barrier of a team is that of the thread's own region; ompt_state_wait_barrier_implementation and _teams need not
 * be. */
static bool is_at_barrier(const struct snapshot_thread *thread)
{
	return thread->wait == WAIT_BARRIER || (thread->wait == WAIT_UNKNOWN && thread->state.rc == ompd_rc_ok &&
						thread->state.value >= ompt_state_wait_barrier &&
						thread->state.value <= ompt_state_wait_barrier_explicit);
}

static struct json_object *wait_json(struct builder *b, const struct snapshot_thread *thread)
{
	static const char *const what[] = {
		[WAIT_UNKNOWN] = NULL,	[WAIT_BARRIER] = "barrier",	[WAIT_DOCK] = "dock",
		[WAIT_LOCK] = "lock",	[WAIT_CRITICAL] = "critical",	[WAIT_ATOMIC] = "atomic",
		[WAIT_MUTEX] = "mutex", [WAIT_SEMAPHORE] = "semaphore",
	};

	if (thread->wait_id.rc != ompd_rc_ok)
		return share_rc(b, thread->wait_id.rc);
	struct json_object *o = json_object_new_object();

	json_put(o, "value", json_hex((uint64_t)thread->wait_id.value));
	if (what[thread->wait])
		json_put(o, "what", json_object_new_string(what[thread->wait]));
	put_variable(b, o, (uint64_t)thread->wait_id.value);
	if (is_at_barrier(thread) && thread->parallel.rc == ompd_rc_ok)
		json_put(o, "parallel", ref_json(b, HANDLE_PARALLEL, &thread->parallel));
	json_put(o, "source", json_object_new_string(thread->wait_is_inferred ? "inferred" : "plugin"));
	return o;
}

/* What the kernel shows of a thread that nobody has stopped. */
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

/* Where in the program it is. */
static struct json_object *place_json(struct builder *b, const struct snapshot_thread *thread)
{
	if (thread->place)
		return stack_call_site_json(&b->seen->stacks, thread->place);
	if (target_mode(b->w->target) != TARGET_OBSERVE)
		return share_rc(b, ompd_rc_unavailable);
	if (thread->activity.known)
		return share_reason(b, UNKNOWN_STACK);
	return b->seen->why ? json_reason(b->seen->why) : share_reason(b, UNKNOWN_NOT_SAMPLED);
}

static void put_runtime(const struct builder *b, struct json_object *o)
{
	if (b->tells_runtime)
		json_put(o, "runtime", json_object_new_int((int)b->s->runtime));
}

static struct json_object *thread_json(struct builder *b, const struct snapshot_thread *thread)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "tid", json_object_new_int(thread->tid));
	json_put(o, "pthread", thread->pthread ? json_hex(thread->pthread) : share_rc(b, ompd_rc_unavailable));
	/* A core has no names but that of the main thread. */
	json_put(o, "comm",
		 thread->comm[0] || target_mode(b->w->target) != TARGET_CORE ? utf8_json(thread->comm)
									     : share_rc(b, ompd_rc_unavailable));
	put_kernel(o, thread);
	if (!thread->openmp) {
		json_put(o, "openmp",
			 thread->openmp_rc == ompd_rc_unavailable ? json_object_new_boolean(false)
								  : share_rc(b, thread->openmp_rc));
		return o;
	}
	json_put(o, "openmp", json_object_new_boolean(true));
	put_runtime(b, o);
	json_put(o, "thread_num", int_json(b, &thread->thread_num));
	json_put(o, "state", state_json(b, thread));
	json_put(o, "wait_id", wait_json(b, thread));
	if (b->seen)
		json_put(o, "place", place_json(b, thread));
	put_location(b, o, thread->location);
	if (thread->entry)
		json_put(o, "construct", stack_in_construct_json(b->stacks, thread->entry));
	json_put(o, "parallel", ref_json(b, HANDLE_PARALLEL, &thread->parallel));
	json_put(o, "task", ref_json(b, HANDLE_TASK, &thread->task));
	if (b->s->thread_icvs.n > 0)
		json_put(o, "icvs", icvs_json(b, &b->s->thread_icvs, thread->icvs, false));
	return o;
}

static struct json_object *parallel_json(struct builder *b, const struct snapshot_parallel *p)
{
	struct json_object *o = json_object_new_object();
	struct json_object *threads = json_object_new_array_ext((int)p->n_members);

	json_put(o, "handle", handle_json(b, HANDLE_PARALLEL, p->number));
	put_runtime(b, o);
	json_put(o, "level", int_json(b, &p->level));
	json_put(o, "active_level", int_json(b, &p->active_level));
	json_put(o, "team_size", int_json(b, &p->team_size));
	json_put(o, "enclosing", ref_json(b, HANDLE_PARALLEL, &p->enclosing));
	json_put(o, "function", function_json(b, &p->function, p->function_is_inferred));
	if (p->call_site)
		json_put(o, "call_site", stack_call_site_json(b->stacks, p->call_site));
	put_location(b, o, p->location);
	for (uint32_t i = 0; i < p->n_members; i++)
		json_object_array_add(threads, json_object_new_int(b->s->threads[p->members[i]].tid));
	json_put(o, "threads", threads);
	if (p->n_arrived.rc == ompd_rc_ok) {
		struct json_object *arrived = json_object_new_object();

		json_put(arrived, "threads", json_object_new_int64(p->n_arrived.value));
		json_put(arrived, "exact", json_object_new_boolean(p->arrived_is_exact));
		json_put(o, "arrived", arrived);
	}
	if (p->n_queued.rc == ompd_rc_ok)
		json_put(o, "queued", json_object_new_int64(p->n_queued.value));
	if (b->s->parallel_icvs.n > 0)
		json_put(o, "icvs", icvs_json(b, &b->s->parallel_icvs, p->icvs, false));
	return o;
}

static struct json_object *kind_json(struct builder *b, const struct snapshot_task *task)
{
	switch (task->kind) {
	case TASK_INITIAL:
		return json_object_new_string("initial");
	case TASK_IMPLICIT:
		return json_object_new_string("implicit");
	case TASK_EXPLICIT:
		return json_object_new_string("explicit");
	case TASK_UNKNOWN:
		break;
	}
	return share_rc(b, task->kind_rc);
}

/* Which tasks the one at @index waits for; NULL: nobody has asked. */
static struct json_object *waits_for_json(struct builder *b, uint32_t index)
{
	const struct snapshot *s = b->s;
	const struct snapshot_awaited *a = s->awaited, *end = a ? a + s->n_awaited : NULL;

	while (a < end && a->task != index)
		a++;
	if (a == end)
		return NULL;
	if (a->rc != ompd_rc_ok)
		return share_rc(b, a->rc);
	struct json_object *o = json_object_new_object(), *tasks = json_object_new_array();
	bool is_complete = a->is_complete;

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t task = s->awaited_items[a->first + i].task;

		if (task == SNAPSHOT_NONE)
			is_complete = false;
		else
			json_object_array_add(tasks, handle_json(b, HANDLE_TASK, s->tasks[task].number));
	}
	json_put(o, "tasks", tasks);
	json_put(o, "complete", json_object_new_boolean(is_complete));
	return o;
}

static struct json_object *task_json(struct builder *b, const struct snapshot_task *task)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "handle", handle_json(b, HANDLE_TASK, task->number));
	put_runtime(b, o);
	json_put(o, "kind", kind_json(b, task));
	json_put(o, "thread",
		 task->thread == SNAPSHOT_NONE ? share_rc(b, ompd_rc_unavailable)
					       : json_object_new_int(b->s->threads[task->thread].tid));
	json_put(o, "parallel", ref_json(b, HANDLE_PARALLEL, &task->parallel));
	json_put(o, "generating", ref_json(b, HANDLE_TASK, &task->generating));
	json_put(o, "scheduling", ref_json(b, HANDLE_TASK, &task->scheduling));
	json_put(o, "function", function_json(b, &task->function, task->function_is_inferred));
	put_location(b, o, task->location);
	/* In a running target a thread may have begun the task meanwhile. */
	if (task->is_queued && task->thread == SNAPSHOT_NONE) {
		struct json_object *queued = json_object_new_object();

		struct json_object *waits_for = waits_for_json(b, (uint32_t)(task - b->s->tasks));

		json_put(queued, "predecessors", int_json(b, &task->predecessors));
		if (waits_for)
			json_put(queued, "waits_for", waits_for);
		json_put(o, "queued", queued);
	}
	json_put(o, "icvs", icvs_json(b, &b->s->task_icvs, b->s->parts & SNAPSHOT_NO_ICVS ? NULL : task->icvs, false));
	return o;
}

/* Whether thread number @i, @tid, is one of the OpenMP threads of some view: all list the threads of one moment. */
static bool is_of_some(const struct state_view *views, size_t n, size_t i, pid_t tid)
{
	for (size_t k = 0; k < n; k++) {
		const struct snapshot *s = views[k].snapshot;

		if (i < s->n_threads && s->threads[i].tid == tid && s->threads[i].openmp)
			return true;
	}
	return false;
}

/* Of several views: those that are of none come with the first. */
static void add_threads(struct builder *b, const struct state_view *views, size_t n, struct json_object *array)
{
	for (size_t i = 0; i < b->s->n_threads; i++) {
		const struct snapshot_thread *thread = &b->s->threads[i];

		if (thread->openmp || n == 1 || (b->s == views[0].snapshot && !is_of_some(views, n, i, thread->tid)))
			json_object_array_add(array, thread_json(b, thread));
	}
}

/* Outermost first. */
static int compare_parallels(const void *pa, const void *pb)
{
	const struct snapshot_parallel *a = *(const struct snapshot_parallel *const *)pa;
	const struct snapshot_parallel *b = *(const struct snapshot_parallel *const *)pb;

	if (a->level.value != b->level.value)
		return a->level.value < b->level.value ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void add_parallels(struct builder *b, struct json_object *array)
{
	size_t n = b->s->n_parallels;
	const struct snapshot_parallel **sorted = malloc((n ? n : 1) * sizeof(*sorted));

	if (!sorted)
		return;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &b->s->parallels[i];
	qsort(sorted, n, sizeof(*sorted), compare_parallels);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(array, parallel_json(b, sorted[i]));
	free(sorted);
}

static void add_tasks(struct builder *b, struct json_object *array)
{
	for (size_t i = 0; i < b->s->n_tasks; i++)
		json_object_array_add(array, task_json(b, &b->s->tasks[i]));
}

static struct builder builder_for(struct worker *w, const struct state_view *view, bool tells_runtime)
{
	return (struct builder){
		.w = w,
		.model = view->model,
		.s = view->snapshot,
		.stacks = view->stacks,
		.seen = view->seen,
		.tells_runtime = tells_runtime,
	};
}

struct json_object *state_location_json(const struct snapshot_location *location)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "file", utf8_json(location->file));
	json_put(o, "line", json_object_new_int(location->line));
	if (location->column > 0)
		json_put(o, "column", json_object_new_int(location->column));
	json_put(o, "function", json_function(location->function));
	return o;
}

struct json_object *state_json_icvs(struct worker *w, const struct state_view *view)
{
	struct builder b = builder_for(w, view, false);
	struct json_object *icvs = icvs_json(&b, &view->snapshot->process_icvs, view->snapshot->icvs, true);

	builder_deinit(&b);
	return icvs;
}

void state_json_put_parts(struct json_object *o, struct worker *w, unsigned parts, const struct state_view *views,
			  size_t n, bool tell_runtime)
{
	struct json_object *threads = parts & SNAPSHOT_STATES ? json_object_new_array() : NULL;
	struct json_object *parallels = parts & SNAPSHOT_PARALLELS ? json_object_new_array() : NULL;
	struct json_object *tasks = parts & SNAPSHOT_TASKS ? json_object_new_array() : NULL;

	for (size_t i = 0; i < n; i++) {
		struct builder b = builder_for(w, &views[i], tell_runtime);

		if (threads)
			add_threads(&b, views, n, threads);
		if (parallels)
			add_parallels(&b, parallels);
		if (tasks)
			add_tasks(&b, tasks);
		builder_deinit(&b);
	}
	if (threads)
		json_put(o, "threads", threads);
	if (parallels)
		json_put(o, "parallels", parallels);
	if (tasks)
		json_put(o, "tasks", tasks);
	if (parts & SNAPSHOT_ICVS)
		json_put(o, "icvs", state_json_icvs(w, &views[0]));
}
