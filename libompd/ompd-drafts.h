/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OMPD as the design documents of 2014 and 2016 had it, for tools that were written to them: the routines that OpenMP 5
 * dropped, with the names of 2016, and the names that 2014 alone had. Each is a thin wrapper over the routines of 5.2
 * (omp-tools.h), on the same handles; what is said there of ownership, return codes and stopped targets holds here.
 * Values ("third-party versions" of omp_get_*) go to *val; logical ones are 0 or 1.
 *
 * Names whose signature has changed since exist twice. The linker and dlsym() find those of 5.2; those of 2016 have the
 * ELF symbol version OMPD_2016: dlvsym(library, "ompd_initialize", OMPD_2016_VERSION) has the type
 * ompd_2016_initialize_fn_t.
 */
#ifndef OMPD_DRAFTS_H
#define OMPD_DRAFTS_H

#include "omp-tools.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OMPD_2016_VERSION "OMPD_2016"

/* Types */

typedef ompd_addr_t ompd_taddr_t;
typedef ompd_word_t ompd_tword_t;
typedef uint64_t ompd_parallel_id_t;
typedef uint64_t ompd_task_id_t;

typedef enum { ompd_osthread_pthread, ompd_osthread_lwp, ompd_osthread_winthread } ompd_osthread_kind_t;

/* omp_sched_t. */
typedef enum {
	ompd_sched_static = 1,
	ompd_sched_dynamic = 2,
	ompd_sched_guided = 3,
	ompd_sched_auto = 4,
	ompd_sched_vendor_lo = 5,
	ompd_sched_vendor_hi = 0x7fffffff
} ompd_sched_t;

/* omp_proc_bind_t. */
typedef enum {
	ompd_proc_bind_false = 0,
	ompd_proc_bind_true = 1,
	ompd_proc_bind_master = 2,
	ompd_proc_bind_close = 3,
	ompd_proc_bind_spread = 4
} ompd_proc_bind_t;

typedef struct {
	int sizeof_char;
	int sizeof_short;
	int sizeof_int;
	int sizeof_long;
	int sizeof_long_long;
	int sizeof_pointer;
} ompd_target_type_sizes_t;

/* Where a debugger may put breakpoints (2014). */
typedef struct ompd_breakpoints_t {
	ompd_taddr_t parallel_pre_execute;
	ompd_taddr_t parallel_post_execute;
	ompd_taddr_t task_pre_execute;
	ompd_taddr_t task_post_execute;
} ompd_breakpoints_t;

typedef enum { ompd_enable_off = 0, ompd_enable_on = 1 } ompd_enable_setting_t;

/* The tool's callbacks in 2016, in its order. */
typedef struct ompd_2016_callbacks_t {
	ompd_rc_t (*d_alloc_memory)(ompd_tword_t bytes, void **ptr);
	ompd_rc_t (*d_free_memory)(void *ptr);
	ompd_rc_t (*print_string)(const char *string);
	ompd_rc_t (*t_sizeof_prim_type)(ompd_address_space_context_t *context, ompd_target_type_sizes_t *sizes);
	ompd_rc_t (*t_symbol_addr_lookup)(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
					  const char *symbol_name, ompd_address_t *symbol_addr);
	ompd_rc_t (*t_read_memory)(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
				   const ompd_address_t *addr, ompd_tword_t nbytes, void *buffer);
	ompd_rc_t (*t_write_memory)(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
				    const ompd_address_t *addr, ompd_tword_t nbytes, const void *buffer);
	ompd_rc_t (*target_to_host)(ompd_address_space_context_t *context, const void *input, int unit_size, int count,
				    void *output);
	ompd_rc_t (*host_to_target)(ompd_address_space_context_t *context, const void *input, int unit_size, int count,
				    void *output);
	ompd_rc_t (*get_thread_context_for_osthread)(ompd_address_space_context_t *context, ompd_osthread_kind_t kind,
						     ompd_size_t sizeof_osthread, const void *osthread,
						     ompd_thread_context_t **thread);
	ompd_rc_t (*get_address_space_context_for_thread)(ompd_thread_context_t *thread,
							  ompd_address_space_context_t **context);
} ompd_2016_callbacks_t;

