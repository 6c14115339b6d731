/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OMPD of the design documents of 2014 and 2016, for tools written for them. It has the routines
 * that OpenMP 5 dropped, with their names of 2016, and the names that only 2014 had. Each is a thin
 * wrapper over the routines of 5.2 (omp-tools.h), and uses the same handles. The rules there on
 * ownership, return codes and stopped targets apply here too. Values ("third-party versions" of
 * omp_get_*) are returned in *val; logical values are 0 or 1.
 *
 * Names whose signature has changed exist twice. The linker and dlsym() find the version of 5.2.
 * The version of 2016 has the ELF symbol version OMPD_2016: dlvsym(library, "ompd_initialize",
 * OMPD_2016_VERSION) has the type ompd_2016_initialize_fn_t.
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

/* Addresses for a debugger's breakpoints (2014). */
typedef struct ompd_breakpoints_t {
	ompd_taddr_t parallel_pre_execute;
	ompd_taddr_t parallel_post_execute;
	ompd_taddr_t task_pre_execute;
	ompd_taddr_t task_post_execute;
} ompd_breakpoints_t;

typedef enum { ompd_enable_off = 0, ompd_enable_on = 1 } ompd_enable_setting_t;

/* The tool's callbacks of 2016, in the order of 2016. */
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

/* Types of the names that have two signatures; for dlvsym(), see above. */
typedef ompd_rc_t (*ompd_2016_initialize_fn_t)(const ompd_2016_callbacks_t *callbacks);
/*
 * Return all threads of the region. With a NULL vector it returns only their number. The tool
 * releases each handle and frees the vector.
 */
typedef ompd_rc_t (*ompd_2016_get_thread_in_parallel_fn_t)(ompd_parallel_handle_t *parallel_handle,
							   ompd_thread_handle_t ***thread_handle_vector,
							   int *num_handles);
/* Return the frame addresses of 5.2, without flags. */
typedef ompd_rc_t (*ompd_2016_get_task_frame_fn_t)(ompd_task_handle_t *task_handle, ompd_address_t *exit_runtime_addr,
						   ompd_address_t *reenter_runtime_addr);
/* Return bad_input and a NULL handle for a thread that is not an OpenMP thread. */
typedef ompd_rc_t (*ompd_2016_get_thread_handle_fn_t)(ompd_address_space_handle_t *handle, ompd_osthread_kind_t kind,
						      ompd_size_t sizeof_osthread, const void *osthread,
						      ompd_thread_handle_t **thread_handle);

/* Versions and errors */

/* Return the version of this interface: 2 for 2016. Callable before ompd_initialize(). */
OMPD_API ompd_rc_t ompd_get_version(int *version);
OMPD_API ompd_rc_t ompd_get_version_compatibility(int *version);
/* Return a sentence for a return code. The library owns it. bad_input: there is no such code. */
OMPD_API ompd_rc_t ompd_get_error_string(int errcode, const char **string);

/* Address spaces */

OMPD_API ompd_rc_t ompd_release_address_space_handle(ompd_address_space_handle_t *handle);
OMPD_API ompd_rc_t ompd_get_num_procs(ompd_address_space_handle_t *handle, ompd_tword_t *val);
/* Return the limit of the initial tasks. unavailable: only a task has it. */
OMPD_API ompd_rc_t ompd_get_thread_limit(ompd_address_space_handle_t *handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_release_display_control_vars(const char *const *control_var_values);
/*
 * Return the display control variables as one text of the 2014 draft (section 12): lines of
 * NAME=VALUE, separated by newlines. The tool frees it.
 */
OMPD_API ompd_rc_t ompd_display_control_vars(ompd_address_space_handle_t *handle, const char **control_var_values);
/* Return the addresses of the events. unavailable: at least one event is not in the target. */
OMPD_API ompd_rc_t ompd_get_breakpoints(ompd_address_space_handle_t *handle, ompd_breakpoints_t *bkpt_locations);
/*
 * Switch the calls of ompd_bp_* in the target on or off by writing to it. unsupported: the runtime
 * has no such switch. Errors of the tool's write callback are returned.
 */
OMPD_API ompd_rc_t ompd_enable(ompd_address_space_handle_t *handle, ompd_enable_setting_t setting);

/* Threads */

/*
 * Return all threads that the runtime knows, in a vector as above. unsupported: the runtime keeps
 * no list of its threads (stock libgomp).
 */
OMPD_API ompd_rc_t ompd_get_threads(ompd_address_space_handle_t *handle, ompd_thread_handle_t ***thread_handle_vector,
				    int *num_handles);
OMPD_API ompd_rc_t ompd_get_master_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
						      ompd_thread_handle_t **thread_handle);
