/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread ids across PID namespaces, from the kernel's NSpid lines. */
#include "target/modules/tid_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "target/proc/proc.h"
#include "target/target_ops.h"

/* NSpid follows the list of groups. Few lists exceed some hundred groups. */
#define STATUS_SIZE 16384

static bool in_our_namespace(pid_t pid)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	/* Without an answer of the kernel, assume the usual case. */
	return stat("/proc/self/ns/pid", &ours) != 0 || stat(path, &theirs) != 0 ||
	       (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino);
}

/* Return the innermost id, the last on the line; 0 without one. */
static pid_t read_own_tid(pid_t pid, pid_t tid)
{
	char path[64], text[STATUS_SIZE];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	if (proc_read(AT_FDCWD, path, text, sizeof(text)) < 0)
		return 0;
	const char *line = strstr(text, "\nNSpid:");

	if (!line)
		return 0;
	long own = 0;
	char *end;

	for (const char *p = line + strlen("\nNSpid:"); *p && *p != '\n'; p = end) {
		long number = strtol(p, &end, 10);

		if (end == p)
			break;
		own = number;
	}
	return own > 0 && own <= INT32_MAX ? (pid_t)own : 0;
}

static int by_own(const void *a, const void *b)
{
	const struct tid_pair *x = a, *y = b;

	return (x->own > y->own) - (x->own < y->own);
}

void tid_map_refresh(struct tid_map *map, struct target *t)
{
	tid_map_deinit(map);
	/* A core's pid does not belong to a process here. */
	map->same_namespace = t->mode == TARGET_CORE || in_our_namespace(t->pid);
	if (map->same_namespace)
		return;
	map->pairs = calloc(t->n_threads ? t->n_threads : 1, sizeof(*map->pairs));
	for (size_t i = 0; map->pairs && i < t->n_threads; i++) {
		pid_t own = read_own_tid(t->pid, t->threads[i].tid);

		if (own)
			map->pairs[map->n++] = (struct tid_pair){own, t->threads[i].tid};
	}
	if (map->n)
		qsort(map->pairs, map->n, sizeof(*map->pairs), by_own);
}

void tid_map_deinit(struct tid_map *map)
{
	free(map->pairs);
	*map = (struct tid_map){0};
}

pid_t tid_map_own(const struct tid_map *map, pid_t tid)
{
	if (map->same_namespace)
		return tid;
	for (size_t i = 0; i < map->n; i++) {
		if (map->pairs[i].tid == tid)
			return map->pairs[i].own;
	}
	return 0;
}

struct target_thread *tid_map_find(const struct tid_map *map, struct target *t, pid_t own)
{
	const struct tid_pair key = {.own = own};

	if (map->same_namespace)
		return target_find_thread(t, own);
	if (!map->n)
		return NULL;
	const struct tid_pair *pair = bsearch(&key, map->pairs, map->n, sizeof(key), by_own);

	return pair ? target_find_thread(t, pair->tid) : NULL;
}
