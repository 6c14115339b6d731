/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All mappings of a process, from /proc/PID/maps or from a core. */
#ifndef OMPDD_TARGET_MAPS_H
#define OMPDD_TARGET_MAPS_H

#include <stdlib.h>

#include "base/vector.h"
#include "target/proc/proc.h"

/* Sorted by address. The paths point into the text, or belong to the creator. */
struct maps {
	char *text; /* owned; may be NULL */
	struct proc_map *maps;
	size_t n;
};

/* Parse the mappings of @maps->text, of @len bytes. Return false if memory is exhausted. */
static inline bool maps_parse(struct maps *maps, size_t len)
{
	const char *at = maps->text;
	struct proc_map map;
	size_t cap = 0;

	while (proc_next_map(&at, maps->text + len, &map)) {
		if (!VECTOR_GROW(maps->maps, maps->n, cap))
			return false;
		maps->maps[maps->n++] = map;
	}
	return true;
}

static inline void maps_deinit(struct maps *maps)
{
	free(maps->maps);
	free(maps->text);
}

#endif
