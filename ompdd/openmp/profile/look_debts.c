/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles samples that wait for a stack: for their own stack, or for a stack that shows their state. */
#include "openmp/profile/look.h"

void look_owe(struct look_thread *t, enum profile_state state, uint64_t t_us, uint64_t us)
{
	struct look_debt *debt = &t->debts[state];

	if (!debt->n++)
		debt->since_us = t_us;
	debt->us += us;
}

void look_add_to_tree(struct look *l, uint32_t node, enum profile_state state, uint64_t us)
{
	/* An idle thread is in no region, although memory may name one at the moment of the sampling. */
	if (l->tally->keeps_stacks)
		stack_tree_add(&l->tally->tree, state == PROFILE_IDLE ? STACK_TREE_ROOT : node, state, us);
}

void look_pay(struct look *l, uint32_t i, struct look_thread *t)
{
	for (uint32_t k = 0; k < t->n_samples; k++) {
		const struct trail *trail = t->samples[k];
		uint32_t node = UINT32_MAX;

		if (!paths_fits(&l->paths, i, trail))
			continue;
		for (unsigned state = 0; state < PROFILE_UNKNOWN; state++) {
			struct look_debt *debt = &t->debts[state];
			uint64_t us = debt->us / (t->n_samples - k);

			if (!debt->n || !trail_can_be(trail, (enum profile_state)state))
				continue;
			if (node == UINT32_MAX)
				node = paths_node(&l->paths, i, trail);
			look_add_to_tree(l, node, (enum profile_state)state, us);
			debt->us -= us;
			if (!debt->us)
				debt->n = 0;
		}
	}
}

void look_add_unknown(struct look *l, struct look_thread *t, enum profile_state state, uint32_t lock, uint64_t t_us)
{
	struct look_debt *debt = &t->debts[PROFILE_UNKNOWN];
	struct tally_sample sample = {
		.tid = t->tid,
		.thread_num = t->unknown_num,
		.state = state,
		.n_late = debt->n,
		.region = t->unknown_region,
		.lock = lock,
		.task = TALLY_NONE,
	};

	if (!debt->n)
		return;
	tally_add(l->tally, &sample, t_us, debt->us);
	if (state == PROFILE_UNKNOWN)
		l->no_stacks += debt->n;
	for (uint32_t n = debt->n; state != PROFILE_UNKNOWN && n > 0; n--)
		look_owe(t, state, t_us, n == 1 ? debt->us : 0);
	*debt = (struct look_debt){0};
}

void look_give_up(struct look *l, struct look_thread *t, uint64_t t_us, uint64_t before_us)
{
	for (unsigned state = 0; state < PROFILE_UNKNOWN; state++) {
		struct look_debt *debt = &t->debts[state];

		if (!debt->n || debt->since_us >= before_us)
			continue;
		l->no_stacks += debt->n;
		*debt = (struct look_debt){0};
	}
	if (t->debts[PROFILE_UNKNOWN].since_us < before_us)
		look_add_unknown(l, t, PROFILE_UNKNOWN, TALLY_NONE, t_us);
}

void look_settle(struct look *l, uint64_t t_us)
{
	for (size_t i = 0; i < l->n_threads; i++)
		look_give_up(l, &l->threads[i], t_us, UINT64_MAX);
}
