/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One target process: the tool's context, the backend, and the backend's data. It does not change
 * after creation. The handles that use it count references, so a tool may release its handles in
 * any order.
 */
#ifndef OMPDD_LIBOMPD_PROCESS_H
#define OMPDD_LIBOMPD_PROCESS_H

#include "backend.h"
#include "callbacks.h"

struct process {
	unsigned refs;
	ompd_address_space_context_t *context; /* owned by the tool */
	const struct backend *backend;
	void *data; /* of the backend: backend->data_size bytes */
};

/* Read *@ret at @address of @process. */
#define PROCESS_READ(process, address, ret) cb_read((process)->context, address, sizeof(*(ret)), ret)

/*
 * Try each backend on @context. The caller owns one reference. Returns unavailable if the process
 * has no known runtime.
 */
ompd_rc_t process_create(ompd_address_space_context_t *context, struct process **ret);
struct process *process_ref(struct process *process);
void process_unref(struct process *process);

#endif
