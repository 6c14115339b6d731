/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whom threads and tasks wait for, from libraries that have a routine for that (libompd/ompd-more.h). */
#ifndef OMPDD_OPENMP_AWAITED_H
#define OMPDD_OPENMP_AWAITED_H

#include <stdint.h>

#include "base/error.h"

struct names;
struct model;
struct snapshot;
struct _ompd_thread_handle;
struct target_registers;

/* Where a thread is, in which function, and its registers. */
struct awaited_place {
	uint64_t function, pc;
	const struct target_registers *registers;
};

/*
 * Items of one wait, and tasks of one walk of which the library is asked: to conclude why nothing goes on, and to show
 * dependences, again and again. For each a library may have to look at all others.
 */
#define AWAITED_MAX		4096
#define AWAITED_MAX_TASKS	1024
#define AWAITED_MAX_DEPENDENCES 128

/*
 * Parts of the walk. Ask of thread number @index, which is @object and whose state is known, if it waits for others;
 * tasks that nobody has met before get names. For dependences alone a limited number of threads is asked.
 * ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *awaited_ask_thread(struct model *m, struct names *names, struct _ompd_thread_handle *object,
					  uint32_t index);
/* The same of one that waits awake, at @place. */
MUST_USE struct error *awaited_ask_spinning(struct model *m, struct names *names, struct _ompd_thread_handle *object,
					    uint32_t index, const struct awaited_place *place);
/* Ask of all tasks that have not begun because of others. */
MUST_USE struct error *awaited_ask_tasks(struct model *m, struct names *names);
/* When all threads are known: their numbers for their ids. */
void awaited_resolve(struct snapshot *s);

#endif
