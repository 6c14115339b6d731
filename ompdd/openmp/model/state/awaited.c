/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks the library about waits in ordered, copyprivate, taskwait and taskgroup, and about dependences. */
#include "openmp/model/state/awaited.h"

#include <stdlib.h>

#include <omp-tools.h>

#include "base/vector.h"
#include "openmp/model/handle_thread.h"
#include "openmp/model/model.h"
#include "openmp/model/names.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/state/queued.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "target/target.h"

static const char routine[] = "ompd_get_awaited";

/* States to try for threads whose state the library does not report. */
static const int as_states[] = {ompt_state_wait_ordered, ompt_state_wait_taskwait};

/* Checks that the library returned @n items in a block from our allocator, each with exactly one handle. */
static struct error *check_items(int rc, const ompd_awaited_t *items, ompd_word_t n)
{
	size_t size;

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned an unknown code");
	if (rc != ompd_rc_ok)
		return NULL;
	if (n < 0 || n > AWAITED_MAX)
		return ompd_misbehaved(routine, "returned more items than requested");
	if (n > 0 && (!blocks_size((void *)(uintptr_t)items, &size) || size < (size_t)n * sizeof(*items)))
		return ompd_misbehaved(routine, "returned memory that it did not allocate");
	for (ompd_word_t i = 0; i < n; i++) {
		if (!items[i].thread_handle == !items[i].task_handle)
			return ompd_misbehaved(routine, "returned an item that is neither one thread nor one task");
	}
	return NULL;
}

/* A task that waits for another task's event is in no list, so it may not be marked as queued yet. */
static void note_progress(struct plugin *p, struct snapshot_task *task, int progress)
{
	if (task->is_queued || (progress != OMPD_PROGRESS_READY && progress != OMPD_PROGRESS_DEPENDENT))
		return;
	task->is_queued = true;
	queued_read_task(p, task);
}

static struct plugin *get_plugin(struct model *m)
{
	const struct error *why;

	return model_plugin(m, &why);
}

static struct error *add_item(struct model *m, struct names *names, const ompd_awaited_t *item, struct error *err)
{
	struct snapshot *s = names->s;
	struct snapshot_awaited_item new = {
		.thread = SNAPSHOT_NONE,
		.task = SNAPSHOT_NONE,
		.progress = (int)item->progress,
	};
	struct plugin *p = get_plugin(m);

	if (item->thread_handle) {
		const struct target_thread *found = handle_thread(m, item->thread_handle, &new.tid);

		if (found)
			new.tid = found->tid;
		plugin_call(p, rel_thread_handle, item->thread_handle);
	} else if (err) {
		plugin_call(p, rel_task_handle, item->task_handle);
	} else {
		struct snapshot_ref ref;

		err = names_add_task(names, ompd_rc_ok, item->task_handle, 0, routine, &ref);
		new.task = ref.index;
		if (ref.index != SNAPSHOT_NONE)
			note_progress(p, &s->tasks[ref.index], new.progress);
	}
	if (err)
		return err;
	if (!VECTOR_GROW(s->awaited_items, s->n_awaited_items, s->awaited_items_cap))
		return &error_nomem;
	s->awaited_items[s->n_awaited_items++] = new;
	return NULL;
}

/* Stores the answer: @rc and @n @items, which it frees. @new has the waiter, `as_state` and `is_complete`. */
static struct error *store_answer(struct model *m, struct names *names, int rc, ompd_awaited_t *items, ompd_word_t n,
				  struct snapshot_awaited new)
{
	struct snapshot *s = names->s;
	struct error *err = check_items(rc, items, n);

	if (err)
		return err;
	if (!VECTOR_GROW(s->awaited, s->n_awaited, s->awaited_cap))
		return &error_nomem;
	new.rc = rc;
	new.first = (uint32_t)s->n_awaited_items;
	for (ompd_word_t i = 0; i < n && rc == ompd_rc_ok; i++)
		err = add_item(m, names, &items[i], err);
	new.n = (uint32_t)s->n_awaited_items - new.first;
	s->awaited[s->n_awaited++] = new;
	if (n && rc == ompd_rc_ok)
		blocks_free(items);
	return err;
}

