/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A bound to the memory of this process (RLIMIT_AS): what somebody's file makes a library allocate beyond it fails
 * there, and costs the request a part of its answer, not the machine its memory. Sanitizers reserve more address space
 * than any such limit: in their builds these do nothing.
 */
#ifndef OMPDD_BASE_MEMORY_LIMIT_H
#define OMPDD_BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* For all that follows; once, at the beginning. 0: none but what the process was started with. */
void memory_limit_set(size_t bytes);

/* From here to memory_limit_widen(): no more than @bytes beside what is there now. Does not nest. */
void memory_limit_narrow(size_t bytes);
void memory_limit_widen(void);

/* Whether more than half of it is taken, or more was wanted: what can be had again should be freed. */
bool memory_limit_is_near(void);

/*
 * Whether somebody, a library most often, was refused memory since memory_limit_forget(), and so may have left out what
 * it was asked for. Not counted: what was refused while the limit was narrow, and what could not have been had without
 * anything beside it, as only a broken file asks for it.
 */
bool memory_limit_was_hit(void);
void memory_limit_forget(void);

/* Make it a hard limit, which cannot be raised any more; memory_limit_lift() then does nothing. */
void memory_limit_harden(void);

/* In a child, before it becomes another program: as we were started. Async-signal-safe. */
void memory_limit_lift(void);

#endif
