/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The routines of the hosted OMPD library as a table, and the only way to call them. For openmp/ and methods/ompd_*.c;
 * all other code uses plugin.h only.
 */
#ifndef OMPDD_OPENMP_OMPD_H
#define OMPDD_OPENMP_OMPD_H

#include <omp-tools.h>

#include "base/error.h"
#include "openmp/plugin/guard.h"

/* Routines of our own library. Its header documents them (libompd/ompd-more.h). */
ompd_rc_t ompd_get_queued_tasks(ompd_parallel_handle_t *parallel_handle, ompd_word_t max_handles,
				ompd_task_handle_t ***task_handles, ompd_word_t *num_handles, ompd_word_t *num_queued);
ompd_rc_t ompd_get_task_predecessors(ompd_task_handle_t *task_handle, ompd_word_t *num_predecessors);
ompd_rc_t ompd_is_target_task(ompd_task_handle_t *task_handle, ompd_word_t *is_target);
ompd_rc_t ompd_get_barrier_arrived(ompd_parallel_handle_t *parallel_handle, ompd_word_t *num_arrived);
ompd_rc_t ompd_use_processor(ompd_word_t elf_machine);
ompd_rc_t ompd_begin_view(ompd_address_space_handle_t *handle);
ompd_rc_t ompd_end_view(ompd_address_space_handle_t *handle);
ompd_rc_t ompd_get_mutex_owner(ompd_address_space_handle_t *handle, ompd_wait_id_t wait_id, ompd_word_t kind,
			       ompd_word_t *state, ompd_thread_handle_t **thread_handle,
			       ompd_task_handle_t **task_handle);
typedef struct ompd_awaited_t {
	ompd_thread_handle_t *thread_handle;
	ompd_task_handle_t *task_handle;
	ompd_word_t progress; /* OMPD_PROGRESS_* */
} ompd_awaited_t;
enum {
	OMPD_PROGRESS_THREAD,
	OMPD_PROGRESS_READY,
	OMPD_PROGRESS_DEPENDENT,
	OMPD_PROGRESS_BEGUN,
	OMPD_PROGRESS_DETACHED,
	OMPD_PROGRESS_OFFLOADED
};
ompd_rc_t ompd_get_awaited(ompd_thread_handle_t *thread_handle, ompd_task_handle_t *task_handle,
			   ompd_word_t max_awaited, ompd_awaited_t **awaited, ompd_word_t *num_awaited,
			   ompd_word_t *is_complete);
ompd_rc_t ompd_get_awaited_as(ompd_thread_handle_t *thread_handle, ompd_word_t state, ompd_word_t max_awaited,
			      ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete);
typedef struct ompd_place_t {
	ompd_addr_t function, pc;
	const uint64_t *registers; /* by their DWARF numbers */
	uint64_t known;
} ompd_place_t;
ompd_rc_t ompd_get_awaited_at(ompd_thread_handle_t *thread_handle, const ompd_place_t *place, ompd_word_t max_awaited,
			      ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete);
typedef struct ompd_region_calls_t {
	ompd_addr_t function;
	ompd_word_t level;
	uint64_t calls;
} ompd_region_calls_t;
ompd_rc_t ompd_get_region_calls(ompd_address_space_handle_t *handle, ompd_region_calls_t **regions,
				ompd_word_t *num_regions);
ompd_rc_t ompd_get_construct_location(ompd_thread_handle_t *thread_handle, ompd_parallel_handle_t *parallel_handle,
				      ompd_task_handle_t *task_handle, const char **location);
ompd_rc_t ompd_use_target_frame(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				ompd_size_t sizeof_thread_id, const void *thread_id, ompd_addr_t frame,
				const uint64_t *words, ompd_word_t num_words, ompd_word_t is_target);
ompd_rc_t ompd_use_thread(ompd_address_space_handle_t *handle, ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
			  const void *thread_id);
ompd_rc_t ompd_get_thread_progress(ompd_thread_handle_t *thread_handle, uint64_t *progress);
enum { OMPD_MUTEX_FREE, OMPD_MUTEX_HELD, OMPD_MUTEX_ORPHANED, OMPD_MUTEX_STATES };
ompd_rc_t ompd_get_state_asleep(ompd_thread_handle_t *thread_handle, const ompd_address_t *word, ompd_word_t *state);