/* The names that have two signatures; see above how to get at these. */
typedef ompd_rc_t (*ompd_2016_initialize_fn_t)(const ompd_2016_callbacks_t *callbacks);
/* All threads of the region; a NULL vector asks for the number only. The tool frees the vector, and releases each
 * handle. */
typedef ompd_rc_t (*ompd_2016_get_thread_in_parallel_fn_t)(ompd_parallel_handle_t *parallel_handle,
							   ompd_thread_handle_t ***thread_handle_vector,
							   int *num_handles);
/* Addresses of 5.2's frames, without their flags. */
typedef ompd_rc_t (*ompd_2016_get_task_frame_fn_t)(ompd_task_handle_t *task_handle, ompd_address_t *exit_runtime_addr,
						   ompd_address_t *reenter_runtime_addr);
/* bad_input and a NULL handle for a thread that is no OpenMP thread. */
typedef ompd_rc_t (*ompd_2016_get_thread_handle_fn_t)(ompd_address_space_handle_t *handle, ompd_osthread_kind_t kind,
						      ompd_size_t sizeof_osthread, const void *osthread,
						      ompd_thread_handle_t **thread_handle);

/* Versions and errors */

/* Of this interface: 2 for 2016. Callable before ompd_initialize(). */
OMPD_API ompd_rc_t ompd_get_version(int *version);
OMPD_API ompd_rc_t ompd_get_version_compatibility(int *version);
/* A sentence for a return code; the library's own. bad_input: there is no such code. */
OMPD_API ompd_rc_t ompd_get_error_string(int errcode, const char **string);

/* Address spaces */

OMPD_API ompd_rc_t ompd_release_address_space_handle(ompd_address_space_handle_t *handle);
OMPD_API ompd_rc_t ompd_get_num_procs(ompd_address_space_handle_t *handle, ompd_tword_t *val);
/* Of the initial tasks. unavailable where only a task has it. */
OMPD_API ompd_rc_t ompd_get_thread_limit(ompd_address_space_handle_t *handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_release_display_control_vars(const char *const *control_var_values);
/* All events that it names must be in the target, else unavailable. */
OMPD_API ompd_rc_t ompd_get_breakpoints(ompd_address_space_handle_t *handle, ompd_breakpoints_t *bkpt_locations);
/*
 * Switch the calls of ompd_bp_* in the target on or off by writing to it; unsupported for a runtime that has no such
 * switch, and what the tool's write callback says.
 */
OMPD_API ompd_rc_t ompd_enable(ompd_address_space_handle_t *handle, ompd_enable_setting_t setting);

/* Threads */

/* All that the runtime knows; vectors as above. unsupported for a runtime that keeps no list of its threads (stock
 * libgomp). */
OMPD_API ompd_rc_t ompd_get_threads(ompd_address_space_handle_t *handle, ompd_thread_handle_t ***thread_handle_vector,
				    int *num_handles);
OMPD_API ompd_rc_t ompd_get_master_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
						      ompd_thread_handle_t **thread_handle);
OMPD_API ompd_rc_t ompd_release_thread_handle(ompd_thread_handle_t *thread_handle);
/* Letters, digits and underscores; the same for handles that compare equal. The tool frees it. */
OMPD_API ompd_rc_t ompd_get_thread_handle_string_id(ompd_thread_handle_t *thread_handle, char **string_id);
OMPD_API ompd_rc_t ompd_get_osthread(ompd_thread_handle_t *thread_handle, ompd_osthread_kind_t kind,
				     ompd_size_t sizeof_osthread, void *osthread);
