/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ring of cells. */
#include "openmp/sampling/timeline.h"

#include <stdlib.h>

void timeline_deinit(struct timeline *t)
{
	free(t->cells);
	*t = (struct timeline){0};
}

uint64_t timeline_first(const struct timeline *t)
{
	return t->n > TIMELINE_CELLS ? t->n - TIMELINE_CELLS : 0;
}

const struct timeline_cell *timeline_at(const struct timeline *t, uint64_t i)
{
	return &t->cells[i % TIMELINE_CELLS];
}

bool timeline_add(struct timeline *t, uint64_t t_us, unsigned state, uint32_t region)
{
	struct timeline_cell cell = {.t_us = t_us, .region = (uint16_t)region, .state = (uint8_t)state};

	if (!t->cells)
		t->cells = malloc(TIMELINE_CELLS * sizeof(*t->cells));
	if (!t->cells)
		return false;
	if (t->n) {
		const struct timeline_cell *last = timeline_at(t, t->n - 1);

		if (last->state == cell.state && last->region == cell.region)
			return true;
	}
	t->cells[t->n++ % TIMELINE_CELLS] = cell;
	return true;
}
