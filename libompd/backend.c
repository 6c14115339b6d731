/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists that the backends fill. */
#include "backend.h"

#include "callbacks.h"

ompd_rc_t awaited_add(struct awaited_list *list, const struct awaited *item)
{
	if (list->n == list->max) {
		list->is_complete = false;
		return ompd_rc_ok;
	}
	RC_TRY(cb_reserve(&list->items, &list->room, list->n, 1, sizeof(*item)));
	list->items[list->n++] = *item;
	return ompd_rc_ok;
}

ompd_rc_t awaited_add_thread(struct awaited_list *list, struct thread_ref thread)
{
	return awaited_add(list, &(struct awaited){.has_thread = true, .thread = thread});
}

bool awaited_has_task(const struct awaited_list *list, ompd_addr_t task)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].task.task == task)
			return true;
	}
	return false;
}

ompd_rc_t queued_add(struct queued_tasks *list, const struct task_ref *task)
{
	if (list->n == list->max)
		return ompd_rc_ok;
	RC_TRY(cb_reserve(&list->tasks, &list->room, list->n, 1, sizeof(*task)));
	list->tasks[list->n++] = *task;
	return ompd_rc_ok;
}
