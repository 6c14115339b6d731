/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The eleven callbacks of OMPD (5.2, 20.4) over a target, as the hosted library calls them. There
 * is one library and one target per process, so this is global state; openmp/model/model owns it.
 */
#ifndef OMPDD_OPENMP_CALLBACKS_H
#define OMPDD_OPENMP_CALLBACKS_H

#include <omp-tools.h>

#include "base/error.h"

/* Characters that one print_string may log. */
#define CALLBACKS_MAX_PRINT 1024

struct target;
struct target_thread;

/* From now on the callbacks work on @t; NULL: on none, and thread contexts are forgotten. */
void callbacks_set_target(struct target *t);

const ompd_callbacks_t *callbacks_table(void);
/* The context of the target's address space; never the same for another target. */
ompd_address_space_context_t *callbacks_context(void);

/*
 * What made the view useless while the library read it (target exited, stop ran out), or NULL; the
 * caller owns it. The library itself only sees a failed read.
 */
MUST_USE struct error *callbacks_take_error(void);
bool callbacks_have_error(void);

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
