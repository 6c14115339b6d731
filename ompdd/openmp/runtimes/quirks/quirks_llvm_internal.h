/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the files of quirks_llvm: the library that is corrected, and its handles. */
#ifndef OMPDD_OPENMP_QUIRKS_LLVM_INTERNAL_H
#define OMPDD_OPENMP_QUIRKS_LLVM_INTERNAL_H

#include <stddef.h>

#include "openmp/plugin/blocks.h"
#include "openmp/plugin/ompd.h"

/* The only library that the worker hosts. */
struct llvm {
	struct ompd_routines library; /* its own routines, before they were replaced */
	ompd_address_space_handle_t *aspace;
	/* Numbers of variables; 0: the library has no such variable. */
	ompd_icv_id_t levels, nthreads, bind, run_sched, implicit_task;
};

extern struct llvm llvm;

/*
 * The fields of the library's region or task handle that are read here. The handle lies in one of our blocks. For a
 * region @th is its team, for a task its taskdata. quirks_llvm_nests.c explains records and W1.
 */
struct llvm_object {
	ompd_address_space_handle_t *aspace;
	ompd_address_t th;  /* segment: number of this record, 1 for W1; 0: no record */
	ompd_address_t lwt; /* address: the record; else segment: W1 of the nest whose innermost is this */
};

/* Returns @handle as a region or task. Returns NULL for an unknown form, which is not corrected. */
static inline struct llvm_object *llvm_object_of(void *handle)
{
	struct llvm_object *object = handle;
	size_t size;

	if (!blocks_size(handle, &size) || size != sizeof(*object) || object->aspace != llvm.aspace)
		return NULL;
	return object;
}

/* Finds the numbers of the variables above. */
void quirks_llvm_learn_icvs(ompd_address_space_handle_t *aspace);

/* Puts the corrected routines for control variables, and for regions and tasks, into @routines. */
void quirks_llvm_apply_icvs(struct ompd_routines *routines);
void quirks_llvm_apply_nests(struct ompd_routines *routines);

#endif