/* Asks about @thread or @task; the other one is NULL. @as_state: for a thread in this state, unless it is 0. */
static struct error *request_items(struct model *m, struct names *names, ompd_thread_handle_t *thread,
				   ompd_task_handle_t *task, uint32_t thread_index, uint32_t task_index, int as_state)
{
	struct plugin *p = get_plugin(m);
	ompd_awaited_t *items = NULL;
	ompd_word_t n = 0, is_complete = 0;

	int rc = as_state ? plugin_call(p, get_awaited_as, thread, as_state, AWAITED_MAX, &items, &n, &is_complete)
			  : plugin_call(p, get_awaited, thread, task, AWAITED_MAX, &items, &n, &is_complete);

	return store_answer(m, names, rc, items, n,
			    (struct snapshot_awaited){.thread = thread_index,
						      .task = task_index,
						      .as_state = as_state,
						      .is_complete = is_complete != 0});
}

struct error *awaited_ask_spinning(struct model *m, struct names *names, ompd_thread_handle_t *object, uint32_t index,
				   const struct awaited_place *place)
{
	const ompd_place_t where = {.function = place->function,
				    .pc = place->pc,
				    .registers = place->registers->value,
				    .known = place->registers->known};
	ompd_awaited_t *items = NULL;
	ompd_word_t n = 0, is_complete = 0;

	int rc = plugin_call(get_plugin(m), get_awaited_at, object, &where, AWAITED_MAX, &items, &n, &is_complete);

	return store_answer(
		m, names, rc, items, n,
		(struct snapshot_awaited){.thread = index, .task = SNAPSHOT_NONE, .is_complete = is_complete != 0});
}

static struct error *try_states(struct model *m, struct names *names, ompd_thread_handle_t *object, uint32_t index)
{
	struct error *err = NULL;

	for (size_t i = 0; i < sizeof(as_states) / sizeof(as_states[0]) && !err; i++)
		err = request_items(m, names, object, NULL, index, SNAPSHOT_NONE, as_states[i]);
	return err;
}

struct error *awaited_ask_thread(struct model *m, struct names *names, ompd_thread_handle_t *object, uint32_t index)
{
	const struct snapshot_thread *thread = &names->s->threads[index];
	struct plugin *p = get_plugin(m);

	if (!plugin_routines(p)->get_awaited)
		return NULL;
	bool is_for_holders = names->s->parts & SNAPSHOT_HOLDERS;

	if (!is_for_holders && names->s->n_awaited >= AWAITED_MAX_DEPENDENCES)
		return NULL;
	if (thread->state.rc != ompd_rc_ok)
		return is_for_holders && plugin_routines(p)->get_awaited_as ? try_states(m, names, object, index)
									    : NULL;
	switch ((int)thread->state.value) {
	case ompt_state_wait_ordered:
		/* The state was inferred from the word that it sleeps on: the library does not report it. */
		if (thread->state_is_inferred && plugin_routines(p)->get_awaited_as)
			return request_items(m, names, object, NULL, index, SNAPSHOT_NONE, ompt_state_wait_ordered);
		return request_items(m, names, object, NULL, index, SNAPSHOT_NONE, 0);
	case ompt_state_wait_barrier_implicit_workshare:
	case ompt_state_wait_taskwait:
	case ompt_state_wait_taskgroup:
		return request_items(m, names, object, NULL, index, SNAPSHOT_NONE, 0);
	default:
		return NULL;
	}
}

struct error *awaited_ask_tasks(struct model *m, struct names *names)
{
	unsigned max = names->s->parts & SNAPSHOT_HOLDERS ? AWAITED_MAX_TASKS : AWAITED_MAX_DEPENDENCES;
	unsigned n_asked = 0;

	if (!plugin_routines(get_plugin(m))->get_awaited)
		return NULL;
	/* Naming more tasks may move the array. */
	for (uint32_t i = 0; i < names->s->n_tasks && n_asked < max; i++) {
		const struct snapshot_task *task = &names->s->tasks[i];

		if (!task->is_queued || task->predecessors.rc != ompd_rc_ok || task->predecessors.value < 1)
			continue;
		struct error *err = request_items(m, names, NULL, task->object, SNAPSHOT_NONE, i, 0);
		if (err)
			return err;
		n_asked++;
	}
	return NULL;
}

void awaited_resolve(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_awaited_items; i++) {
		for (uint32_t k = 0; s->awaited_items[i].tid && k < s->n_threads; k++) {
			if (s->threads[k].tid == s->awaited_items[i].tid)
				s->awaited_items[i].thread = k;
		}
	}
}
