/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The members of each team and the thread of each task, concluded from a walk. The library helps with enclosing teams.
 */
#ifndef OMPDD_OPENMP_MEMBERS_H
#define OMPDD_OPENMP_MEMBERS_H

#include "base/error.h"

/* Thread numbers of enclosing teams that one walk asks the library for. */
#define MEMBERS_MAX_ASKED 65536

struct model;
struct snapshot;

/*
 * Cuts cyclic chains. Fills `members` of each region, and `thread` of each task where it is certain. Fails for lack of
 * memory only.
 */
MUST_USE struct error *members_find(struct model *m, struct snapshot *s);

#endif
