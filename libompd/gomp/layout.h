/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layout of stock libgomp in one target: offsets in its structures and addresses of its
 * variables, each proven or unknown. gomp_open() creates it. Later only the known roots change
 * (gomp/root.c).
 */
#ifndef OMPDD_LIBOMPD_GOMP_LAYOUT_H
#define OMPDD_LIBOMPD_GOMP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "glibc.h"
#include "offsets.h"

/*
 * X(field): offsets, explained in gomp/layout.def. In a row of that table, 0 is an offset only for
 * the first field of a structure. Fields without a value are OFFSET_UNKNOWN.
 */
/* clang-format off */
#define GOMP_FIELDS(X) \
	X(th_ts) X(th_task) X(th_release) X(th_place) X(th_pool) X(th_num_teams) X(th_team_num) X(th_size) \
	X(ts_work_share) X(ts_team_id) X(ts_level) X(ts_active_level) X(ts_place_off) X(ts_place_len) X(ts_def_allocator) \
	X(team_nthreads) X(team_prev_ts) X(team_master_release) X(team_ordered_release) \
	X(team_implicit_task) X(team_barrier) X(bar_total) X(bar_generation) X(bar_awaited) X(bar_awaited_final) \
	X(pool_threads) X(pool_threads_used) X(pool_last_team) X(task_parent) X(task_taskgroup) \
	X(task_taskwait) X(task_nthreads) X(task_run_sched) X(task_run_chunk) X(task_device) \
	X(task_thread_limit) X(task_dyn) X(task_max_active) X(task_bind) X(task_fn) X(task_kind) \
	X(task_final) X(task_size) X(tg_prev) X(tg_waiting) X(tg_sem) X(tw_taskwait) X(tw_depend) X(tw_sem) \
	X(task_children) X(task_dependers) X(task_dependees) X(task_nodes) X(tg_queue) X(tg_children) \
	X(ws_ordered_ids) X(ws_ordered_owner) X(ws_ordered_cur) \
	X(ws_sched) X(ws_doacross) X(dx_size) X(dx_array)
/* clang-format on */

struct gomp_layout {
#define X(field) uint32_t field;
	GOMP_FIELDS(X)
#undef X
};

/* X(variable): libgomp's global variables that an accessor's code refers to. */
/* clang-format off */
#define GOMP_VARIABLES(X) \
	X(nthreads) X(run_sched) X(run_chunk) X(device) X(thread_limit) X(dyn) X(max_active) X(bind) \
	X(cancel) X(max_task_priority) X(def_allocator) X(affinity_format) X(available_cpus) X(places_list) \
	X(places_len) X(cpuset_size) X(nteams) X(teams_thread_limit) X(nthreads_list) X(nthreads_list_len) \
	X(bind_list) X(bind_list_len) X(stacksize) X(wait_policy) X(display_affinity) X(target_offload) \
	X(spin_count)
/* clang-format on */

/* Kinds of libgomp's tasks, unchanged from 9 to 16 (DETACHED since 11). */
enum gomp_task_kind {
	GOMP_TASK_IMPLICIT,
	GOMP_TASK_UNDEFERRED,
	GOMP_TASK_WAITING,
	GOMP_TASK_TIED,
	GOMP_TASK_ASYNC_RUNNING,
	GOMP_TASK_DETACHED,
	GOMP_TASK_END
};

#define GOMP_MAX_KNOWN_ROOTS 32

/* A task's nthreads-var is an unsigned long in 9 to 16. */
#define GOMP_NTHREADS_WIDTH 8

/* The record of a root thread that was found, with its pool at that time. */
struct gomp_known_root {
	ompd_addr_t pool;
	ompd_addr_t thread;
};

/* A target region that the host executes, and the content of the thread's record before it. */
struct gomp_host_target {
	ompd_addr_t thread;	      /* address of the thread's record */
	ompd_addr_t frame;	      /* of the runtime, on the thread's stack; identifies the region and the copy */
	ompd_addr_t team, task, pool; /* 0: not known, or none */
	uint32_t team_id, level, active_level;
};

#define GOMP_MAX_HOST_TARGETS 256
#define GOMP_MAX_USED	      256

struct gomp {
	const char *file; /* the file for lookups of libgomp's symbols; NULL: any file */
	int version;	  /* GCC release; 0 if no row of the table fits */
	struct gomp_layout layout;
#define X(name) struct variable name;
	GOMP_VARIABLES(X)
#undef X
	/* Widths of a task's ICVs in the accessors' loads; 0 if unknown. */
	uint8_t nthreads_width;
	/* ts_work_share and ws_ordered_owner in the code of GOMP_ordered_start(), or OFFSET_UNKNOWN. */
	uint32_t seen_work_share, seen_ordered_owner;

	int64_t tls_base; /* offset of struct gomp_thread from the thread pointer */
	struct glibc glibc;

	/* Number of bytes that one read of a structure fetches. */
	uint32_t thread_span;
	uint32_t team_span;
	uint32_t task_span;

	struct gomp_known_root known_roots[GOMP_MAX_KNOWN_ROOTS];
	size_t n_known_roots; /* total so far; only the newest are kept */

	struct gomp_host_target host_targets[GOMP_MAX_HOST_TARGETS];
	size_t n_host_targets;
	ompd_addr_t used[GOMP_MAX_USED]; /* records of threads that are in constructs */
	size_t n_used;
	uint64_t reported_moment; /* of the view for which the host targets and used records were reported */
};

/* The layouts of gcc 9 to 16: each is a struct gomp_layout. */
extern const struct offsets_table gomp_layouts;

#endif