/* Every routine of OMPD 5.0 and later (35); those of 5.2 and our own are optional. */
#define OMPD_ROUTINES(X)                                                                                               \
	X(initialize)                                                                                                  \
	X(get_api_version)                                                                                             \
	X(get_version_string)                                                                                          \
	X(finalize)                                                                                                    \
	X(process_initialize)                                                                                          \
	X(device_initialize)                                                                                           \
	X(rel_address_space_handle)                                                                                    \
	X(get_omp_version)                                                                                             \
	X(get_omp_version_string)                                                                                      \
	X(get_thread_in_parallel)                                                                                      \
	X(get_thread_handle)                                                                                           \
	X(rel_thread_handle)                                                                                           \
	X(thread_handle_compare)                                                                                       \
	X(get_thread_id)                                                                                               \
	X(get_curr_parallel_handle)                                                                                    \
	X(get_enclosing_parallel_handle)                                                                               \
	X(get_task_parallel_handle)                                                                                    \
	X(rel_parallel_handle)                                                                                         \
	X(parallel_handle_compare)                                                                                     \
	X(get_curr_task_handle)                                                                                        \
	X(get_generating_task_handle)                                                                                  \
	X(get_scheduling_task_handle)                                                                                  \
	X(get_task_in_parallel)                                                                                        \
	X(rel_task_handle)                                                                                             \
	X(task_handle_compare)                                                                                         \
	X(get_task_function)                                                                                           \
	X(get_task_frame)                                                                                              \
	X(enumerate_states)                                                                                            \
	X(get_state)                                                                                                   \
	X(get_display_control_vars)                                                                                    \
	X(rel_display_control_vars)                                                                                    \
	X(enumerate_icvs)                                                                                              \
	X(get_icv_from_scope)                                                                                          \
	X(get_icv_string_from_scope)                                                                                   \
	X(get_tool_data)
#define OMPD_ROUTINES_OPTIONAL(X)                                                                                      \
	X(get_queued_tasks)                                                                                            \
	X(get_task_predecessors)                                                                                       \
	X(is_target_task)                                                                                              \
	X(get_barrier_arrived)                                                                                         \
	X(use_processor)                                                                                               \
	X(begin_view)                                                                                                  \
	X(end_view)                                                                                                    \
	X(get_awaited)                                                                                                 \
	X(get_awaited_as)                                                                                              \
	X(get_awaited_at)                                                                                              \
	X(get_mutex_owner)                                                                                             \
	X(get_construct_location)                                                                                      \
	X(get_state_asleep)                                                                                            \
	X(use_target_frame)                                                                                            \
	X(use_thread)                                                                                                  \
	X(get_region_calls)                                                                                            \
	X(get_thread_progress)                                                                                         \
	X(get_device_thread_id_kinds)                                                                                  \
	X(get_device_from_thread)

struct ompd_routines {
#define X(name) __typeof__(ompd_##name) *name;
	OMPD_ROUTINES(X)
	OMPD_ROUTINES_OPTIONAL(X)
#undef X
};

/* Calls ompd_<routine>(...) of the library @p. Returns its code as an int: the library may return any value. */
#define plugin_call(p, routine, ...)                                                                                   \
	({                                                                                                             \
		guard_in_plugin = 1;                                                                                   \
		int plugin_call_rc = (int)plugin_routines(p)->routine(__VA_ARGS__);                                    \
		guard_in_plugin = 0;                                                                                   \
		plugin_call_rc;                                                                                        \
	})

struct plugin;
const struct ompd_routines *plugin_routines(const struct plugin *p);

/* Returns whether @rc is a code that a library may return. */
static inline bool ompd_rc_is_valid(int rc)
{
	return rc >= ompd_rc_ok && rc <= ompd_rc_incompatible_handle;
}

/* Returns ERR_PLUGIN_MISBEHAVED: @routine did @what. */
struct error *ompd_misbehaved(const char *routine, const char *what);

#endif
