/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The GOMP_* functions, which gcc's code calls, with the signatures of gcc/omp-builtins.def. gcc's <omp.h> declares
 * the omp_* functions. ABI exports a function that programs may call; all others are hidden:
 *         ABI void GOMP_barrier(void)
 */
#ifndef OMPDD_RUNTIME_ABI_ABI_H
#define OMPDD_RUNTIME_ABI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABI __attribute__((visibility("default")))

typedef void (*gomp_fn)(void *);
typedef unsigned long long gomp_ull;

/* gomp_parallel.c */
void GOMP_parallel(gomp_fn fn, void *data, unsigned num_threads, unsigned flags);
void GOMP_parallel_start(gomp_fn fn, void *data, unsigned num_threads);
void GOMP_parallel_end(void);

/* gomp_sync.c */
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

/* gomp_target.c */
void GOMP_teams_reg(gomp_fn fn, void *data, unsigned num_teams, unsigned thread_limit, unsigned flags);
void GOMP_teams(unsigned num_teams, unsigned thread_limit);
bool GOMP_teams4(unsigned num_teams_low, unsigned num_teams_high, unsigned thread_limit, bool first);

/* gomp_loop.c */
bool GOMP_loop_static_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_static_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk, gomp_ull *istart,
				gomp_ull *iend);
bool GOMP_loop_dynamic_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_dynamic_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk, gomp_ull *istart,
				 gomp_ull *iend);
bool GOMP_loop_guided_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_guided_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk, gomp_ull *istart,
				gomp_ull *iend);
bool GOMP_loop_nonmonotonic_dynamic_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk,
					      gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_nonmonotonic_guided_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_nonmonotonic_guided_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk,
					     gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_static_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_ordered_static_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk,
					gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_dynamic_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_ordered_dynamic_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk,
					 gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_guided_start(long from, long end, long incr, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_ordered_guided_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull chunk,
					gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_runtime_start(long from, long end, long incr, long *istart, long *iend);
bool GOMP_loop_ull_runtime_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_nonmonotonic_runtime_start(long from, long end, long incr, long *istart, long *iend);
bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull *istart,
					      gomp_ull *iend);
bool GOMP_loop_maybe_nonmonotonic_runtime_start(long from, long end, long incr, long *istart, long *iend);
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr,
						    gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_runtime_start(long from, long end, long incr, long *istart, long *iend);
bool GOMP_loop_ull_ordered_runtime_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, gomp_ull *istart,
					 gomp_ull *iend);
