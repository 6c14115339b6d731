/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What was read last of the target, for callbacks.c: a routine that needs a structure twice reads it once. It is
 * forgotten when the next routine is called, as the target may have run meanwhile, unless the tool has said that it
 * stands (ompd-more.h).
 */
#ifndef OMPDD_LIBOMPD_MEMO_H
#define OMPDD_LIBOMPD_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

/* A routine begins: forget what the one before has read, unless it was within a view. */
void memo_begin_call(void);

void memo_forget(void);

/* Forget all; from now on what is read of @context is kept until memo_end_view(). */
void memo_begin_view(ompd_address_space_context_t *context);

/* Forget all, and that there was a view. */
void memo_end_view(void);

/*
 * Within a view of @context: a number that no other view has, nor the same one after memo_forget(). What was concluded
 * from memory holds while it stays. 0: there is no such view.
 */
uint64_t memo_moment(const ompd_address_space_context_t *context);

/* Whether @size bytes at @address are known; they are then in @ret. */
bool memo_find(const ompd_address_space_context_t *context, ompd_addr_t address, size_t size, void *ret);

/* Know them; the least used of what was known gives way. */
void memo_add(const ompd_address_space_context_t *context, ompd_addr_t address, size_t size, const void *bytes);

#endif
