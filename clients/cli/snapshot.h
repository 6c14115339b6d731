/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The result of snapshot.get with its references resolved; what all views of a target draw from. */
#ifndef OMPDD_CLI_SNAPSHOT_H
#define OMPDD_CLI_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "failure.h"
#include "ranges.h"
#include "text.h"

struct json_object;

/* No such thread, region or task. */
#define SNAPSHOT_NONE SIZE_MAX

struct snapshot_thread {
	struct json_object *json;
	int64_t tid;
	const char *comm;
	int openmp;
	size_t runtime;	 /* index in runtimes[]; 0 where there is one */
	size_t parallel; /* index, or SNAPSHOT_NONE */
	size_t task;
};

struct snapshot_parallel {
	struct json_object *json;
	size_t runtime;
	size_t enclosing;
	size_t *members; /* threads that are in it, nested regions included, by thread number */
	size_t n_members;
};

struct snapshot_task {
	struct json_object *json;
	const char *kind; /* NULL when unknown */
	size_t parallel, generating, scheduling;
	size_t thread; /* that executes it, or SNAPSHOT_NONE */
};

struct snapshot {
	struct json_object *json; /* owned */
	struct json_object *info; /* result of target.attach or target.info; owned, may be NULL */
	struct snapshot_thread *threads;
	size_t n_threads;
	struct snapshot_parallel *parallels;
	size_t n_parallels;
	struct snapshot_task *tasks;
	size_t n_tasks;
	struct json_object *runtimes; /* array, or NULL; borrowed from json */
	size_t n_runtimes;	      /* at least 1: that of a process without any is counted, too */
};

/* More runtimes than that, of a daemon that is not ours, are one. */
#define SNAPSHOT_MAX_RUNTIMES 64

/*
 * Take a result apart. Anything may be missing or of a wrong type: such values are shown as "-",
 * and references that lead nowhere are SNAPSHOT_NONE. Keeps its own references to both objects.
 */
void snapshot_init(struct snapshot *s, struct json_object *result, struct json_object *info);
void snapshot_deinit(struct snapshot *s);

/* The name of the program: base name of its executable, else of its first thread; sanitised, caller
 * frees. */
char *snapshot_program(const struct snapshot *s, const struct style *style);

/* Append "solve.c:40" of @location, an object with file and line; 0: it has none. */
int snapshot_add_location(struct text *t, const struct style *style, struct json_object *location);

/*
 * The function of a task or a region for a table cell: its symbol, else where its construct is, else its address, else
 * "-"; caller frees.
 * @json is the task's or region's object.
 */
char *snapshot_function(const struct style *style, struct json_object *json);

/*
 * What a thread waits for: "lock_a", "pool+0x18", "barrier of solve", where there is no name its address, with
 * @with_what "0x55d0f8 (lock)"; both for a verbose user; or "-". Caller frees.
 */
char *snapshot_wait(const struct snapshot *s, const struct style *style, const struct snapshot_thread *thread,
		    int with_what);

/* "libgomp 12, /usr/lib/libgomp.so.1, 4 threads": of runtime number @i, or why nothing is known of it. Safe to show. */
void snapshot_runtime(const struct snapshot *s, const struct style *style, size_t i, struct text *out);

/* "1 thread", "5 threads". */
void snapshot_count(struct text *t, size_t n, const char *noun);

/* ", stopped for 212 µs": how the target was looked at. */
void snapshot_view(const struct snapshot *s, const struct style *style, struct text *out);

/* The lines above every view: program, pid, runtime, how it was looked at; below: warnings. */
void snapshot_head(const struct snapshot *s, const struct style *style, struct text *out);
void snapshot_foot(const struct snapshot *s, const struct style *style, struct text *out);

/* The views: what stands between head and foot. */
void threads_show(const struct snapshot *s, const struct style *style, struct text *out);

/* Whether `-o @names` names columns of that table only; EXIT_USAGE, with all of them as hint, where it does not. */
struct failure *threads_check_columns(const char *names);
void tasks_show(const struct snapshot *s, const struct style *style, struct text *out);
void icvs_show(const struct snapshot *s, const struct style *style, struct text *out);
void tree_show(const struct snapshot *s, const struct style *style, struct text *out);

#endif
