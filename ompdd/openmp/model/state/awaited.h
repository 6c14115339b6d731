/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The threads and tasks that a thread or task waits for, from libraries that have a routine for that
 * (libompd/ompd-more.h).
 */
#ifndef OMPDD_OPENMP_AWAITED_H
#define OMPDD_OPENMP_AWAITED_H

#include <stdint.h>

#include "base/error.h"

struct names;
struct model;
struct snapshot;
struct _ompd_thread_handle;
struct target_registers;

/* The position of a thread: its program counter, the start of its function, and its registers. */
struct awaited_place {
	uint64_t function, pc;
	const struct target_registers *registers;
};

/*
 * Limits: items of one wait, and tasks that one walk asks the library about. AWAITED_MAX_TASKS is for finding out why
 * nothing progresses. AWAITED_MAX_DEPENDENCES is for showing dependences, which happens repeatedly. For each task a
 * library may have to examine all others.
 */
#define AWAITED_MAX		4096
#define AWAITED_MAX_TASKS	1024
#define AWAITED_MAX_DEPENDENCES 128

/*
 * Asks the library whether thread number @index, with the handle @object and a known state, waits for others. Part of
 * the walk. Tasks that are new to the client get names. For dependences alone a limited number of threads is asked.
 * ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *awaited_ask_thread(struct model *m, struct names *names, struct _ompd_thread_handle *object,
					  uint32_t index);
/* Does the same for a thread that busy-waits at @place. */
MUST_USE struct error *awaited_ask_spinning(struct model *m, struct names *names, struct _ompd_thread_handle *object,
					    uint32_t index, const struct awaited_place *place);
/* Asks the library about the tasks that have not started because of other tasks. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *awaited_ask_tasks(struct model *m, struct names *names);
/* Replaces thread ids by indexes. Call it when all threads are known. */
void awaited_resolve(struct snapshot *s);

#endif