OMPD_API ompd_rc_t ompd_get_thread_num(ompd_thread_handle_t *thread_handle, ompd_tword_t *val);
/* Of its current task. */
OMPD_API ompd_rc_t ompd_get_max_active_levels(ompd_thread_handle_t *thread_handle, ompd_tword_t *val);

/* Parallel regions */

OMPD_API ompd_rc_t ompd_get_top_parallel_region(ompd_thread_handle_t *thread_handle,
						ompd_parallel_handle_t **parallel_handle);
/* The same in 2014. */
OMPD_API ompd_rc_t ompd_get_innermost_parallel_region(ompd_thread_handle_t *thread_handle,
						      ompd_parallel_handle_t **parallel_handle);
/* The name that 2014 used in its text for ompd_get_enclosing_parallel_handle(). */
OMPD_API ompd_rc_t ompd_get_ancestor_parallel_handle(ompd_parallel_handle_t *parallel_handle,
						     ompd_parallel_handle_t **ancestor_parallel_handle);
OMPD_API ompd_rc_t ompd_release_parallel_handle(ompd_parallel_handle_t *parallel_handle);
OMPD_API ompd_rc_t ompd_get_parallel_handle_string_id(ompd_parallel_handle_t *parallel_handle, char **string_id);
OMPD_API ompd_rc_t ompd_get_num_threads(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_get_level(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val);
/* The function of the region's implicit tasks. */
OMPD_API ompd_rc_t ompd_get_parallel_function(ompd_parallel_handle_t *parallel_handle, ompd_address_t *entry_point);
/* Not 0, and no other region's while this one lasts. */
OMPD_API ompd_rc_t ompd_get_parallel_id(ompd_parallel_handle_t *parallel_handle, ompd_parallel_id_t *id);
/* vectors as above */
OMPD_API ompd_rc_t ompd_get_implicit_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
						      ompd_task_handle_t ***task_handle_vector, int *num_handles);

/* Tasks */

OMPD_API ompd_rc_t ompd_get_top_task_region(ompd_thread_handle_t *thread_handle, ompd_task_handle_t **task_handle);
/* The enclosing task of 2014, which had one kind of ancestors: the generating task. */
OMPD_API ompd_rc_t ompd_get_ancestor_task_handle(ompd_task_handle_t *task_handle,
						 ompd_task_handle_t **parent_task_handle);
OMPD_API ompd_rc_t ompd_get_generating_ancestor_task_region(ompd_task_handle_t *task_handle,
							    ompd_task_handle_t **parent_task_handle);
OMPD_API ompd_rc_t ompd_get_scheduling_ancestor_task_region(ompd_task_handle_t *task_handle,
							    ompd_task_handle_t **parent_task_handle);
OMPD_API ompd_rc_t ompd_release_task_handle(ompd_task_handle_t *task_handle);
OMPD_API ompd_rc_t ompd_get_task_handle_string_id(ompd_task_handle_t *task_handle, char **string_id);
/* Not 0, and no other task's while this one lasts. */
OMPD_API ompd_rc_t ompd_get_task_id(ompd_task_handle_t *task_handle, ompd_task_id_t *task_id);
OMPD_API ompd_rc_t ompd_get_active_level(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_get_max_threads(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_in_parallel(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_in_final(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_get_dynamic(ompd_task_handle_t *task_handle, ompd_tword_t *val);
/* Whether more than one active level is allowed: nest-var is gone. */
OMPD_API ompd_rc_t ompd_get_nested(ompd_task_handle_t *task_handle, ompd_tword_t *val);
/* *modifier: the chunk size, 0 for none. */
OMPD_API ompd_rc_t ompd_get_schedule(ompd_task_handle_t *task_handle, ompd_sched_t *kind, ompd_tword_t *modifier);
OMPD_API ompd_rc_t ompd_get_proc_bind(ompd_task_handle_t *task_handle, ompd_proc_bind_t *bind);
OMPD_API ompd_rc_t ompd_is_implicit(ompd_task_handle_t *task_handle, ompd_tword_t *val);

#ifdef __cplusplus
}
#endif

#endif
