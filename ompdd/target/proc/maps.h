/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All mappings of a process, from /proc/PID/maps or from a core. */
#ifndef OMPDD_TARGET_MAPS_H
#define OMPDD_TARGET_MAPS_H

#include <stdlib.h>

#include "target/proc/proc.h"

/* Sorted by address. The paths point into the text, or belong to the creator. */
struct maps {
	char *text; /* owned; may be NULL */
	struct proc_map *maps;
	size_t n;
};

static inline void maps_deinit(struct maps *maps)
{
	free(maps->maps);
	free(maps->text);
}

#endif
