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

#define TARGET_HOST	0  /* the initial device's number: there are no others */
#define TARGET_DEFAULT	-1 /* default-device-var */
#define TARGET_IF_FALSE -2 /* an if clause said no */

/* The device a construct names is not there: with OMP_TARGET_OFFLOAD=mandatory that ends the program. */
void target_check_device(const struct thread *t, int device);
/* For the API routines, which know only real numbers. */
bool target_device_is_host(int device);

/* What a target construct hands over. */
struct target_region {
	void (*fn)(void *);
	void **args; /* @n of them, as the compiler laid them out: what @fn gets */
	const size_t *sizes;
	const uint8_t *align; /* of those that are to be copied: log2 + 1; 0: not to be copied; NULL: none */
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

#endif
