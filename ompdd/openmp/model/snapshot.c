/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of a snapshot: its memory goes back. */
#include "openmp/model/snapshot.h"

#include <stdlib.h>
#include <string.h>

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