OMPD_API ompd_rc_t ompd_release_thread_handle(ompd_thread_handle_t *thread_handle);
/*
 * Return a name of letters, digits and underscores. Handles that compare equal have the same name.
 * The tool frees it.
 */
OMPD_API ompd_rc_t ompd_get_thread_handle_string_id(ompd_thread_handle_t *thread_handle, char **string_id);
OMPD_API ompd_rc_t ompd_get_osthread(ompd_thread_handle_t *thread_handle, ompd_osthread_kind_t kind,
				     ompd_size_t sizeof_osthread, void *osthread);
OMPD_API ompd_rc_t ompd_get_thread_num(ompd_thread_handle_t *thread_handle, ompd_tword_t *val);
/* Return the value of the thread's current task. */
OMPD_API ompd_rc_t ompd_get_max_active_levels(ompd_thread_handle_t *thread_handle, ompd_tword_t *val);

/* Parallel regions */

OMPD_API ompd_rc_t ompd_get_top_parallel_region(ompd_thread_handle_t *thread_handle,
						ompd_parallel_handle_t **parallel_handle);
/* The name of ompd_get_top_parallel_region() in 2014. */
OMPD_API ompd_rc_t ompd_get_innermost_parallel_region(ompd_thread_handle_t *thread_handle,
						      ompd_parallel_handle_t **parallel_handle);
/* The name of ompd_get_enclosing_parallel_handle() in the text of 2014. */
OMPD_API ompd_rc_t ompd_get_ancestor_parallel_handle(ompd_parallel_handle_t *parallel_handle,
						     ompd_parallel_handle_t **ancestor_parallel_handle);
OMPD_API ompd_rc_t ompd_release_parallel_handle(ompd_parallel_handle_t *parallel_handle);
OMPD_API ompd_rc_t ompd_get_parallel_handle_string_id(ompd_parallel_handle_t *parallel_handle, char **string_id);
OMPD_API ompd_rc_t ompd_get_num_threads(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_get_level(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val);
/* Return the function of the region's implicit tasks. */
OMPD_API ompd_rc_t ompd_get_parallel_function(ompd_parallel_handle_t *parallel_handle, ompd_address_t *entry_point);
/* Return a number other than 0 that no other region has while this region lasts. */
OMPD_API ompd_rc_t ompd_get_parallel_id(ompd_parallel_handle_t *parallel_handle, ompd_parallel_id_t *id);
/* Return the tasks in a vector as above. */
OMPD_API ompd_rc_t ompd_get_implicit_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
						      ompd_task_handle_t ***task_handle_vector, int *num_handles);

/* Tasks */

OMPD_API ompd_rc_t ompd_get_top_task_region(ompd_thread_handle_t *thread_handle, ompd_task_handle_t **task_handle);
/* Return the generating task. It is the enclosing task of 2014, which had one kind of ancestor. */
OMPD_API ompd_rc_t ompd_get_ancestor_task_handle(ompd_task_handle_t *task_handle,
						 ompd_task_handle_t **parent_task_handle);
OMPD_API ompd_rc_t ompd_get_generating_ancestor_task_region(ompd_task_handle_t *task_handle,
							    ompd_task_handle_t **parent_task_handle);
OMPD_API ompd_rc_t ompd_get_scheduling_ancestor_task_region(ompd_task_handle_t *task_handle,
							    ompd_task_handle_t **parent_task_handle);
OMPD_API ompd_rc_t ompd_release_task_handle(ompd_task_handle_t *task_handle);
OMPD_API ompd_rc_t ompd_get_task_handle_string_id(ompd_task_handle_t *task_handle, char **string_id);
/* Return a number other than 0 that no other task has while this task lasts. */
OMPD_API ompd_rc_t ompd_get_task_id(ompd_task_handle_t *task_handle, ompd_task_id_t *task_id);
OMPD_API ompd_rc_t ompd_get_active_level(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_get_max_threads(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_in_parallel(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_in_final(ompd_task_handle_t *task_handle, ompd_tword_t *val);
OMPD_API ompd_rc_t ompd_get_dynamic(ompd_task_handle_t *task_handle, ompd_tword_t *val);
/* Return whether more than one active level is allowed. nest-var no longer exists. */
OMPD_API ompd_rc_t ompd_get_nested(ompd_task_handle_t *task_handle, ompd_tword_t *val);
/* *modifier is the chunk size, or 0 for none. */
OMPD_API ompd_rc_t ompd_get_schedule(ompd_task_handle_t *task_handle, ompd_sched_t *kind, ompd_tword_t *modifier);
OMPD_API ompd_rc_t ompd_get_proc_bind(ompd_task_handle_t *task_handle, ompd_proc_bind_t *bind);
OMPD_API ompd_rc_t ompd_is_implicit(ompd_task_handle_t *task_handle, ompd_tword_t *val);

#ifdef __cplusplus
}
#endif

#endif
