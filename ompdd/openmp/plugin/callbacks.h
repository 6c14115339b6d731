/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The eleven callbacks of OMPD (5.2, 20.4) over a target, for the hosted libraries. OMPD's table has room for only one
 * target per process, so this is global state. Each runtime in that target has its own address space, where symbols are
 * looked up in the runtime's module first. openmp/model/model owns both.
 */
#ifndef OMPDD_OPENMP_CALLBACKS_H
#define OMPDD_OPENMP_CALLBACKS_H

#include <omp-tools.h>

#include "base/error.h"

/* Limit for the characters that one print_string logs. */
#define CALLBACKS_MAX_PRINT 1024
/* Limit for the runtimes of one process. */
#define CALLBACKS_MAX_SPACES 8

struct target;
struct target_thread;

/*
 * Makes the callbacks work on @t from now on; NULL: on no target. Drops address spaces and thread contexts of another
 * target.
 */
void callbacks_set_target(struct target *t);

const ompd_callbacks_t *callbacks_table(void);
/* Returns the address space context of runtime number @runtime, below CALLBACKS_MAX_SPACES. */
ompd_address_space_context_t *callbacks_context(unsigned runtime);
/* Sets the module of that runtime: an address in it, 0 while it is not known. */
void callbacks_set_module(unsigned runtime, uint64_t address);

/*
 * Returns the error that made the view useless while the library read it (target exited, stop ran out), or NULL. The
 * caller owns it. The library itself sees only a failed read.
 */
MUST_USE struct error *callbacks_take_error(void);
bool callbacks_have_error(void);
/*
 * Returns why a call into the library failed: callbacks_take_error() if it is set, since the library saw only a failed
 * read; else @err. NULL: the call did not fail. Takes @err; the caller owns the result.
 */
MUST_USE struct error *callbacks_why(struct error *err);

/* Returns the last line that the library printed; "" if it printed no line since callbacks_clear_message(). */
const char *callbacks_message(void);
void callbacks_clear_message(void);

/* Frees a block that the library returned. Ignores an address that our allocator did not return. */
void callbacks_free(const void *p);

/*
 * Returns the length of the library's string @s, at most @max. A string in one of our blocks must end there. Returns
 * SIZE_MAX for NULL or a string without end.
 */
size_t callbacks_strlen(const char *s, size_t max);

#endif
