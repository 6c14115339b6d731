/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Limits the memory of this process (RLIMIT_AS). A user's file may make a library allocate too much. The allocation
 * then fails: the request loses a part of its answer, and the machine keeps its memory. Sanitizers reserve more address
 * space than any such limit: in their builds these functions do nothing.
 */
#ifndef OMPDD_BASE_MEMORY_LIMIT_H
#define OMPDD_BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Set the limit of this process; call it once, at the start. 0: only the inherited limit. */
void memory_limit_set(size_t bytes);

/* Allow at most @bytes more than the present use, until memory_limit_widen(). Does not nest. */
void memory_limit_narrow(size_t bytes);
void memory_limit_widen(void);

/*
 * Return true if more than half of the limit is used, or if an allocation failed: the caller should then free its
 * caches.
 */
bool memory_limit_is_near(void);

/*
 * Return true if an allocation, usually in a library, has failed since memory_limit_forget(): the library's answer may
 * be incomplete. Ignores failures while the limit was narrow. Ignores single allocations of at least the whole limit:
 * only a broken file causes them.
 */
bool memory_limit_was_hit(void);
void memory_limit_forget(void);

/* Make the limit a hard one, which cannot be raised again; memory_limit_lift() then has no effect. */
void memory_limit_harden(void);

/* Restore the original limit in a child, before exec. Async-signal-safe. */
void memory_limit_lift(void);

#endif
