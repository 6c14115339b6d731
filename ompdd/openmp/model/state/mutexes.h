/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The holders of the locks that threads wait for, from libraries that have a routine for that (libompd/ompd-more.h). */
#ifndef OMPDD_OPENMP_MUTEXES_H
#define OMPDD_OPENMP_MUTEXES_H

#include "base/error.h"

struct model;
struct plugin;
struct snapshot;

/* Locks that one walk asks the library about. */
#define MUTEXES_MAX 1024

/* Fills the `mutexes` of @s. Part of the walk, called when threads and tasks are known. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *mutexes_ask(struct model *m, struct plugin *p, struct snapshot *s);

#endif
