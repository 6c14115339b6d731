/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layout of stock libomp in one target: offsets in its structures and addresses of its
 * variables, each proven or unknown. libomp_open() creates it. Later only `found_last` and
 * `turns[].enter` change.
 */
#ifndef OMPDD_LIBOMPD_LIBOMP_LAYOUT_H
#define OMPDD_LIBOMPD_LIBOMP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/image.h"
#include "glibc.h"
#include "libomp/table.h"
#include "offsets.h"

/*
 * X(field): offsets in kmp_info_t (th_), kmp_team_t (team_), kmp_root_t (root_), kmp_taskdata_t
 * (td_, and its copy of the ICVs, td_icv_), kmp_task_t (task_), kmp_internal_control_t (icv_). The
 * first group is in ompd_init()'s table, the second group is shown by accessors only. The third
 * group is in libomp/layout.def only.
 */
/* clang-format off */
#define LIBOMP_FIELDS(X) \
	X(th_pthread) X(th_tid) X(th_team) X(th_current_task) X(th_ompt) X(th_size) \
	X(root_in_parallel) \
	X(team_master_tid) X(team_parent) X(team_nproc) X(team_fn) X(team_threads) X(team_implicit_tasks) X(team_level) \
	X(team_active_level) \
	X(td_flags) X(td_team) X(td_parent) X(td_icvs) X(td_icv_dynamic) X(td_icv_nproc) X(td_icv_thread_limit) \
	X(td_icv_max_active_levels) X(td_icv_sched) X(td_icv_proc_bind) X(td_icv_default_device) X(td_size) \
	X(task_routine) X(sched_chunk) \
	X(th_root) X(th_teams_fn) X(team_serialized) \
	X(th_gtid) X(th_teams_level) X(th_first_place) X(th_last_place) X(th_def_allocator) X(th_serial_team) X(th_sleep_loc) \
	X(th_ident) X(th_dispatch) X(th_task_team) X(th_bar) X(th_next_waiting) X(th_spin_here) \
	X(bar_go) X(bar_arrived) X(bar_size) X(team_bar_size) \
	X(team_bar) X(team_ordered) X(team_ident) X(team_argv) X(team_task_team) X(team_control_stack) \
	X(root_team) X(root_uber) \
	X(icv_serial_level) X(icv_task_thread_limit) X(icv_next) \
	X(td_ident) X(td_taskwait_ident) X(td_taskwait_thread) X(td_incomplete) X(td_taskgroup) X(td_dephash) X(td_depnode) \
	X(tg_count) X(dep_predecessors) X(hash_last_all) X(ident_flags) X(ident_source) \
	X(tt_threads) X(tt_nproc) X(tt_priorities) X(pri_next) \
	X(deque) X(deque_size) X(deque_head) X(deque_ntasks) X(deque_stride) \
	X(queuing_tail) X(queuing_head) X(queuing_owner) X(queuing_depth) X(queuing_flags) X(locks_rows) X(locks_next) \
	X(locks_table)
/* clang-format on */

struct libomp_layout {
#define X(field) uint32_t field;
	LIBOMP_FIELDS(X)
#undef X
};

/* X(variable): libomp's global variables that an accessor's code refers to. */
/* clang-format off */
#define LIBOMP_VARIABLES(X) \
	X(cancel) X(max_task_priority) X(num_procs) X(nteams) X(teams_thread_limit) X(stacksize) X(library) \
	X(target_offload) X(affinity_format)
/* clang-format on */

/*
 * The location of an ordered loop's turn, for loops that count iterations with libomp_turn_width()
 * bytes. It has offsets in the team's and in a thread's description of the loop. `enter` is the
 * function that waits for the turn, once a thread was seen in it.
 */
struct libomp_turn {
	bool is_known;
	uint32_t iteration, lower;
	ompd_addr_t enter;
};

#define LIBOMP_TURNS 2

static inline uint8_t libomp_turn_width(size_t turn)
{
	return turn ? 8 : 4;
}

struct libomp {
	const char *file; /* the file for lookups of libomp's symbols; NULL: any file */
	int version;	  /* LLVM release; 0 if no row of the table fits */
	struct image image;
	struct libomp_layout layout;
	uint32_t team_numbers[2]; /* team_serialized and team_master_tid in either order, as in the code; or
				     OFFSET_UNKNOWN */
	uint32_t flag_final, flag_tasktype, flag_started, flag_executing, flag_complete,
		flag_freed; /* masks of td_flags */
#define X(name) struct variable name;
	LIBOMP_VARIABLES(X)
#undef X
	ompd_addr_t threads; /* address of the variable __kmp_threads */
	struct glibc glibc;
	bool has_task_graphs; /* built with LIBOMP_OMPX_TASKGRAPH */
	ompd_addr_t locks;    /* address of the table of locks with a record; 0 if unknown */

	struct libomp_turn turns[LIBOMP_TURNS];

	uint32_t found_last; /* index in the array of threads where the last search ended: a hint, every value is valid
			      */

	/* Number of bytes that one read of a structure fetches. */
	uint32_t thread_span;
	uint32_t team_span;
	uint32_t task_span;
};

/* The layouts of LLVM 9 to 23 on the target's processor: each is a struct libomp_layout. */
const struct offsets_table *libomp_layouts(void);

/* Set the fields that ompd_init()'s table has. */
void libomp_layout_from_table(const struct libomp_table *table, struct libomp_layout *ret);

#endif
