/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of snapshots as JSON: regions and tasks, and the lists of all. */
#include "methods/json/state_json.h"

#include <stdlib.h>

#include "methods/json/json.h"
#include "methods/json/stack_json.h"
#include "methods/json/state_builder.h"
#include "methods/json/thread_json.h"

static struct json_object *parallel_json(struct state_builder *b, const struct snapshot_parallel *p)
{
	struct json_object *o = json_object_new_object();
	struct json_object *threads = json_object_new_array_ext((int)p->n_members);

	json_put(o, "handle", state_builder_handle(b, HANDLE_PARALLEL, p->number));
	state_builder_put_runtime(b, o);
	json_put(o, "level", state_builder_int(b, &p->level));
	json_put(o, "active_level", state_builder_int(b, &p->active_level));
	json_put(o, "team_size", state_builder_int(b, &p->team_size));
	json_put(o, "enclosing", state_builder_ref(b, HANDLE_PARALLEL, &p->enclosing));
	json_put(o, "function", state_builder_function(b, &p->function, p->function_is_inferred));
	if (p->call_site)
		json_put(o, "call_site", stack_call_site_json(b->stacks, p->call_site));
	state_builder_put_location(b, o, p->location);
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
		json_put(o, "icvs", state_builder_icvs(b, &b->s->parallel_icvs, p->icvs, false));
	return o;
}

static struct json_object *kind_json(struct state_builder *b, const struct snapshot_task *task)
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
	return state_builder_rc(b, task->kind_rc);
}

/* Return the tasks that the task at @index waits for; NULL: not requested. */
static struct json_object *waits_for_json(struct state_builder *b, uint32_t index)
{
	const struct snapshot *s = b->s;
	const struct snapshot_awaited *a = s->awaited, *end = a ? a + s->n_awaited : NULL;

	while (a < end && a->task != index)
		a++;
	if (a == end)
		return NULL;
	if (a->rc != ompd_rc_ok)
		return state_builder_rc(b, a->rc);
	struct json_object *o = json_object_new_object(), *tasks = json_object_new_array();
	bool is_complete = a->is_complete;

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t task = s->awaited_items[a->first + i].task;

		if (task == SNAPSHOT_NONE)
			is_complete = false;
		else
			json_object_array_add(tasks, state_builder_handle(b, HANDLE_TASK, s->tasks[task].number));
	}
	json_put(o, "tasks", tasks);
	json_put(o, "complete", json_object_new_boolean(is_complete));
	return o;
}

/* Add the frames that enclose the task's code, if they were requested and are known. */
static void put_frames(struct state_builder *b, struct json_object *o, const struct snapshot_task *task)
{
	/* The stacks may have been read for the states of threads alone. */
	if (!(b->s->parts & SNAPSHOT_FRAMES) || !b->stacks || !b->stacks->s || task->frames_rc != ompd_rc_ok ||
	    (!task->exit_frame && !task->enter_frame))
		return;
	const ompd_frame_info_t leave = {{ompd_segment_none, task->exit_frame}, task->exit_flags};
	const ompd_frame_info_t enter = {{ompd_segment_none, task->enter_frame}, task->enter_flags};
	struct json_object *frames = json_object_new_object();

	json_put(frames, "exit_frame", json_frame(&leave));
	json_put(frames, "enter_frame", json_frame(&enter));
	json_put(frames, "source", json_object_new_string(task->frames_are_inferred ? "inferred" : "plugin"));
	json_put(o, "frames", frames);
}

