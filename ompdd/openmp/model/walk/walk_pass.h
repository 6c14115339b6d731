/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pass through the OMPD library, shared by the files of openmp/model/walk/walk. */
#ifndef OMPDD_OPENMP_WALK_PASS_H
#define OMPDD_OPENMP_WALK_PASS_H

#include "openmp/model/names.h"
#include "openmp/model/snapshot_icvs.h"
#include "openmp/model/walk/sample_walk.h"

struct model;
struct plugin;
struct target;

struct walk {
	struct model *m;
	struct plugin *p;
	struct target *t;
	struct snapshot *s;
	struct names names;
	struct snapshot_fields fields;
	size_t tasks_done, parallels_done;
	struct sample_walk *sample;	       /* with SNAPSHOT_SAMPLE */
	const struct sample_walk_known *known; /* of the current thread, if it has slept on */
	bool infers; /* the activity of threads is read from the process, for openmp/model/state/infer */
};

/* Reads the variable @def of @object, a handle of the library. */
static inline struct error *walk_read_field(struct walk *w, void *object, struct icv_def *def,
					    struct snapshot_word *ret)
{
	return snapshot_icvs_read_field(w->s, w->p, object, def, ret);
}

/* Reads the variables of @set for @object. *@ret is in the snapshot's arena. */
static inline struct error *walk_read_icvs(struct walk *w, void *object, const struct snapshot_icv_set *set,
					   struct icv_value **ret)
{
	return snapshot_icvs_read(w->s, w->p, object, set, ret);
}

/* Reads all threads of the process. openmp/model/walk/walk_threads.c */
MUST_USE struct error *walk_threads(struct walk *w);

#endif
