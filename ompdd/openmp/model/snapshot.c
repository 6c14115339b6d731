/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds a thread in a snapshot, and frees the snapshot's memory. */
#include "openmp/model/snapshot.h"

#include <stdlib.h>
#include <string.h>

uint32_t snapshot_find_thread(const struct snapshot *s, pid_t tid)
{
	for (uint32_t i = 0; i < s->n_threads; i++) {
		if (s->threads[i].tid == tid)
			return i;
	}
	return SNAPSHOT_NONE;
}

void snapshot_deinit(struct snapshot *s)
{
	free(s->threads);
	free(s->parallels);
	free(s->tasks);
	free(s->awaited);
	free(s->awaited_items);
	free(s->mutexes);
	free(s->helds);
	arena_deinit(&s->arena);
	memset(s, 0, sizeof(*s));
}
