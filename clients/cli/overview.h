/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The result of snapshot.get with its references resolved: the source of all views of a target. */
#ifndef OMPDD_CLI_OVERVIEW_H
#define OMPDD_CLI_OVERVIEW_H

#include <stddef.h>
#include <stdint.h>

#include "failure.h"
#include "ranges.h"
#include "text.h"

struct json_object;

/* No such thread, region or task. */
#define OVERVIEW_NONE SIZE_MAX

struct overview_thread {
	struct json_object *json;
	int64_t tid;
	const char *comm;
	int openmp;
	size_t runtime;	 /* index in runtimes[]; 0 if there is only one */
	size_t parallel; /* index, or OVERVIEW_NONE */
	size_t task;
};

struct overview_parallel {
	struct json_object *json;
	size_t runtime;
	size_t enclosing;
	size_t *members; /* threads in it, nested regions included, by thread number */
	size_t n_members;
};

struct overview_task {
	struct json_object *json;
	const char *kind; /* NULL when unknown */
	size_t parallel, generating, scheduling;
	size_t thread; /* the executing thread, or OVERVIEW_NONE */
};

struct overview {
	struct json_object *json; /* owned */
	struct json_object *info; /* result of target.attach or target.info; owned, may be NULL */
	struct overview_thread *threads;
	size_t n_threads;
	struct overview_parallel *parallels;
	size_t n_parallels;
	struct overview_task *tasks;
	size_t n_tasks;
	struct json_object *runtimes; /* array, or NULL; borrowed from json */
	size_t n_runtimes;	      /* at least 1: a process without a runtime counts as one */
};

/* A snapshot with more runtimes, which a foreign daemon may send, counts as one runtime. */
#define OVERVIEW_MAX_RUNTIMES 64

/*
 * Parse a result. A missing value or one of a wrong type is shown as "-"; a dangling reference is OVERVIEW_NONE.
 * Takes its own references to both objects.
 */
void overview_init(struct overview *s, struct json_object *result, struct json_object *info);
void overview_deinit(struct overview *s);

/* Return the name of the program: base name of its executable, otherwise of its first thread. Sanitised; the caller
 * frees it. */
char *overview_program(const struct overview *s, const struct style *style);

/* Append @location, an object with file and line, as "solve.c:40". Returns 0 if it has no line or file. */
int overview_add_location(struct text *t, const struct style *style, struct json_object *location);

/*
 * Return the function of a task or region for a table cell: its symbol, or else the place of its construct, its
 * address, or "-". The caller frees it. @json is the task's or region's object.
 */
char *overview_function(const struct style *style, struct json_object *json);

/*
 * Return what a thread waits for: a name ("lock_a", "pool+0x18", "barrier of solve"), or its address, with
 * @with_what "0x55d0f8 (lock)". A verbose user gets both. "-": it does not wait, or that is not known. The caller
 * frees it.
 */
char *overview_wait(const struct overview *s, const struct style *style, const struct overview_thread *thread,
		    int with_what);

/* Append runtime number @i, "libgomp 12, /usr/lib/libgomp.so.1, 4 threads", or why nothing is known about it. Safe
 * to print. */
void overview_runtime(const struct overview *s, const struct style *style, size_t i, struct text *out);

/* Append "1 thread", "5 threads". */
void overview_count(struct text *t, size_t n, const char *noun);

/* Append how the target was examined: ", stopped for 212 µs". */
void overview_view(const struct overview *s, const struct style *style, struct text *out);

/* Append the lines above every view (program, pid, runtime, how it was examined), or the warnings below it. */
void overview_head(const struct overview *s, const struct style *style, struct text *out);
void overview_foot(const struct overview *s, const struct style *style, struct text *out);

/* Append the views, without head and foot. */
void threads_show(const struct overview *s, const struct style *style, struct text *out);

/* Check that `-o @names` names only columns of that table; fails with EXIT_USAGE and all columns as hint otherwise. */
struct failure *threads_check_columns(const char *names);
void tasks_show(const struct overview *s, const struct style *style, struct text *out);
void icvs_show(const struct overview *s, const struct style *style, struct text *out);
void tree_show(const struct overview *s, const struct style *style, struct text *out);

#endif
