/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of quirks_llvm share: the library that is corrected, and its handles. */
#ifndef OMPDD_OPENMP_QUIRKS_LLVM_INTERNAL_H
#define OMPDD_OPENMP_QUIRKS_LLVM_INTERNAL_H

#include <stddef.h>

#include "openmp/plugin/blocks.h"
#include "openmp/plugin/ompd.h"

/* The one library that the worker hosts. */
struct llvm {
	struct ompd_routines library; /* its own routines, before they were replaced */
	ompd_address_space_handle_t *aspace;
	/* Numbers of variables; 0: there is none such. */
	ompd_icv_id_t levels, nthreads, bind, run_sched, implicit_task;
};

extern struct llvm llvm;

/*
 * The library's handle of a region or a task, as far as it is looked into; it lies in a block of ours. Of a region @th
 * is its team, of a task its taskdata. Records and W1: quirks_llvm_nests.c.
 */
struct llvm_object {
	ompd_address_space_handle_t *aspace;
	ompd_address_t th;  /* segment: number of this record, 1 for W1; 0: none */
	ompd_address_t lwt; /* address: the record; else segment: W1 of the nest of which this is the innermost */
};

/* @handle as a region or task; NULL: it is not as we know them, and nothing is corrected. */
static inline struct llvm_object *llvm_object_of(void *handle)
{
	struct llvm_object *object = handle;
	size_t size;

	if (!blocks_size(handle, &size) || size != sizeof(*object) || object->aspace != llvm.aspace)
		return NULL;
	return object;
}

/* Find the numbers of the variables above. */
void quirks_llvm_learn_icvs(ompd_address_space_handle_t *aspace);

/* Put the corrected routines of control variables, and of regions and tasks, into @routines. */
void quirks_llvm_apply_icvs(struct ompd_routines *routines);
void quirks_llvm_apply_nests(struct ompd_routines *routines);

#endif
