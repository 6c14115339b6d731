/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fills in data of a snapshot that only stacks have. Some runtimes store neither functions nor call sites. */
#include <omp-tools.h>

#include "openmp/model/model.h"
#include "openmp/plugin/plugin.h"
#include "openmp/stacks/stacks.h"

static void infer_function(struct snapshot_word *word, bool *is_inferred, uint64_t address)
{
	if (word->rc == ompd_rc_ok || !address)
		return;
	*word = (struct snapshot_word){ompd_rc_ok, (int64_t)address};
	*is_inferred = true;
}

/*
 * Segment @i of @t executes @task. The segment's first function is the task's function, and for an implicit task also
 * its region's function. A plugin calls the function of a target region, which the task entered further out.
 */
static void fill_functions(struct stacks *st, struct snapshot *s, const struct stacks_thread *t, uint32_t i,
			   struct snapshot_task *task)
{
	uint64_t start = stack_calls_function(st, t, i);

	/* A cut stack has another outermost function there. The initial task has no function but main(). */
	if ((i + 1 == t->n_segments && t->end != STACK_OUTERMOST) || stack_tasks_is_at_plugin(t, i + 1) ||
	    (task->kind != TASK_IMPLICIT && task->kind != TASK_EXPLICIT))
		return;
	infer_function(&task->function, &task->function_is_inferred, start);
	if (task->kind == TASK_IMPLICIT && task->parallel.index != SNAPSHOT_NONE) {
		struct snapshot_parallel *parallel = &s->parallels[task->parallel.index];

		infer_function(&parallel->function, &parallel->function_is_inferred, start);
	}
}

/* Find the place where the task in segment @i entered @region. */
static void fill_call_site(struct stacks *st, struct snapshot_parallel *region, const struct stacks_thread *t,
			   uint32_t i)
{
	struct stacks_place *entry = stacks_entry(st, t, i);

	if (entry && !region->call_site &&
	    (entry->construct == CONSTRUCT_PARALLEL || entry->construct == CONSTRUCT_TEAMS))
		region->call_site = entry;
}

/*
 * A compiler may call the code of a region with if(0) directly. Then no frame of the runtime separates it from the code
 * around, and all frames further out may belong to another task than they seem to.
 */
static bool is_unclear(const struct snapshot *s, uint32_t task)
{
	if (task == SNAPSHOT_NONE || s->tasks[task].parallel.index == SNAPSHOT_NONE)
		return false;
	const struct snapshot_parallel *region = &s->parallels[s->tasks[task].parallel.index];

	return region->level.value > 0 && region->team_size.value == 1;
}

static void fill_thread(struct stacks *st, struct snapshot *s, const struct stacks_thread *t)
{
	struct snapshot_thread *thread = &s->threads[t->thread];

	if (t->n_segments > 0) {
		thread->entry = stacks_entry(st, t, 0);
		if (thread->entry)
			thread->construct = thread->entry->construct;
		thread->is_in_doacross |= thread->entry && construct_is_of_doacross(thread->entry->callee);
		if (thread->construct == CONSTRUCT_LOCK)
			thread->lock =
				construct_is_of_nestable_lock(thread->entry->callee) ? LOCK_NESTABLE : LOCK_SIMPLE;
	}
	const struct error *why;
	const struct plugin *plugin = model_plugin(st->m, &why);
	bool misses_nests = plugin && plugin_has_quirk(plugin, "serialized_nests");
	uint32_t inner = t->task_is_over ? thread->task.index : SNAPSHOT_NONE;
	for (uint32_t i = 0; i < t->n_segments; i++) {
		uint32_t index = t->segments[i].task;

		if (misses_nests && is_unclear(s, index))
			break;
		/* The implicit task of the region that this thread encountered here, if it exists. */
		if (inner != SNAPSHOT_NONE && s->tasks[inner].kind == TASK_IMPLICIT &&
		    s->tasks[inner].parallel.index != SNAPSHOT_NONE && s->tasks[inner].generating.index == index &&
		    index != SNAPSHOT_NONE)
			fill_call_site(st, &s->parallels[s->tasks[inner].parallel.index], t, i);
		inner = index;
		if (index != SNAPSHOT_NONE)
			fill_functions(st, s, t, i, &s->tasks[index]);
	}
}

