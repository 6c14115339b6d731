/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles samples that wait for a stack: for their own stack, or for a stack that shows their state. */
#include "openmp/profile/look.h"

void look_add_pending(struct look_thread *t, enum profile_state state, uint64_t t_us, uint64_t us)
{
	struct look_pending *pending = &t->pending[state];

	if (!pending->n++)
		pending->since_us = t_us;
	pending->us += us;
}

void look_add_to_tree(struct look *l, uint32_t node, enum profile_state state, uint64_t us)
{
	/* An idle thread is in no region, although memory may name one at the moment of the sampling. */
	if (l->tally->keeps_stacks)
		stack_tree_add(&l->tally->tree, state == PROFILE_IDLE ? STACK_TREE_ROOT : node, state, us);
}

void look_assign_pending(struct look *l, uint32_t i, struct look_thread *t)
{
	for (uint32_t k = 0; k < t->n_samples; k++) {
		const struct call_chain *chain = t->samples[k];
		uint32_t node = UINT32_MAX;

		if (!paths_fits(&l->paths, i, chain))
			continue;
		for (unsigned state = 0; state < PROFILE_UNKNOWN; state++) {
			struct look_pending *pending = &t->pending[state];
			uint64_t us = pending->us / (t->n_samples - k);

			if (!pending->n || !call_chain_can_be(chain, (enum profile_state)state))
				continue;
			if (node == UINT32_MAX)
				node = paths_node(&l->paths, i, chain);
			look_add_to_tree(l, node, (enum profile_state)state, us);
			pending->us -= us;
			if (!pending->us)
				pending->n = 0;
		}
	}
}

void look_add_unknown(struct look *l, struct look_thread *t, enum profile_state state, uint32_t lock, uint64_t t_us)
{
	struct look_pending *pending = &t->pending[PROFILE_UNKNOWN];
	struct tally_sample sample = {
		.tid = t->tid,
		.thread_num = t->unknown_num,
		.state = state,
		.n_late = pending->n,
		.region = t->unknown_region,
		.lock = lock,
		.task = TALLY_NONE,
	};

	if (!pending->n)
		return;
	tally_add(l->tally, &sample, t_us, pending->us);
	if (state == PROFILE_UNKNOWN)
		l->no_stacks += pending->n;
	for (uint32_t n = pending->n; state != PROFILE_UNKNOWN && n > 0; n--)
		look_add_pending(t, state, t_us, n == 1 ? pending->us : 0);
	*pending = (struct look_pending){0};
}

void look_drop_pending(struct look *l, struct look_thread *t, uint64_t t_us, uint64_t before_us)
{
	for (unsigned state = 0; state < PROFILE_UNKNOWN; state++) {
		struct look_pending *pending = &t->pending[state];

		if (!pending->n || pending->since_us >= before_us)
			continue;
		l->no_stacks += pending->n;
		*pending = (struct look_pending){0};
	}
	if (t->pending[PROFILE_UNKNOWN].since_us < before_us)
		look_add_unknown(l, t, PROFILE_UNKNOWN, TALLY_NONE, t_us);
}

void look_settle(struct look *l, uint64_t t_us)
{
	for (size_t i = 0; i < l->n_threads; i++)
		look_drop_pending(l, &l->threads[i], t_us, UINT64_MAX);
}
