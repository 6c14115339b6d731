/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A cache of the target's memory, for callbacks.c: a routine that needs a structure twice reads it
 * once. The next routine clears the cache, because the target may have run in between. Within a
 * view (ompd-more.h) the target does not change, so the cache is kept.
 */
#ifndef OMPDD_LIBOMPD_MEMO_H
#define OMPDD_LIBOMPD_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

/* Start a routine: clear the cache, unless there is a view. */
void memo_begin_call(void);

void memo_forget(void);

/* Clear the cache and start a view of @context: its memory stays cached until memo_end_view(). */
void memo_begin_view(ompd_address_space_context_t *context);

/* Clear the cache and end the view. */
void memo_end_view(void);

/*
 * Return the number of the moment within a view of @context, or 0 outside a view. No other view has
 * the number, and memo_forget() changes it. A conclusion from memory holds while the number stays
 * the same.
 */
uint64_t memo_moment(const ompd_address_space_context_t *context);

/* Copy the @size bytes at @address to @ret if they are cached, and return whether they are. */
bool memo_find(const ompd_address_space_context_t *context, ompd_addr_t address, size_t size, void *ret);

/* Cache the bytes. A full cache drops the least recently used piece. */
void memo_add(const ompd_address_space_context_t *context, ompd_addr_t address, size_t size, const void *bytes);

#endif
