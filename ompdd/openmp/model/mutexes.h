/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who holds the locks for which threads wait, from libraries that have a routine for that (libompd/ompd-more.h). */
#ifndef OMPDD_OPENMP_MUTEXES_H
#define OMPDD_OPENMP_MUTEXES_H

#include "base/error.h"

struct model;
struct plugin;
struct snapshot;

/* Locks of one walk of which the library is asked. */
#define MUTEXES_MAX 1024

/* Fill the `mutexes` of @s; part of the walk, when threads and tasks are known. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *mutexes_ask(struct model *m, struct plugin *p, struct snapshot *s);

#endif
