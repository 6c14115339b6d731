/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Target constructs (OpenMP 5.2, 13): there is no device but the host, so regions are executed by the thread that meets
 * them, as initial tasks of their own.
 */
#ifndef OMPDD_RUNTIME_CORE_TARGET_H
#define OMPDD_RUNTIME_CORE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/icv.h"
#include "core/task.h"
#include "omp-tools.h"

struct thread;

#define TARGET_HOST	  0  /* the initial device's number: there are no others */
#define TARGET_DEFAULT	  -1 /* default-device-var */
#define TARGET_IF_FALSE	  -2 /* an if clause said no, or omp_initial_device: gcc 13 and newer translate it */
#define TARGET_INVALID	  -4 /* omp_invalid_device */
#define TARGET_DEFAULT_61 -5 /* omp_default_device; gcc 16 writes it for TARGET_DEFAULT, too */
/* What routines get from programs, not constructs from gcc. */
#define TARGET_INITIAL -1 /* omp_initial_device */

/* The device a construct names is not there: with OMP_TARGET_OFFLOAD=mandatory that ends the program. */
void target_check_device(const struct thread *t, int device);
/* For the API routines: also of omp_initial_device and omp_default_device; omp_invalid_device ends the program. */
bool target_device_is_host(int device);
/* The same, but whatever @device is, the program goes on. */
bool target_device_is_there(int device);

#define TARGET_NOT_COPIED 0
/*
 * The argument is the address of an earlier argument, both it and the argument before this one are copied. The former
 * begins with a pointer into the latter, which becomes a pointer into the copy.
 */
#define TARGET_ATTACHED		UINT8_MAX
#define TARGET_IS_COPIED(align) ((align) != TARGET_NOT_COPIED && (align) != TARGET_ATTACHED)

/* What a target construct hands over. */
struct target_region {
	void (*fn)(void *);
	void **args; /* @n of them, as the compiler laid them out: what @fn gets */
	const size_t *sizes;
	const uint8_t *align; /* of the copy of each argument: log2 + 1, or TARGET_*; NULL: nothing is copied */
	size_t n;
	uint32_t thread_limit; /* 0: as it is */
	struct site site;
};

/* Execute it now. Does not change @args. */
void target_run(struct thread *t, const struct target_region *region);
/* As a target task: with dependences (see core/depend.h; NULL: none), and deferred unless the construct has to wait for
 * it. */
void target_spawn(struct thread *t, const struct target_region *region, void **depend, bool deferred);
/* A construct @kind that would move data: a task that has only its dependences, if there are some (NULL: none). */
void target_order(struct thread *t, ompt_target_t kind, void **depend, bool deferred, struct site site);
/* @fn as a deferred target task, with @size bytes of its own, made from @data by @copy (NULL: as they are). */
void target_defer(struct thread *t, void (*fn)(void *), void *data, void (*copy)(void *to, void *from), size_t size,
		  void **depend, struct site site);

#endif
