/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What glibc knows of threads: thread pointers, its pthread_t, and the kernel's ids. Used by the backends. */
#ifndef OMPDD_LIBOMPD_GLIBC_H
#define OMPDD_LIBOMPD_GLIBC_H

#include <stdbool.h>

#include "code/walk.h"
#include "omp-tools.h"

struct glibc {
	int64_t errno_base;  /* of errno from the thread pointer */
	bool has_errno_base; /* else a thread context does not lead to its thread pointer */
	bool has_lwp;
	uint32_t lwp_offset; /* of the kernel's id in the descriptor, of which pthread_t is the address */
	uint32_t behind;     /* how far the thread pointer is behind that */
};

/* Find out what can be; uses @walk. */
void glibc_read(ompd_address_space_context_t *context, struct code_walk *walk, struct glibc *ret);

/* Whether an id of @kind has @size bytes: unsupported, bad_input. */
ompd_rc_t glibc_check_kind(ompd_thread_id_t kind, ompd_size_t size);

/* How far the thread pointer is behind the descriptor. unavailable: this glibc does not say it. */
ompd_rc_t glibc_behind(ompd_address_space_context_t *context, uint32_t *ret);

/* Whether there is a thread's control block at @thread_pointer; bad_input if not. */
ompd_rc_t glibc_check_tcb(ompd_address_space_context_t *context, const struct glibc *glibc, ompd_addr_t thread_pointer);

/* The thread pointer of the thread that @thread is, through the address of its errno. */
ompd_rc_t glibc_thread_pointer(ompd_address_space_context_t *context, const struct glibc *glibc,
			       ompd_thread_context_t *thread, ompd_addr_t *ret);

/* The id of @kind of the thread at @thread_pointer, checked by glibc_check_kind(). stale_handle: it has exited. */
ompd_rc_t glibc_thread_id(ompd_address_space_context_t *context, const struct glibc *glibc, ompd_addr_t thread_pointer,
			  ompd_thread_id_t kind, ompd_size_t size, void *ret);

#endif
