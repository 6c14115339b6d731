/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An OMPT tool that checks its events: each must be possible after the earlier ones, and the results of the entry points
 * must agree with them. It aborts at the first fault. At the end it writes the number of each event as JSON to the file of
 * CHECKER_OUT, if that is set. It is part of a program, or a library.
 */
#include <string.h>

#include "checker_state.h"

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
	struct agent *a = new(data, sizeof(*a), THREAD);

	a->type = type;
	CHECK(get_thread_data() == data);
	CHECK(type == ompt_thread_initial || type == ompt_thread_worker);
	ADD(threads);
	if (type == ompt_thread_initial)
		ADD(initial);
	else
		ADD(workers);
}

static void on_thread_end(ompt_data_t *data)
{
	struct agent *a = thing(data, THREAD);

	CHECK(a == self());
	CHECK(!a->current && !a->n_syncs && !a->wanted);
	a->thing.what = 0;
	ADD(ended);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *data, unsigned requested, int flags,
			      const void *code)
{
	struct agent *a = self();
	struct region *r = new(data, sizeof(*r), REGION);

	r->encountering = thing(task, TASK);
	r->is_league = flags & ompt_parallel_league;
	CHECK(a->current == r->encountering);
	CHECK(frame->enter_frame.ptr && code && requested);
	CHECK(!!(flags & ompt_parallel_team) != !!r->is_league);
	ask(a->current);
	ADD(regions);
	if (r->is_league)
		ADD(leagues);
	for (unsigned max = __atomic_load_n(&count.max_requested, __ATOMIC_RELAXED); requested > max;)
		if (__atomic_compare_exchange_n(&count.max_requested, &max, requested, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			break;
}

static void on_parallel_end(ompt_data_t *data, ompt_data_t *task, int flags, const void *code)
{
	struct region *r = thing(data, REGION);

	CHECK(self()->current == r->encountering && r->encountering == thing(task, TASK));
	CHECK(r->n_begun == r->actual && r->n_ended == r->actual);
	CHECK(code && !!(flags & ompt_parallel_league) == !!r->is_league);
	r->is_over = 1;
	r->thing.what = 0;
	ADD(regions_ended);
}

static void begin_implicit(ompt_data_t *parallel, ompt_data_t *data, unsigned size, unsigned index, int flags)
{
	struct agent *a = self();
	struct task *t = new(data, sizeof(*t), TASK);

	t->flags = flags;
	t->state = RUNNING;
	t->index = index;
	t->interrupted = flags & ompt_task_initial ? a->current : NULL;
	CHECK(parallel);
	if (parallel->ptr)
		t->region = thing(parallel, REGION);
	if (flags & ompt_task_implicit) {
		CHECK(t->region && index < size);
		CHECK(index || a->current == t->region->encountering);
		ADD(implicit);
	} else {
		CHECK(flags & ompt_task_initial);
		CHECK(t->region ? index < size : size == 1 && index == 1);
		ADD(initial_tasks);
	}
	if (t->region) {
		CHECK(!t->region->is_over);
		unsigned before = __atomic_exchange_n(&t->region->actual, size, __ATOMIC_RELAXED);
		CHECK(before == 0 || before == size);
		CHECK(__atomic_add_fetch(&t->region->n_begun, 1, __ATOMIC_RELAXED) <= size);
		CHECK(a->current == NULL || a->current == t->region->encountering);
	}
	a->current = t;
	ask(t);
	if (flags & ompt_task_implicit) {
		int n = 0;
		ompt_data_t *region = NULL;
		CHECK(get_parallel_info(0, &region, &n) == 2);
		CHECK(region == parallel && n == (int)size);
	}
}

static void end_implicit(ompt_data_t *data, unsigned size, unsigned index, int flags)
{
	struct agent *a = self();
	struct task *t = thing(data, TASK);

	CHECK(a->current == t && t->state == RUNNING);
	CHECK(size == 0 && index == t->index && flags == t->flags);
	t->state = DONE;
	t->thing.what = 0;
	a->current = t->interrupted;
	if (t->region) {
		CHECK(!t->region->is_over);
		if (index == 0 || t->region->is_league)
			a->current = t->region->encountering;
		__atomic_add_fetch(&t->region->n_ended, 1, __ATOMIC_RELAXED);
	}
	if (flags & ompt_task_initial)
		ADD(initial_tasks_ended);
	else
		ADD(implicit_ended);
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel, ompt_data_t *data, unsigned size, unsigned index,
			     int flags)
{
	if (at == ompt_scope_begin) {
		begin_implicit(parallel, data, size, index, flags);
	} else {
		CHECK(at == ompt_scope_end && !parallel);
		end_implicit(data, size, index, flags);
	}
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *data, int flags, int depends,
			   const void *code)
{
	struct task *t = new(data, sizeof(*t), TASK);

	t->parent = thing(parent, TASK);
	t->flags = flags;
	t->state = CREATED;
	CHECK(self()->current == t->parent);
	CHECK(frame->enter_frame.ptr && code);
	ask(t->parent);
	if (flags & ompt_task_taskwait) {
		CHECK(depends);
		return;
	}
	CHECK(flags & ompt_task_explicit);
	ADD(tasks);
	if (flags & ompt_task_undeferred)
		ADD(undeferred);
	if (flags & ompt_task_final)
		ADD(final);
	if (depends)
		ADD(dependent);
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int n)
{
	thing(task, TASK);
	for (int i = 0; i < n; i++) {
		CHECK(list[i].dependence_type >= ompt_dependence_type_in &&
		      list[i].dependence_type <= ompt_dependence_type_inoutset);
		ADD(dependences);
	}
}

static void on_task_schedule(ompt_data_t *from, ompt_task_status_t why, ompt_data_t *to)
{
	struct task *prior = thing(from, TASK), *next = NULL;
	struct agent *a;
	void *memory = NULL;
	size_t size = 0;

	if (why == ompt_taskwait_complete) {
		CHECK(!to && prior->flags & ompt_task_taskwait);
		prior->thing.what = 0;
		ADD(taskwaits);
		return;
	}
	if (why == ompt_task_early_fulfill || why == ompt_task_late_fulfill) {
		CHECK(!to && !prior->is_fulfilled);
		CHECK((why == ompt_task_late_fulfill) == (prior->state == DETACHED));
		prior->is_fulfilled = 1;
		if (why == ompt_task_late_fulfill) {
			prior->thing.what = 0;
			ADD(late);
			ADD(completed);
		} else {
			ADD(early);
		}
		return;
	}
	a = self();
	next = thing(to, TASK);
	CHECK(a->current == prior);
	if (why == ompt_task_switch || why == ompt_task_yield) {
		CHECK(next->state == CREATED);
		CHECK(prior->state == RUNNING);
		prior->state = WAITING;
		next->interrupted = prior;
		/* Data of the new task, if it is not the encountering one's. */
		CHECK(get_task_memory(&memory, &size, 0) == 0 && !memory == !size);
		if (why == ompt_task_yield)
			ADD(yields);
		ADD(scheduled);
	} else {
		CHECK(why == ompt_task_complete || why == ompt_task_cancel || why == ompt_task_detach);
		CHECK(prior->state == RUNNING && next == prior->interrupted && next->state == WAITING);
		CHECK(why != ompt_task_detach || !prior->is_fulfilled);
		if (why == ompt_task_detach) {
			ADD(detached);
			prior->state = DETACHED;
		} else {
			if (why == ompt_task_cancel)
				ADD(cancelled);
			ADD(completed);
			prior->state = DONE;
			prior->thing.what = 0;
		}
	}
	next->state = RUNNING;
	a->current = next;
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t at, ompt_data_t *parallel, ompt_data_t *task,
			   const void *code)
{
	struct agent *a = self();

	ompt_frame_t *frame = NULL;

	(void)code;
	/* The region is over. */
	CHECK(!parallel == (kind == ompt_sync_region_barrier_implicit_parallel && at == ompt_scope_end));
	if (kind == ompt_sync_region_barrier_implicit_parallel) {
		CHECK(get_task_info(0, NULL, NULL, &frame, NULL, NULL) == 2);
		CHECK(!frame->exit_frame.ptr && !frame->enter_frame.ptr);
	}
	CHECK(a->current == thing(task, TASK));
	a->n_syncs += at == ompt_scope_begin ? 1 : -1;
	CHECK(a->n_syncs >= 0 && kind != ompt_sync_region_barrier_explicit);
	if (at == ompt_scope_begin && kind == ompt_sync_region_barrier_implicit_parallel)
		ADD(barriers);
	if (at == ompt_scope_begin && kind == ompt_sync_region_barrier_implementation)
		ADD(copies);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *code)
{
	struct agent *a = self();

	CHECK(kind >= ompt_mutex_lock && kind <= ompt_mutex_ordered && hint == 0 && impl == 1 && id && code && !a->wanted);
	if (kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock)
		a->tested = id;
	else
		a->wanted = id;
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	struct agent *a = self();

	CHECK(code);
	CHECK((kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock ? a->tested : a->wanted) == id);
	a->wanted = a->tested = 0;
	ADD(acquired);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	CHECK(code && id && !self()->wanted);
	CHECK(kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock);
	ADD(released);
}

static void on_nest_lock(ompt_scope_endpoint_t at, ompt_wait_id_t id, const void *code)
{
	struct agent *a = self();

	CHECK(code && id);
	if (at == ompt_scope_begin) {
		CHECK(a->wanted == id || a->tested == id);
		a->wanted = a->tested = 0;
		ADD(nested);
	} else {
		CHECK(at == ompt_scope_end && !a->wanted);
		ADD(nested_ended);
	}
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *code)
{
	CHECK((kind == ompt_mutex_lock || kind == ompt_mutex_nest_lock) && hint == 0 && impl == 1 && id && code);
	ADD(locks);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	CHECK((kind == ompt_mutex_lock || kind == ompt_mutex_nest_lock) && id && code);
	ADD(locks_destroyed);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t at, ompt_data_t *parallel, ompt_data_t *task, uint64_t n, const void *code)
{
	struct agent *a = self();

	CHECK(a->current == thing(task, TASK) && parallel && code);
	if (at == ompt_scope_begin) {
		CHECK(kind && a->n_works < 8);
		a->works[a->n_works] = kind;
		a->counts[a->n_works++] = n;
		ADD(works);
	} else {
		CHECK(at == ompt_scope_end && a->n_works && a->works[--a->n_works] == kind && a->counts[a->n_works] == n);
		ADD(works_ended);
	}
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
	struct agent *a = self();
	ompt_dispatch_chunk_t *chunk = instance.ptr;
	uint64_t n = a->n_works ? a->counts[a->n_works - 1] : 0;

	CHECK(a->current == thing(task, TASK) && parallel && a->n_works && chunk);
	if (kind == ompt_dispatch_section) {
		CHECK(a->works[a->n_works - 1] == ompt_work_sections);
		ADD(sections);
		return;
	}
	CHECK(kind == ompt_dispatch_ws_loop_chunk && chunk->iterations && chunk->start < n && chunk->iterations <= n - chunk->start);
	__atomic_add_fetch(&count.iterations, (unsigned)chunk->iterations, __ATOMIC_RELAXED);
	ADD(chunks);
}

static void on_task_dependence(ompt_data_t *first, ompt_data_t *second)
{
	/* The first may be done by now, but not the second. */
	CHECK(first && thing(second, TASK));
	ADD(pairs);
}

static void on_error(ompt_severity_t severity, const char *message, size_t length, const void *code)
{
	CHECK((severity == ompt_warning || severity == ompt_fatal) && code && (message || !length));
	ADD(errors);
}

static void on_cancel(ompt_data_t *task, int flags, const void *code)
{
	int how = flags & (ompt_cancel_activated | ompt_cancel_detected | ompt_cancel_discarded_task);

	CHECK(self()->current == thing(task, TASK));
	CHECK(__builtin_popcount(how) == 1 && __builtin_popcount(flags & 15) == 1);
	if (how == ompt_cancel_discarded_task)
		ADD(discarded);
	else
		CHECK(code);
	if (how == ompt_cancel_activated)
		ADD(activated);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t at, int device, ompt_data_t *task, ompt_id_t id, const void *code)
{
	CHECK(kind && device == 0 && id && code);
	thing(task, TASK);
	if (at == ompt_scope_begin)
		ADD(targets);
	else
		ADD(targets_ended);
}

static void check_states(ompt_function_lookup_t lookup)
{
	ompt_enumerate_states_t next = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
	ompt_enumerate_mutex_impls_t next_impl = (ompt_enumerate_mutex_impls_t)lookup("ompt_enumerate_mutex_impls");
	int state = ompt_state_undefined, n = 0, impl = ompt_mutex_impl_none;
	const char *name = NULL;

	while (next(state, &state, &name)) {
		CHECK(strncmp(name, "ompt_state_", 11) == 0);
		CHECK(++n < 100);
	}
	CHECK(n == 22 && state == ompt_state_overhead);
	CHECK(next_impl(impl, &impl, &name) == 1 && name && !next_impl(impl, &impl, &name));
}

static void check_places(ompt_function_lookup_t lookup)
{
	int n = ((ompt_get_num_places_t)lookup("ompt_get_num_places"))(), ids[64];
	ompt_get_place_proc_ids_t procs = (ompt_get_place_proc_ids_t)lookup("ompt_get_place_proc_ids");

	CHECK(((ompt_get_num_procs_t)lookup("ompt_get_num_procs"))() > 0);
	CHECK(((ompt_get_proc_id_t)lookup("ompt_get_proc_id"))() >= 0);
	CHECK(((ompt_get_num_devices_t)lookup("ompt_get_num_devices"))() == 1);
	for (int i = 0; i < n; i++)
		CHECK(procs(i, 64, ids) > 0);
	CHECK(procs(n, 64, ids) == 0 && procs(-1, 64, ids) == 0);
	CHECK(n || ((ompt_get_place_num_t)lookup("ompt_get_place_num"))() == -1);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
	ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
	ompt_callback_t found = NULL;

	if (getenv("CHECKER_REFUSES"))
		return 0;
	CHECK(device == 0 && data->value == 17);
	data->value = 18;
	get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
	get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
	get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
	get_state = (ompt_get_state_t)lookup("ompt_get_state");
	finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
	CHECK(get_thread_data && get_task_info && get_parallel_info && get_state && finalize_tool);
	get_task_memory = (ompt_get_task_memory_t)lookup("ompt_get_task_memory");
	CHECK(get_task_memory && lookup("ompt_get_partition_place_nums") && lookup("ompt_get_target_info"));
	CHECK(!lookup("ompt_nothing"));
	check_states(lookup);
	check_places(lookup);
	uint64_t one = ((ompt_get_unique_id_t)lookup("ompt_get_unique_id"))();
	CHECK(one && one != ((ompt_get_unique_id_t)lookup("ompt_get_unique_id"))());
#define ALWAYS(event, function) CHECK(set(ompt_callback_##event, (ompt_callback_t)(function)) == ompt_set_always)
	ALWAYS(thread_begin, on_thread_begin);
	ALWAYS(thread_end, on_thread_end);
	ALWAYS(parallel_begin, on_parallel_begin);
	ALWAYS(parallel_end, on_parallel_end);
	ALWAYS(implicit_task, on_implicit_task);
	ALWAYS(task_create, on_task_create);
	ALWAYS(task_schedule, on_task_schedule);
	ALWAYS(target, on_target);
	CHECK(set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region) == ompt_set_sometimes_paired);
	CHECK(set(ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire) == ompt_set_sometimes);
	CHECK(set(ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex_acquired) == ompt_set_sometimes);
	CHECK(set(ompt_callback_mutex_released, (ompt_callback_t)on_mutex_released) == ompt_set_sometimes);
	ALWAYS(nest_lock, on_nest_lock);
	ALWAYS(lock_init, on_lock_init);
	ALWAYS(lock_destroy, on_lock_destroy);
	ALWAYS(error, on_error);
	CHECK(set(ompt_callback_work, (ompt_callback_t)on_work) == ompt_set_sometimes_paired);
	CHECK(set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch) == ompt_set_sometimes);
	CHECK(set(ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence) == ompt_set_sometimes);
	CHECK(set(ompt_callback_masked, (ompt_callback_t)initialize) == ompt_set_impossible);
	CHECK(set(ompt_callback_reduction, (ompt_callback_t)initialize) == ompt_set_impossible);
	CHECK(set(ompt_callback_cancel, (ompt_callback_t)on_cancel) == ompt_set_sometimes);
	CHECK(set(ompt_callback_dependences, (ompt_callback_t)on_dependences) == ompt_set_always);
	CHECK(set(ompt_callback_flush, (ompt_callback_t)initialize) == ompt_set_impossible);
	CHECK(set((ompt_callbacks_t)0, NULL) == ompt_set_error && set((ompt_callbacks_t)999, NULL) == ompt_set_error);
	CHECK(get(ompt_callback_task_create, &found) && found == (ompt_callback_t)on_task_create);
	CHECK(!get(ompt_callback_flush, &found));
	return 1;
}

static void finalize(ompt_data_t *data)
{
	const char *path = getenv("CHECKER_OUT");
	FILE *out;

	CHECK(data->value == 18);
	CHECK(ADD(finalized) == 1);
	if (!path)
		return;
	out = fopen(path, "w");
	CHECK(out);
	write_counts(out);
	fclose(out);
}

/* For a program that has it in itself: the tool's end before the program's. */
void checker_stop(void);
void checker_stop(void)
{
	finalize_tool();
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {17}};

	CHECK(version == 202111 && strstr(runtime, "ompdd"));
	return getenv("CHECKER_DECLINES") ? NULL : &result;
}
