/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Target constructs (OpenMP 5.2, 13). The only device is the host: the encountering thread executes the region, as an
 * initial task.
 */
#ifndef OMPDD_RUNTIME_CORE_TEAM_TARGET_H
#define OMPDD_RUNTIME_CORE_TEAM_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/task.h"
#include "omp-tools.h"

struct thread;

/* Notes that the program or a library has code for devices. */
void target_note_image(void);

/*
 * Checks the device of a construct. The first that falls back to the host although the program has code for devices
 * prints a message, unless OMP_TARGET_OFFLOAD=disabled. With OMP_TARGET_OFFLOAD=mandatory, a missing device ends the
 * program; omp_invalid_device always does.
 */
void target_check_device(const struct thread *t, int device);
/*
 * Returns whether @device is the host, for API routines: also omp_initial_device and omp_default_device. Ends the
 * program like target_check_device().
 */
bool target_device_is_host(int device);
/* As target_device_is_host(), but never ends the program. */
bool target_device_is_there(int device);

#define TARGET_NOT_COPIED 0
/*
 * The argument is the address of an earlier argument. That argument and the one before this are copied. The earlier
 * one starts with a pointer into the other, which becomes a pointer into the copy.
 */
#define TARGET_ATTACHED		UINT8_MAX
#define TARGET_IS_COPIED(align) ((align) != TARGET_NOT_COPIED && (align) != TARGET_ATTACHED)

/* The arguments of a target construct. */
struct target_region {
	void (*fn)(void *);
	void **args; /* the @n arguments of @fn, in the compiler's layout */
	const size_t *sizes;
	const uint8_t *align; /* of the copy of each argument: log2 + 1, or TARGET_*; NULL: nothing is copied */
	size_t n;
	uint32_t thread_limit; /* 0: unchanged */
	struct site site;
};

/* Executes the region now. Does not change @args. */
void target_run(struct thread *t, const struct target_region *region);
/*
 * Executes it as a target task, with dependences (see core/task/depend.h; NULL: none). If not deferred, the construct
 * waits for it.
 */
void target_spawn(struct thread *t, const struct target_region *region, void **depend, bool deferred);
/* A construct @kind that would move data: an empty task with its dependences (NULL: none). */
void target_order(struct thread *t, ompt_target_t kind, void **depend, bool deferred, struct site site);
/* Runs @fn as a deferred target task, with @size bytes of its own. @copy makes them from @data (NULL: a plain copy). */
void target_defer(struct thread *t, void (*fn)(void *), void *data, void (*copy)(void *to, void *from), size_t size,
		  void **depend, struct site site);

#endif
