/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A short walk (openmp/model/walk/walk) for the samples of a profile, which are taken a hundred times a second. It asks
 * only for the activity and place of each thread, and for the explicit tasks that threads execute. Members of regions
 * and control variables are left out.
 */
#ifndef OMPDD_OPENMP_SAMPLE_WALK_H
#define OMPDD_OPENMP_SAMPLE_WALK_H

#include "base/error.h"
#include "openmp/model/icv.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/snapshot_icvs.h"

struct model;
struct plugin;

/* Results of the previous sample for one thread. They need not be asked again while they hold. */
struct sample_walk_known {
	bool is_valid;
	int parallel_rc;
	uint32_t parallel;		 /* number of the handle of its region */
	struct snapshot_word thread_num; /* thread number in that region */
	/*
	 * A sleeping thread's state cannot change: only the thread itself writes it. Excluded are waits whose outcome
	 * other threads decide: in the pool and, with most runtimes, at the end of a region.
	 */
	bool is_settled;
	bool has_all; /* the fields below come from one sample */
	struct snapshot_word state, wait_id;
	void *object;	     /* the library's handle of the thread, or NULL */
	unsigned generation; /* the library's generation when `object` was created */
	bool has_task;
	bool is_explicit;
	struct snapshot_word function; /* function of its explicit task */
};

struct sample_walk {
	/*
	 * Fills *@ret with the activity of @thread, as target_activity() does. The state of @thread is filled in so
	 * far.
	 */
	void (*activity)(void *arg, const struct snapshot_thread *thread, struct target_activity *ret);
	/*
	 * Returns the results of the previous sample for @thread, owned by the owner of `arg`, or NULL. Sets
	 * *@slept_ret if the thread has not run since.
	 */
	struct sample_walk_known *(*known)(void *arg, const struct snapshot_thread *thread, bool *slept_ret);
	void *arg;
	bool ends_with_region; /* from the runtime's descriptor */
	/* The library's variable that marks explicit tasks, and its value for them. NULL: the library has none. */
	struct icv_def *explicit_task;
	int64_t explicit_value;
};

/* Prepares @b and @s at the start of a walk. */
void sample_walk_begin(struct sample_walk *b, struct icv_table *table, struct snapshot *s);
/*
 * Fills in @thread from @known, for a settled thread that has slept since. Returns false if this walk has not
 * encountered the thread's region. On true, *@err_ret is NULL or an error.
 */
bool sample_walk_repeat(const struct sample_walk_known *known, struct snapshot *s, struct snapshot_thread *thread,
			struct error **err_ret);

/*
 * Returns whether @thread, which has slept on, is still in the same place. A thread that reports the same state, in the
 * pool or at the end of its region, has not changed its region.
 */
bool sample_walk_is_same(const struct sample_walk_known *known, const struct snapshot_thread *thread);

/*
 * sample_walk_object() returns the thread handle kept from an earlier walk, or NULL. sample_walk_keep_object() takes
 * @object, the handle that gave @thread. It returns whether @object is kept from now on.
 */
void *sample_walk_object(struct sample_walk_known *known, struct model *m);
bool sample_walk_keep_object(struct sample_walk_known *known, struct model *m, void *object,
			     const struct snapshot_thread *thread);
/* Releases the kept handle. */
void sample_walk_forget(struct sample_walk_known *known, struct model *m);

/*
 * Reads the thread number and the explicit task of @thread. @object is its handle, and its region is already filled in.
 */
MUST_USE struct error *sample_walk_thread(struct sample_walk *b, struct plugin *p, struct snapshot *s,
					  const struct snapshot_fields *fields, ompd_thread_handle_t *object,
					  struct snapshot_thread *thread);

#endif
