/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the tasks that a thread waits for, and what else the library itself names for a wait: turns and data. */
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/wait/finding.h"
#include "openmp/plugin/ompd.h"

/* Answers of the library itself: turns, data, tasks. */

/*
 * Whether the thread waits in the state that the library was asked about. In doacross loops "ordered" is another wait.
 */
static bool is_as_requested(const struct snapshot *s, const struct snapshot_awaited *a)
{
	const struct snapshot_thread *thread = &s->threads[a->thread];

	return !a->as_state ||
	       (thread->state.rc == ompd_rc_ok && thread->state.value == a->as_state && !thread->is_in_doacross);
}

static const struct snapshot_awaited *get_awaited(const struct snapshot *s, uint32_t thread)
{
	for (size_t i = 0; i < s->n_awaited; i++) {
		const struct snapshot_awaited *a = &s->awaited[i];

		if (a->thread == thread && is_as_requested(s, a))
			return a->rc == ompd_rc_ok ? a : NULL;
	}
	return NULL;
}

static const char *describe_progress(int progress)
{
	switch (progress) {
	case OMPD_PROGRESS_READY:
		return "it is an awaited task and has not started";
	case OMPD_PROGRESS_DEPENDENT:
		return "it is an awaited task and waits for other tasks itself";
	case OMPD_PROGRESS_DETACHED:
		return "it is an awaited task: its code has ended, but its event has not been fulfilled";
	case OMPD_PROGRESS_OFFLOADED:
		return "it is an awaited target task, and a device has not finished its region";
	default:
		return "it is an awaited task and is being executed";
	}
}

static void add_task(struct finding *f, uint32_t index, enum holder_source source, const char *evidence)
{
	const struct snapshot_task *task = &f->s->tasks[index];
	struct holder h = {.thread = task->thread, .task = index, .source = source, .call = -1, .evidence = evidence};

	if (task->is_queued) {
		h.doing = HOLDER_QUEUED;
		if (task->predecessors.rc == ompd_rc_ok && task->predecessors.value > 0)
			h.n_predecessors = (uint32_t)task->predecessors.value;
	} else if (task->thread != SNAPSHOT_NONE) {
		const struct snapshot_thread *thread = &f->s->threads[task->thread];

		finding_note_activity(&h, thread);
		/* The thread has left this task for another one. */
		if (thread->task.index != index)
			h.doing = HOLDER_WAITS;
	}
	finding_add(f, &h);
}

static void add_awaited_task(struct finding *f, const struct snapshot_awaited_item *item)
{
	uint32_t n = f->wait->n_holders;

	add_task(f, item->task, HOLDER_FROM_PLUGIN, describe_progress(item->progress));
	if (f->wait->n_holders > n && item->progress == OMPD_PROGRESS_DETACHED)
		f->holders[n].doing = HOLDER_DETACHED;
	/* While the data is mapped, a thread executes the task. */
	if (f->wait->n_holders > n && item->progress == OMPD_PROGRESS_OFFLOADED &&
	    f->holders[n].thread == SNAPSHOT_NONE)
		f->holders[n].doing = HOLDER_OFFLOADED;
}

static bool is_holder(const struct finding *f, uint32_t task)
{
	for (uint32_t i = 0; i < f->wait->n_holders; i++) {
		if (f->holders[i].task == task)
			return true;
	}
	return false;
}

/* The library lists the tasks of the waiting thread's team. Helper threads of another team may execute its children. */
static void add_other_children(struct finding *f)
{
	for (uint32_t i = 0; i < f->s->n_tasks && f->wait->task != SNAPSHOT_NONE; i++) {
		const struct snapshot_task *task = &f->s->tasks[i];

		if (task->kind == TASK_EXPLICIT && task->thread != SNAPSHOT_NONE &&
		    task->generating.index == f->wait->task && !is_holder(f, i))
			add_task(f, i, HOLDER_FROM_PLUGIN, "it is a child task that is being executed");
	}
}

bool finding_awaited(struct finding *f)
{
	const struct snapshot_awaited *awaited = get_awaited(f->s, f->wait->thread);

	if (!awaited)
		return false;
	for (uint32_t i = 0; i < awaited->n; i++) {
		const struct snapshot_awaited_item *item = &f->s->awaited_items[awaited->first + i];

		if (item->task != SNAPSHOT_NONE)
			add_awaited_task(f, item);
		else if (item->thread != SNAPSHOT_NONE)
			finding_add_thread(f, item->thread, HOLDER_FROM_PLUGIN,
					   f->wait->kind == HOLDER_SINGLE ? "it executes the single construct"
									  : "it has the turn");
	}
	f->wait->is_complete = awaited->is_complete && f->wait->n_holders == awaited->n;
	if (!f->wait->is_complete && f->wait->kind == HOLDER_TASKWAIT)
		add_other_children(f);
	if (!f->wait->is_complete)
		f->wait->unknown = f->wait->kind == HOLDER_ORDERED
					   ? "no thread has started the iteration that has the turn"
				   : f->wait->kind == HOLDER_TASKWAIT || f->wait->kind == HOLDER_TASKGROUP
					   ? "some awaited tasks are neither queued nor executed: they may be "
					     "detached, with an event that has not been fulfilled"
					   : "some awaited tasks are not known";
	return true;
}

/* Tasks: descendants that are not done. */

bool holder_task_descends(const struct snapshot *s, uint32_t task, uint32_t ancestor)
{
	for (unsigned i = 0; i < MODEL_MAX_DEPTH && task != SNAPSHOT_NONE; i++) {
		task = s->tasks[task].generating.index;
		if (task == ancestor)
			return true;
	}
	return false;
}

void finding_tasks(struct finding *f)
{
	const struct snapshot *s = f->s;
	uint32_t own = f->wait->task;

	f->wait->unknown = "tasks that are neither executed nor queued are not listed";
	if (own == SNAPSHOT_NONE)
		return;
	for (uint32_t i = 0; i < s->n_tasks; i++) {
		const struct snapshot_task *task = &s->tasks[i];

		if (task->kind != TASK_EXPLICIT || (!task->is_queued && task->thread == SNAPSHOT_NONE))
			continue;
		if (f->wait->kind == HOLDER_TASKWAIT && task->generating.index == own)
			add_task(f, i, HOLDER_FROM_PLUGIN,
				 task->is_queued ? "it is a child task that has not started"
						 : "it is a child task that is being executed");
		else if (f->wait->kind == HOLDER_TASKGROUP && holder_task_descends(s, i, own))
			add_task(f, i, HOLDER_INFERRED,
				 "it descends from the waiting task and may belong to the group");
	}
}
