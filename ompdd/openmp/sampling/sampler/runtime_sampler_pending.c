/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles samples that wait for a stack: for their own stack, or for a stack that shows their state. */
#include "openmp/sampling/sampler/runtime_sampler.h"

void runtime_sampler_add_pending(struct sampled_thread *t, enum profile_state state, uint64_t t_us, uint64_t us)
{
	struct pending_samples *pending = &t->pending[state];

	if (!pending->n++)
		pending->since_us = t_us;
	pending->us += us;
}

void runtime_sampler_add_to_tree(struct runtime_sampler *l, uint32_t node, enum profile_state state, uint64_t us)
{
	/* An idle thread is in no region, although memory may name one at the moment of the sampling. */
	if (l->tally->keeps_stacks)
		stack_tree_add(&l->tally->tree, state == PROFILE_IDLE ? STACK_TREE_ROOT : node, state, us);
}

void runtime_sampler_assign_pending(struct runtime_sampler *l, uint32_t i, struct sampled_thread *t)
{
	for (uint32_t k = 0; k < t->n_samples; k++) {
		const struct call_chain *chain = t->samples[k];
		uint32_t node = UINT32_MAX;

		if (!paths_fits(&l->paths, i, chain))
			continue;
		for (unsigned state = 0; state < PROFILE_UNKNOWN; state++) {
			struct pending_samples *pending = &t->pending[state];
			uint64_t us = pending->us / (t->n_samples - k);

			if (!pending->n || !call_chain_can_be(chain, (enum profile_state)state))
				continue;
			if (node == UINT32_MAX)
				node = paths_node(&l->paths, i, chain);
			runtime_sampler_add_to_tree(l, node, (enum profile_state)state, us);
			pending->us -= us;
			if (!pending->us)
				pending->n = 0;
		}
	}
}

void runtime_sampler_add_unknown(struct runtime_sampler *l, struct sampled_thread *t, enum profile_state state,
				 uint32_t lock, uint64_t t_us)
{
	struct pending_samples *pending = &t->pending[PROFILE_UNKNOWN];
	struct tally_sample sample = {
		.tid = t->tid,
		.thread_num = t->unknown_num,
		.state = state,
		.n_late = pending->n,
		.region = t->unknown_region,
		.lock = lock,
		.task = TALLY_NONE,
		/* Only samples of running threads wait for a stack that shows their state. */
		.is_awake = profile_state_waits(state) || state == PROFILE_IDLE,
	};

	if (!pending->n)
		return;
	tally_add(l->tally, &sample, t_us, pending->us);
	if (state == PROFILE_UNKNOWN)
		l->no_stacks += pending->n;
	for (uint32_t n = pending->n; state != PROFILE_UNKNOWN && n > 0; n--)
		runtime_sampler_add_pending(t, state, t_us, n == 1 ? pending->us : 0);
	*pending = (struct pending_samples){0};
}

void runtime_sampler_drop_pending(struct runtime_sampler *l, struct sampled_thread *t, uint64_t t_us,
				  uint64_t before_us)
{
	for (unsigned state = 0; state < PROFILE_UNKNOWN; state++) {
		struct pending_samples *pending = &t->pending[state];

		if (!pending->n || pending->since_us >= before_us)
			continue;
		l->no_stacks += pending->n;
		*pending = (struct pending_samples){0};
	}
	if (t->pending[PROFILE_UNKNOWN].since_us < before_us)
		runtime_sampler_add_unknown(l, t, PROFILE_UNKNOWN, TALLY_NONE, t_us);
}

void runtime_sampler_settle(struct runtime_sampler *l, uint64_t t_us)
{
	for (size_t i = 0; i < l->n_threads; i++)
		runtime_sampler_drop_pending(l, &l->threads[i], t_us, UINT64_MAX);
}