/* All implicit tasks of a region run the same function. */
static void share_functions(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_tasks; i++) {
		struct snapshot_task *task = &s->tasks[i];

		if (task->kind == TASK_IMPLICIT && task->parallel.index != SNAPSHOT_NONE &&
		    s->parallels[task->parallel.index].function.rc == ompd_rc_ok)
			infer_function(&task->function, &task->function_is_inferred,
				       (uint64_t)s->parallels[task->parallel.index].function.value);
	}
}

/* Note the threads that lack a register which would show a function. No stack has shown that function. */
static void note_missing_functions(struct stacks *st, const struct snapshot *s)
{
	for (size_t k = 0; k < st->n_threads; k++) {
		struct stacks_thread *t = &st->threads[k];

		for (uint32_t i = 0; i < t->n_segments; i++) {
			uint32_t index = t->segments[i].task, end = t->segments[i].end;

			if (index == SNAPSHOT_NONE || end >= t->n_frames || !t->frames[end].lacks_called ||
			    s->tasks[index].function.rc == ompd_rc_ok)
				continue;
			t->lacks_registers |=
				s->tasks[index].kind == TASK_IMPLICIT || s->tasks[index].kind == TASK_EXPLICIT;
		}
	}
}

/* Return whether frame @i is the runtime's, and its canonical frame address is known: the stack pointer of its caller.
 */
static bool is_runtime_frame(const struct stacks_thread *t, uint32_t i)
{
	return i + 1 < t->n_frames && t->frames[i].kind == FRAME_RUNTIME;
}

/* Return whether the code of segment @i is the outermost on its stack: the C library called it. */
static bool is_outermost(const struct stacks_thread *t, uint32_t i)
{
	uint32_t end = t->segments[i].end;

	return i + 1 == t->n_segments && t->end == STACK_OUTERMOST &&
	       (end == t->n_frames || t->frames[end].kind == FRAME_START);
}

/*
 * Set the frames of the task in segment @i, if frames of the runtime enclose its code: the frame that its code entered,
 * unless it is the innermost code, and the frame that called its code. The program's initial task has no such frame.
 */
static void fill_frames(const struct snapshot *s, const struct stacks_thread *t, uint32_t i, struct snapshot_task *task)
{
	const struct stacks_segment *segment = &t->segments[i];
	bool has_caller = is_runtime_frame(t, segment->end);

	if (task->frames_rc == ompd_rc_ok || t->thread == SNAPSHOT_NONE || segment->first == segment->end ||
	    is_unclear(s, segment->task) || segment->direct != CONSTRUCT_UNKNOWN ||
	    (i > 0 && t->segments[i - 1].direct != CONSTRUCT_UNKNOWN))
		return;
	if (segment->first > 0 && !is_runtime_frame(t, segment->first - 1))
		return;
	if (!has_caller && (task->kind != TASK_INITIAL || !is_outermost(t, i)))
		return;
	task->enter_frame = segment->first > 0 ? t->frames[segment->first].sp : 0;
	task->exit_frame = has_caller ? t->frames[segment->end + 1].sp : 0;
	task->enter_flags = task->exit_flags = ompt_frame_runtime | ompt_frame_cfa;
	task->frames_rc = ompd_rc_ok;
	task->frames_are_inferred = true;
}

/* After all stacks were assigned to tasks: the frames of tasks decide where their code ends. */
static void fill_all_frames(struct stacks *st, struct snapshot *s)
{
	for (size_t k = 0; k < st->n_threads; k++) {
		struct stacks_thread *t = &st->threads[k];

		for (uint32_t i = 0; t->is_unwound && i < t->n_segments; i++) {
			if (t->segments[i].task != SNAPSHOT_NONE)
				fill_frames(s, t, i, &s->tasks[t->segments[i].task]);
		}
	}
}

void stack_fill_snapshot(struct stacks *st, struct snapshot *s)
{
	for (size_t i = 0; i < st->n_threads; i++) {
		const struct stacks_thread *t = stacks_thread(st, i);

		if (t && t->thread != SNAPSHOT_NONE && s->threads[t->thread].openmp)
			fill_thread(st, s, t);
	}
	fill_all_frames(st, s);
	share_functions(s);
	note_missing_functions(st, s);
	if (s->parts & SNAPSHOT_HOLDERS)
		stack_held_find(st, s);
}
