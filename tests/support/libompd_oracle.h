/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that say what OpenMP tells them, park, and are then looked at through libompd by a
 * thread outside OpenMP. Each thread calls oracle_park(), which compares nothing itself.
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

/* What one thread's omp_get_* routines answered just before it parked. */
struct oracle_view {
	pthread_t thread;
	pid_t tid;
	int tag; /* the caller's */
	int level, active_level, thread_num, num_threads, max_threads, dynamic, max_active_levels;
	int in_final, bind, thread_limit;
	omp_sched_t schedule;
	int chunk;
	int ancestor[ORACLE_MAX_LEVEL], team_size[ORACLE_MAX_LEVEL];
};

extern struct oracle_view oracle_views[ORACLE_MAX_VIEWS];
extern int oracle_count;
extern ompd_address_space_handle_t *oracle_process;

/* Record the view and wait until the observer has looked. */
void oracle_park(int tag);
/* Record the view only: the thread goes on, into a wait of the runtime. */
void oracle_record(int tag);

/* Wait until @tag's thread is asleep in the kernel. */
void oracle_wait_asleep(int tag);
/* The address of the futex that @tag's thread, which is asleep, sleeps on. */
uint64_t oracle_sleeps_on(int tag);

/*
 * Run @program in the calling thread; once @parked threads have parked (or, with 0, have recorded
 * @recorded views), run @observer in another thread with oracle_process initialised; then release.
 * At the end nothing may be left allocated.
 */
void oracle_run(void (*program)(void), int parked, int recorded, void (*observer)(void));

/* omp_set_max_active_levels, and what libgomp before 11 needs besides. */
void oracle_allow_nesting(int levels);

/* Whether the tests run on the runtime of this project, which stores more than libgomp. */
bool oracle_runtime_is_ours(void);
/* Whether they run on LLVM's, in libgomp's place. */
bool oracle_runtime_is_libomp(void);

/* The view with @tag (which is unique), and the n-th recorded. */
const struct oracle_view *oracle_view(int tag);

/* The thread pointer of its thread, from which static TLS is counted: on some processors it is behind the pthread_t. */
uint64_t oracle_thread_pointer(const struct oracle_view *view);

ompd_thread_handle_t *oracle_thread(const struct oracle_view *view);
ompd_rc_t oracle_icv(void *handle, ompd_scope_t scope, const char *name, ompd_word_t *value);
ompd_rc_t oracle_icv_string(void *handle, ompd_scope_t scope, const char *name, char *text, size_t size);

/* Compare everything that @view knows with what libompd says of its thread. */
void oracle_check_view(const struct oracle_view *view);
void oracle_check_all(void);

/* @tag's thread is in @state, and waits for something. */
void oracle_check_state(int tag, ompd_word_t state);
/* It works, which libgomp does not say. */
void oracle_check_at_work(int tag);

#endif