static struct json_object *task_json(struct state_builder *b, const struct snapshot_task *task)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "handle", state_builder_handle(b, HANDLE_TASK, task->number));
	state_builder_put_runtime(b, o);
	json_put(o, "kind", kind_json(b, task));
	json_put(o, "thread",
		 task->thread == SNAPSHOT_NONE ? state_builder_rc(b, ompd_rc_unavailable)
					       : json_object_new_int(b->s->threads[task->thread].tid));
	json_put(o, "parallel", state_builder_ref(b, HANDLE_PARALLEL, &task->parallel));
	json_put(o, "generating", state_builder_ref(b, HANDLE_TASK, &task->generating));
	json_put(o, "scheduling", state_builder_ref(b, HANDLE_TASK, &task->scheduling));
	json_put(o, "function", state_builder_function(b, &task->function, task->function_is_inferred));
	state_builder_put_location(b, o, task->location);
	put_frames(b, o, task);
	/* In a running target, a thread may have started the task meanwhile. */
	if (task->is_queued && task->thread == SNAPSHOT_NONE) {
		struct json_object *queued = json_object_new_object();

		struct json_object *waits_for = waits_for_json(b, (uint32_t)(task - b->s->tasks));

		json_put(queued, "predecessors", state_builder_int(b, &task->predecessors));
		if (waits_for)
			json_put(queued, "waits_for", waits_for);
		json_put(o, "queued", queued);
	}
	json_put(o, "icvs",
		 state_builder_icvs(b, &b->s->task_icvs, b->s->parts & SNAPSHOT_NO_ICVS ? NULL : task->icvs, false));
	return o;
}

/* Return whether thread number @i, @tid, is an OpenMP thread of any view. All views list the threads of one moment. */
static bool is_of_some(const struct state_view *views, size_t n, size_t i, pid_t tid)
{
	for (size_t k = 0; k < n; k++) {
		const struct snapshot *s = views[k].snapshot;

		if (i < s->n_threads && s->threads[i].tid == tid && s->threads[i].openmp)
			return true;
	}
	return false;
}

/* Add the threads. With several views, threads without a runtime are listed with the first view. */
static void add_threads(struct state_builder *b, const struct state_view *views, size_t n, struct json_object *array)
{
	for (size_t i = 0; i < b->s->n_threads; i++) {
		const struct snapshot_thread *thread = &b->s->threads[i];

		if (thread->openmp || n == 1 || (b->s == views[0].snapshot && !is_of_some(views, n, i, thread->tid)))
			json_object_array_add(array, thread_json(b, thread));
	}
}

/* Sort the outermost region first. */
static int compare_parallels(const void *pa, const void *pb)
{
	const struct snapshot_parallel *a = *(const struct snapshot_parallel *const *)pa;
	const struct snapshot_parallel *b = *(const struct snapshot_parallel *const *)pb;

	if (a->level.value != b->level.value)
		return a->level.value < b->level.value ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void add_parallels(struct state_builder *b, struct json_object *array)
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

static void add_tasks(struct state_builder *b, struct json_object *array)
{
	for (size_t i = 0; i < b->s->n_tasks; i++)
		json_object_array_add(array, task_json(b, &b->s->tasks[i]));
}

static struct state_builder builder_for(struct worker *w, const struct state_view *view, bool tells_runtime)
{
	return (struct state_builder){
		.w = w,
		.model = view->model,
		.s = view->snapshot,
		.stacks = view->stacks,
		.seen = view->seen,
		.tells_runtime = tells_runtime,
	};
}

struct json_object *state_json_icvs(struct worker *w, const struct state_view *view)
{
	struct state_builder b = builder_for(w, view, false);
	struct json_object *icvs = state_builder_icvs(&b, &view->snapshot->process_icvs, view->snapshot->icvs, true);

	state_builder_deinit(&b);
	return icvs;
}

void state_json_put_parts(struct json_object *o, struct worker *w, unsigned parts, const struct state_view *views,
			  size_t n, bool tell_runtime)
{
	struct json_object *threads = parts & SNAPSHOT_STATES ? json_object_new_array() : NULL;
	struct json_object *parallels = parts & SNAPSHOT_PARALLELS ? json_object_new_array() : NULL;
	struct json_object *tasks = parts & SNAPSHOT_TASKS ? json_object_new_array() : NULL;

	for (size_t i = 0; i < n; i++) {
		struct state_builder b = builder_for(w, &views[i], tell_runtime);

		b.tells_lines = parts & SNAPSHOT_DEPENDENCES;
		if (threads)
			add_threads(&b, views, n, threads);
		if (parallels)
			add_parallels(&b, parallels);
		if (tasks)
			add_tasks(&b, tasks);
		state_builder_deinit(&b);
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
