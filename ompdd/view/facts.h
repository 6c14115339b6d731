/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The result of snapshot.get with its references resolved: the source of the views of threads, regions and tasks. */
#ifndef OMPDD_VIEW_FACTS_H
#define OMPDD_VIEW_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct json_object;

/* No such thread, region or task. */
#define FACTS_NONE SIZE_MAX
/* A snapshot with more runtimes counts as one runtime. */
#define FACTS_MAX_RUNTIMES 64

struct facts_thread {
	struct json_object *json;
	int64_t tid;
	const char *comm;
	int openmp;
	size_t runtime;	 /* index in runtimes[]; 0 if there is only one */
	size_t parallel; /* index, or FACTS_NONE */
	size_t task;
};

struct facts_parallel {
	struct json_object *json;
	size_t runtime;
	size_t enclosing;
	size_t number;	 /* as facts_number_regions() sets it */
	size_t *members; /* threads in it, nested regions included, by thread number */
	size_t n_members;
};

struct facts_task {
	struct json_object *json;
	const char *kind; /* NULL when unknown */
	size_t parallel, generating, scheduling;
	size_t thread; /* the executing thread, or FACTS_NONE */
};

struct facts {
	struct json_object *json; /* borrowed, as everything below that is JSON */
	struct facts_thread *threads;
	size_t n_threads;
	struct facts_parallel *parallels;
	size_t n_parallels;
	struct facts_task *tasks;
	size_t n_tasks;
	struct json_object *task_index; /* handle to index; owned */
	struct json_object *runtimes;	/* array, or NULL */
	size_t n_runtimes;		/* at least 1: a process without a runtime counts as one */
};

/*
 * Parse @snapshot, which must outlive the facts. A member of a wrong type counts as missing; a dangling reference is
 * FACTS_NONE. Call facts_deinit() also after an error.
 */
MUST_USE struct error *facts_init(struct facts *s, struct json_object *snapshot);
void facts_deinit(struct facts *s);

/* Number the regions in the order of the tree: initial ones have 0, others 1 to n, each followed by its nested ones. */
void facts_number_regions(struct facts *s);

/* Return the object of a thread's region, or NULL. */
struct json_object *facts_region(const struct facts *s, size_t parallel);
/* Return the index of the task with that handle, or FACTS_NONE. */
size_t facts_find_task(const struct facts *s, struct json_object *handle);
/* Return whether the task is known to be an explicit one. */
int facts_is_explicit(const struct facts_task *task);

#endif
