/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copyprivate singles: the first thread passes its data on, the others wait for it. */
#include "core/loop/single.h"

#include "core/loop/workshare.h"
#include "core/sync/handover.h"
#include "core/task/task_run.h"

#define ANY_BIT UINT32_MAX

bool single_copy_begin(struct thread *t)
{
	return workshare_enter_nowait(t);
}

void single_copy_give(struct thread *t, void *data)
{
	struct share *share = &t->member->share;

	if (t->n_threads == 1)
		return;
	share->ws->data = data;
	/* As workshare_publish(), but the others may sleep. */
	handover_give(&share->ws->tag, 2 * share->number, &share->ws->data_sleepers, ANY_BIT);
}

void *single_copy_get(struct thread *t)
{
	struct workshare *ws = t->member->share.ws;
	struct waiter w = {0};
	uint32_t before;

	if (workshare_is_there(t))
		return ws->data;
	before = state_wait(t, ompt_state_wait_barrier_implicit_workshare, &ws->tag);
	while (!workshare_is_there(t)) {
		if (unlikely(team_has_tasks(t->team)) && task_run_one(t))
			waiter_reset(&w);
		else
			handover_wait(&w, false, &ws->tag, 2 * t->member->share.number - 1, &ws->data_sleepers,
				      ANY_BIT);
	}
	state_restore(t, before);
	return ws->data;
}
