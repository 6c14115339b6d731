/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that record what OpenMP answers, and park. A thread outside OpenMP then compares this with libompd's
 * answers. Each thread calls oracle_park(), which compares nothing itself.
 */
#ifndef OMPDD_SUPPORT_LIBOMPD_ORACLE_H
#define OMPDD_SUPPORT_LIBOMPD_ORACLE_H

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "omp-tools.h"

#define ORACLE_MAX_LEVEL 16
#define ORACLE_MAX_VIEWS 512

/* The answers of one thread's omp_get_* routines just before it parked. */
struct oracle_view {
	pthread_t thread;
	pid_t tid;
	int tag; /* chosen by the caller */
	int level, active_level, thread_num, num_threads, max_threads, dynamic, max_active_levels;
	int in_final, bind, thread_limit;
	omp_sched_t schedule;
	int chunk;
	int ancestor[ORACLE_MAX_LEVEL], team_size[ORACLE_MAX_LEVEL];
};

extern struct oracle_view oracle_views[ORACLE_MAX_VIEWS];
extern int oracle_count;
extern ompd_address_space_handle_t *oracle_process;

/* Record the view and wait until the observer has finished. */
void oracle_park(int tag);
/* Record the view only: the thread continues into a wait of the runtime. */
void oracle_record(int tag);

/* Wait until the thread of @tag sleeps in the kernel. */
void oracle_wait_asleep(int tag);
/* Return the address of the futex on which the sleeping thread of @tag sleeps. */
uint64_t oracle_sleeps_on(int tag);

/*
 * Run @program in the calling thread. Wait until @parked threads have parked or, with 0, until @recorded views are
 * recorded. Then run @observer in another thread, with oracle_process initialised, and release the threads. No memory
 * may be left allocated.
 */
void oracle_run(void (*program)(void), int parked, int recorded, void (*observer)(void));

/* Call omp_set_max_active_levels(), and omp_set_nested() for libgomp before 11. */
void oracle_allow_nesting(int levels);

/* Return whether the tests run on this project's runtime, which stores more than libgomp. */
bool oracle_runtime_is_ours(void);
/* Return whether the tests run on LLVM's runtime, in libgomp's place. */
bool oracle_runtime_is_libomp(void);

/* Return the view with @tag, which is unique. */
const struct oracle_view *oracle_view(int tag);

/*
 * Return the thread pointer of the view's thread, the base of static TLS. On some processors it lies after the
 * pthread_t.
 */
uint64_t oracle_thread_pointer(const struct oracle_view *view);

ompd_thread_handle_t *oracle_thread(const struct oracle_view *view);
ompd_rc_t oracle_icv(void *handle, ompd_scope_t scope, const char *name, ompd_word_t *value);
ompd_rc_t oracle_icv_string(void *handle, ompd_scope_t scope, const char *name, char *text, size_t size);

/* Compare all data of @view with libompd's answers about its thread. */
void oracle_check_view(const struct oracle_view *view);
void oracle_check_all(void);

/* Check that the thread of @tag is in @state and waits. */
void oracle_check_state(int tag, ompd_word_t state);
/* Check that the thread of @tag works. libgomp does not report that state. */
void oracle_check_at_work(int tag);

#endif
