/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread pointers, pthread_t and kernel ids of glibc's threads, for the backends. */
#ifndef OMPDD_LIBOMPD_GLIBC_H
#define OMPDD_LIBOMPD_GLIBC_H

#include <stdbool.h>

#include "code/walk.h"
#include "omp-tools.h"

struct glibc {
	int64_t errno_base;  /* offset of errno from the thread pointer */
	bool has_errno_base; /* false: the thread pointer of a thread context cannot be found */
	bool has_lwp;
	uint32_t lwp_offset; /* offset of the kernel's id in the descriptor; pthread_t is the descriptor's address */
	uint32_t behind;     /* distance from the descriptor to the thread pointer */
};

/* Read as many of the facts as the target shows. Uses @walk. */
void glibc_read(ompd_address_space_context_t *context, struct code_walk *walk, struct glibc *ret);

/* Check that an id of @kind has @size bytes. Returns unsupported (kind) or bad_input (size). */
ompd_rc_t glibc_check_kind(ompd_thread_id_t kind, ompd_size_t size);

/* Return the distance from the descriptor to the thread pointer. unavailable: this glibc does not show it. */
ompd_rc_t glibc_behind(ompd_address_space_context_t *context, uint32_t *ret);

/*
 * Check for a thread's control block at @thread_pointer; glibc_check_thread() also checks the
 * descriptor where the control block proves nothing. Returns bad_input for any other memory.
 */
ompd_rc_t glibc_check_tcb(ompd_address_space_context_t *context, ompd_addr_t thread_pointer);
ompd_rc_t glibc_check_thread(ompd_address_space_context_t *context, const struct glibc *glibc,
			     ompd_addr_t thread_pointer);

/* Return the thread pointer of the thread @thread, derived from the address of its errno. */
ompd_rc_t glibc_thread_pointer(ompd_address_space_context_t *context, const struct glibc *glibc,
			       ompd_thread_context_t *thread, ompd_addr_t *ret);

/*
 * Return the id of @kind of the thread at @thread_pointer. Checks @kind with glibc_check_kind().
 * stale_handle: the thread has exited.
 */
ompd_rc_t glibc_thread_id(ompd_address_space_context_t *context, const struct glibc *glibc, ompd_addr_t thread_pointer,
			  ompd_thread_id_t kind, ompd_size_t size, void *ret);

#endif
