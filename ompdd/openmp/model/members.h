/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who is in which team, and who executes which task: what follows from a walk, with the library's help for enclosing
 * teams. */
#ifndef OMPDD_OPENMP_MEMBERS_H
#define OMPDD_OPENMP_MEMBERS_H

#include "base/error.h"

/* Numbers of enclosing teams that one walk asks the library for. */
#define MEMBERS_MAX_ASKED 65536

struct model;
struct snapshot;

/*
 * Cut chains that lead back into themselves, fill `members` of each region and `thread` of each
 * task where it is certain.
 */
MUST_USE struct error *members_find(struct model *m, struct snapshot *s);

#endif
