/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps thread ids between a process in another PID namespace (a container), whose memory has that namespace's ids, and
 * this process's /proc.
 */
#ifndef OMPDD_TARGET_TID_MAP_H
#define OMPDD_TARGET_TID_MAP_H

#include "target/target.h"

struct tid_map {
	bool same_namespace; /* both ids are equal */
	struct tid_pair {
		pid_t own; /* the id in the target's namespace */
		pid_t tid;
	} * pairs;
	size_t n;
};

/* Read the ids of all threads of @t; repeat when the threads change. When memory is exhausted the map is empty. */
void tid_map_refresh(struct tid_map *map, struct target *t);
void tid_map_deinit(struct tid_map *map);

/* Return the id of thread @tid in the target's own namespace; 0: unknown. */
pid_t tid_map_own(const struct tid_map *map, pid_t tid);
/* Return the thread of @t with id @own in the target's own namespace, or NULL. */
struct target_thread *tid_map_find(const struct tid_map *map, struct target *t, pid_t own);

#endif
