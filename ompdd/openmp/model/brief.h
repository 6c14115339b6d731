/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A walk that asks no more than what each thread does and where, for looks that are made a hundred times a second: of
 * tasks only the explicit ones that threads execute, no members of regions, no control variables. For
 * openmp/model/walk.
 */
#ifndef OMPDD_OPENMP_BRIEF_H
#define OMPDD_OPENMP_BRIEF_H

#include "base/error.h"
#include "openmp/model/icv.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/snapshot_icvs.h"

struct model;
struct plugin;

/* What the look before has found out of one thread, and what need not be asked again while that holds. */
struct brief_known {
	bool is_valid;
	int parallel_rc;
	uint32_t parallel;		 /* number of its region's handle */
	struct snapshot_word thread_num; /* in that region */
	/*
	 * All that the runtime says of it is what it has said of itself, and so as it was while it sleeps and its
	 * region is there: it does not wait where others decide what becomes of it, in the pool or, of most runtimes,
	 * at the end of a region.
	 */
	bool is_settled;
	bool has_all; /* the rest is of one look */
	struct snapshot_word state, wait_id;
	void *object;	     /* the library's handle of it; NULL */
	unsigned generation; /* of the library that it is of: model_generation() */
	bool has_task;
	bool is_explicit;
	struct snapshot_word function; /* of its explicit task */
};

struct brief {
	/* What @thread does, of which the state is known so far, as target_activity() says it. */
	void (*activity)(void *arg, const struct snapshot_thread *thread, struct target_activity *ret);
	/* What is known of @thread, kept by who asks; *@slept_ret: it has not run since. NULL: nothing. */
	struct brief_known *(*known)(void *arg, const struct snapshot_thread *thread, bool *slept_ret);
	void *arg;
	bool ends_with_region; /* of the runtime's profile */
	/* The library's variable that tells explicit tasks, and its value for them; NULL: it has none. */
	struct icv_def *explicit_task;
	int64_t explicit_value;
};

/* At the begin of a walk. */
void brief_begin(struct brief *b, struct icv_table *table, struct snapshot *s);
/*
 * Fill in @thread, that has slept since it was seen to be settled, with what is known of it. False: its region has not
 * been met in this walk.
 */
bool brief_again(const struct brief_known *known, struct snapshot *s, struct snapshot_thread *thread,
		 struct error **err_ret);

/*
 * Whether @thread, that has slept on, is where it was: while it is said to do the same, in the pool or at the end of
 * its region, it is in no other.
 */
bool brief_is_same(const struct brief_known *known, const struct snapshot_thread *thread);

/* The handle of a thread is kept from walk to walk: that which there is, or NULL; whether @object is kept from now on,
 * which gave @thread. */
void *brief_object(struct brief_known *known, struct model *m);
bool brief_keep_object(struct brief_known *known, struct model *m, void *object, const struct snapshot_thread *thread);
/* Release it. */
void brief_forget(struct brief_known *known, struct model *m);

/* Thread number and explicit task of @thread, whose handle @object is and whose region is known so far. */
MUST_USE struct error *brief_thread(struct brief *b, struct plugin *p, struct snapshot *s,
				    const struct snapshot_fields *fields, ompd_thread_handle_t *object,
				    struct snapshot_thread *thread);

#endif
