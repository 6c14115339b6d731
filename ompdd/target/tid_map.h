/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread ids as a process in another PID namespace (a container) knows them itself, which is what its memory holds, and
 * as this process and /proc know them.
 */
#ifndef OMPDD_TARGET_TID_MAP_H
#define OMPDD_TARGET_TID_MAP_H

#include "target/target.h"

struct tid_map {
	bool same_namespace; /* both names are one */
	struct tid_pair {
		pid_t own; /* in the target's namespace */
		pid_t tid;
	} * pairs;
	size_t n;
};

/* Learn the ids of all threads of @t; to be repeated when they change. Without memory the map is empty. */
void tid_map_refresh(struct tid_map *map, struct target *t);
void tid_map_deinit(struct tid_map *map);

/* What thread @tid of the target calls itself; 0: not known. */
pid_t tid_map_own(const struct tid_map *map, pid_t tid);
/* The thread of @t that calls itself @own; NULL when there is none. */
struct target_thread *tid_map_find(const struct tid_map *map, struct target *t, pid_t own);

#endif
