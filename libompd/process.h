/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the library knows of one target process: the tool's context, the backend and the backend's
 * layout. Immutable once made and counted by the handles that use it, so that a tool may release
 * its handles in any order.
 */
#ifndef OMPDD_LIBOMPD_PROCESS_H
#define OMPDD_LIBOMPD_PROCESS_H

#include "backend.h"

struct process {
	unsigned refs;
	ompd_address_space_context_t *context; /* the tool's */
	const struct backend *backend;
	void *data; /* the backend's, one block */
};

/* Try each backend on @context; the caller owns one reference. */
ompd_rc_t process_create(ompd_address_space_context_t *context, struct process **ret);
struct process *process_ref(struct process *process);
void process_unref(struct process *process);

#endif