bool GOMP_loop_static_next(long *istart, long *iend);
bool GOMP_loop_ull_static_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_dynamic_next(long *istart, long *iend);
bool GOMP_loop_ull_dynamic_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_guided_next(long *istart, long *iend);
bool GOMP_loop_ull_guided_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_runtime_next(long *istart, long *iend);
bool GOMP_loop_ull_runtime_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_nonmonotonic_dynamic_next(long *istart, long *iend);
bool GOMP_loop_ull_nonmonotonic_dynamic_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_nonmonotonic_guided_next(long *istart, long *iend);
bool GOMP_loop_ull_nonmonotonic_guided_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_nonmonotonic_runtime_next(long *istart, long *iend);
bool GOMP_loop_ull_nonmonotonic_runtime_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *istart, long *iend);
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_static_next(long *istart, long *iend);
bool GOMP_loop_ull_ordered_static_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_dynamic_next(long *istart, long *iend);
bool GOMP_loop_ull_ordered_dynamic_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_guided_next(long *istart, long *iend);
bool GOMP_loop_ull_ordered_guided_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_ordered_runtime_next(long *istart, long *iend);
bool GOMP_loop_ull_ordered_runtime_next(gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_start(long from, long end, long incr, long sched, long chunk, long *istart, long *iend,
		     uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, long sched, gomp_ull chunk,
			 gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions, void **mem);
bool GOMP_loop_ordered_start(long from, long end, long incr, long sched, long chunk, long *istart, long *iend,
			     uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_ordered_start(bool up, gomp_ull from, gomp_ull end, gomp_ull incr, long sched, gomp_ull chunk,
				 gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions, void **mem);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_loop_end_nowait(void);

/* gomp_parallel.c */
void GOMP_parallel_loop_static(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr, long chunk,
			       unsigned flags);
void GOMP_parallel_loop_dynamic(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr,
				long chunk, unsigned flags);
void GOMP_parallel_loop_guided(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr, long chunk,
			       unsigned flags);
void GOMP_parallel_loop_nonmonotonic_dynamic(gomp_fn fn, void *data, unsigned num_threads, long from, long end,
					     long incr, long chunk, unsigned flags);
void GOMP_parallel_loop_nonmonotonic_guided(gomp_fn fn, void *data, unsigned num_threads, long from, long end,
					    long incr, long chunk, unsigned flags);
void GOMP_parallel_loop_runtime(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr,
				unsigned flags);
void GOMP_parallel_loop_nonmonotonic_runtime(gomp_fn fn, void *data, unsigned num_threads, long from, long end,
					     long incr, unsigned flags);
void GOMP_parallel_loop_maybe_nonmonotonic_runtime(gomp_fn fn, void *data, unsigned num_threads, long from, long end,
						   long incr, unsigned flags);
void GOMP_parallel_loop_static_start(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr,
				     long chunk);
void GOMP_parallel_loop_dynamic_start(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr,
				      long chunk);
void GOMP_parallel_loop_guided_start(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr,
				     long chunk);
void GOMP_parallel_loop_runtime_start(gomp_fn fn, void *data, unsigned num_threads, long from, long end, long incr);

/* gomp_workshare.c */
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem);
unsigned GOMP_sections_next(void);
void GOMP_parallel_sections(gomp_fn fn, void *data, unsigned num_threads, unsigned count, unsigned flags);
void GOMP_parallel_sections_start(gomp_fn fn, void *data, unsigned num_threads, unsigned count);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void GOMP_sections_end_nowait(void);

/* gomp_workshare.c, gomp_sync.c */
bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void GOMP_scope_start(uintptr_t *reductions);

/* gomp_doacross.c */
bool GOMP_loop_doacross_static_start(unsigned ncounts, long *counts, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_doacross_static_start(unsigned ncounts, gomp_ull *counts, gomp_ull chunk, gomp_ull *istart,
					 gomp_ull *iend);
bool GOMP_loop_doacross_dynamic_start(unsigned ncounts, long *counts, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_doacross_dynamic_start(unsigned ncounts, gomp_ull *counts, gomp_ull chunk, gomp_ull *istart,
					  gomp_ull *iend);
bool GOMP_loop_doacross_guided_start(unsigned ncounts, long *counts, long chunk, long *istart, long *iend);
bool GOMP_loop_ull_doacross_guided_start(unsigned ncounts, gomp_ull *counts, gomp_ull chunk, gomp_ull *istart,
					 gomp_ull *iend);
bool GOMP_loop_doacross_runtime_start(unsigned ncounts, long *counts, long *istart, long *iend);
bool GOMP_loop_ull_doacross_runtime_start(unsigned ncounts, gomp_ull *counts, gomp_ull *istart, gomp_ull *iend);
bool GOMP_loop_doacross_start(unsigned ncounts, long *counts, long sched, long chunk, long *istart, long *iend,
			      uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_doacross_start(unsigned ncounts, gomp_ull *counts, long sched, gomp_ull chunk, gomp_ull *istart,
				  gomp_ull *iend, uintptr_t *reductions, void **mem);
void GOMP_doacross_post(long *counts);
void GOMP_doacross_ull_post(gomp_ull *counts);
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_wait(gomp_ull first, ...);

/* gomp_task.c */
typedef void (*gomp_copy_fn)(void *to, void *from);
void GOMP_task(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align, bool if_clause, unsigned flags,
	       void **depend, int priority, void *detach);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskwait_depend_nowait(void **depend);
void GOMP_taskyield(void);

void GOMP_taskloop(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align, unsigned flags,
		   unsigned long num_tasks, int priority, long start, long end, long step);
void GOMP_taskloop_ull(gomp_fn fn, void *data, gomp_copy_fn copy, long size, long align, unsigned flags,
		       unsigned long num_tasks, int priority, gomp_ull start, gomp_ull end, gomp_ull step);

void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

/* gomp_reduction.c */
void GOMP_taskgroup_reduction_register(uintptr_t *data);
void GOMP_taskgroup_reduction_unregister(uintptr_t *data);
void GOMP_task_reduction_remap(size_t n, size_t n_original, void **pointers);
unsigned GOMP_parallel_reductions(gomp_fn fn, void *data, unsigned num_threads, unsigned flags);
void GOMP_workshare_task_reduction_unregister(bool cancelled);

/* gomp_sync.c */
bool GOMP_cancel(int which, bool do_cancel);
bool GOMP_cancellation_point(int which);

/* omp_alloc.c: api */
void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator);
void GOMP_free(void *memory, uintptr_t allocator);
void GOMP_add_alloc(void *memory);
bool GOMP_is_alloc(void *memory);

/* omp_interop.c: api */
void GOMP_interop(int device, int n_init, uintptr_t **init, const int *types, const char **preferred, int n_use,
		  uintptr_t **use, int n_destroy, uintptr_t **destroy, unsigned flags, void **depend);

/* gomp_error.c: api */
void GOMP_warning(const char *message, size_t len);
void GOMP_error(const char *message, size_t len);

/* gomp_target.c: api */
void GOMP_target_ext(int device, gomp_fn fn, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
		     unsigned flags, void **depend, void **args);
void GOMP_target_data_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds);
void GOMP_target_end_data(void);
void GOMP_target_update_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
			    unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
				 unsigned flags, void **depend);
void GOMP_target(int device, gomp_fn fn, const void *unused, size_t n, void **addresses, size_t *sizes,
		 unsigned char *kinds);
void GOMP_target_data(int device, const void *unused, size_t n, void **addresses, size_t *sizes, unsigned char *kinds);
void GOMP_target_update(int device, const void *unused, size_t n, void **addresses, size_t *sizes,
			unsigned char *kinds);
void *GOMP_target_map_indirect_ptr(void *function);
void GOMP_offload_register_ver(unsigned version, const void *host_table, int type, const void *data);
void GOMP_offload_unregister_ver(unsigned version, const void *host_table, int type, const void *data);
void GOMP_offload_register(const void *host_table, int type, const void *data);
void GOMP_offload_unregister(const void *host_table, int type, const void *data);

#endif
