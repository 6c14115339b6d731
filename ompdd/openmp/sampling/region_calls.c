/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Subtracts two counts of started regions. A region with an unknown function has no count. */
#include "openmp/sampling/region_calls.h"

#include "openmp/model/model.h"
#include "openmp/sampling/tally.h"
#include "target/target.h"

static void read_runtime(struct runtimes *r, size_t i, unsigned timeout_ms, struct region_starts *ret)
{
	struct model *m = runtimes_select(r, i);

	target_view_begin_memory(model_target(m));
	error_destroy(region_starts_read(m, timeout_ms, ret));
}

void region_calls_begin(struct region_calls *c, struct runtimes *r, unsigned timeout_ms)
{
	*c = (struct region_calls){.n = runtimes_count(r)};
	for (size_t i = 0; i < c->n; i++)
		read_runtime(r, i, timeout_ms, &c->before[i]);
	runtimes_main(r);
}

static void count_runtime(const struct region_starts *before, const struct region_starts *now, unsigned runtime,
			  struct tally *t)
{
	for (uint32_t i = 0; i < t->n_regions; i++) {
		struct tally_region *region = &t->regions[i];

		if (region->runtime != runtime)
			continue;
		uint64_t early = region_starts_count(before, region->key, region->level),
			 late = region_starts_count(now, region->key, region->level);
		region->has_calls = before->is_known && now->is_known && region->key && !region->is_outside &&
				    region->level > 0 && late >= early;
		region->calls = late - early;
	}
}

void region_calls_count(const struct region_calls *c, struct runtimes *r, unsigned timeout_ms, struct tally *t)
{
	/* A runtime that was loaded since has no count from the start. */
	region_calls_forget(t);
	for (size_t i = 0; i < c->n; i++) {
		struct region_starts now = {0};

		if (!c->before[i].is_known)
			continue;
		read_runtime(r, i, timeout_ms, &now);
		count_runtime(&c->before[i], &now, (unsigned)i, t);
		region_starts_deinit(&now);
	}
	runtimes_main(r);
}

void region_calls_forget(struct tally *t)
{
	for (uint32_t i = 0; i < t->n_regions; i++)
		t->regions[i].has_calls = false;
}

void region_calls_deinit(struct region_calls *c)
{
	for (size_t i = 0; i < c->n; i++)
		region_starts_deinit(&c->before[i]);
	c->n = 0;
}
