/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks the library for tasks that have not started, region by region, and puts them into the snapshot. */
#include "openmp/model/state/queued.h"

#include "openmp/model/names.h"
#include "openmp/plugin/blocks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

static const char routine[] = "ompd_get_queued_tasks";

/* Checks that the library returned @n handles in a block from our allocator. */
static struct error *check_tasks(int rc, ompd_task_handle_t **tasks, ompd_word_t n, ompd_word_t max, ompd_word_t total)
{
	size_t size;

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned an unknown code");
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return NULL;
	if (n < 0 || n > max || total < n)
		return ompd_misbehaved(routine, "returned other numbers than requested");
	if (n > 0 && (!blocks_size(tasks, &size) || size < (size_t)n * sizeof(*tasks)))
		return ompd_misbehaved(routine, "returned handles in memory that it did not allocate");
	return NULL;
}

void queued_read_task(struct plugin *p, struct snapshot_task *task)
{
	ompd_word_t n = 0;
	int rc = ompd_rc_unsupported;

	if (plugin_routines(p)->get_task_predecessors)
		rc = plugin_call(p, get_task_predecessors, task->object, &n);
	task->predecessors = (struct snapshot_word){ompd_rc_is_valid(rc) ? rc : ompd_rc_error, n};
	n = 0;
	if (plugin_routines(p)->is_target_task && plugin_call(p, is_target_task, task->object, &n) == ompd_rc_ok)
		task->is_target = n != 0;
}

/* Adds the tasks to the snapshot. Takes ownership of the handles. */
static struct error *add_tasks(struct plugin *p, struct names *names, ompd_task_handle_t **tasks, ompd_word_t n)
{
	struct error *err = NULL;

	for (ompd_word_t i = 0; i < n; i++) {
		struct snapshot_ref ref;

		if (err) {
			plugin_call(p, rel_task_handle, tasks[i]);
			continue;
		}
		err = names_add_task(names, ompd_rc_ok, tasks[i], 0, routine, &ref);
		if (err || ref.index == SNAPSHOT_NONE)
			continue;
		names->s->tasks[ref.index].is_queued = true;
		queued_read_task(p, &names->s->tasks[ref.index]);
	}
	return err;
}

static struct error *find_in_region(struct plugin *p, struct names *names, size_t region, bool with_tasks,
				    ompd_word_t *left)
{
	struct snapshot_parallel *parallel = &names->s->parallels[region];
	ompd_task_handle_t **tasks = NULL;
	ompd_word_t n = 0, total = 0;
	int rc = plugin_call(p, get_queued_tasks, parallel->object, *left, &tasks, &n, &total);
	struct error *err = check_tasks(rc, tasks, n, *left, total);

	if (err)
		return err;
	parallel->n_queued = (struct snapshot_word){rc, total};
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return NULL;
	names->s->has_unlisted |= rc == ompd_rc_incomplete;
	names->s->truncated |= with_tasks && total > n && n == *left;
	/* An incomplete list counts, too: its tasks exist. */
	parallel->n_queued.rc = ompd_rc_ok;
	*left -= n;
	if (!n)
		return NULL;
	err = add_tasks(p, names, tasks, n);
	blocks_free(tasks);
	return err;
}

struct error *queued_find(struct plugin *p, struct names *names, bool with_tasks)
{
	ompd_word_t left = with_tasks ? QUEUED_MAX_TASKS : 0;

	for (size_t i = 0; i < names->s->n_parallels; i++)
		names->s->parallels[i].n_queued.rc = ompd_rc_unsupported;
	if (!plugin_routines(p)->get_queued_tasks)
		return NULL;
	for (size_t i = 0; i < names->s->n_parallels; i++) {
		struct error *err = find_in_region(p, names, i, with_tasks, &left);

		if (err)
			return err;
	}
	return NULL;
}
