/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The eleven callbacks of OMPD (5.2, 20.4) over a target, as the hosted libraries call them. OMPD's table has no room
 * for more than one target per process, so this is global state. Each runtime in that target is an address space of its
 * own, in which symbols are looked up in the runtime's module first. openmp/model/model owns both.
 */
#ifndef OMPDD_OPENMP_CALLBACKS_H
#define OMPDD_OPENMP_CALLBACKS_H

#include <omp-tools.h>

#include "base/error.h"

/* Characters that one print_string may log. */
#define CALLBACKS_MAX_PRINT 1024
/* Runtimes of one process. */
#define CALLBACKS_MAX_SPACES 8

struct target;
struct target_thread;

/* From now on the callbacks work on @t; NULL: on none. Address spaces and thread contexts of another target are
 * forgotten. */
void callbacks_set_target(struct target *t);

const ompd_callbacks_t *callbacks_table(void);
/* The context of the address space of runtime number @runtime, below CALLBACKS_MAX_SPACES. */
ompd_address_space_context_t *callbacks_context(unsigned runtime);
/* The module of that runtime: an address in it, 0 while it is not known. */
void callbacks_set_module(unsigned runtime, uint64_t address);

/*
 * What made the view useless while the library read it (target exited, stop ran out), or NULL; the
 * caller owns it. The library itself only sees a failed read.
 */
MUST_USE struct error *callbacks_take_error(void);
bool callbacks_have_error(void);
/*
 * Why a call into the library failed: callbacks_take_error() if that is something, since the library only saw a failed
 * read, else @err (NULL: it did not). Takes @err; the caller owns what it returns.
 */
MUST_USE struct error *callbacks_why(struct error *err);

/* The last line that the library printed; "" when none since callbacks_clear_message(). */
const char *callbacks_message(void);
void callbacks_clear_message(void);

/* Free a block that the library gave us; what our allocator did not hand out is left alone. */
void callbacks_free(const void *p);

/*
 * Length of the library's string @s, at most @max: when it lies in a block of ours it must end there.
 * SIZE_MAX for NULL or a string without end.
 */
size_t callbacks_strlen(const char *s, size_t max);

#endif
