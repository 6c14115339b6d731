/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The modules of a target as libdwfl sees them: their files, separate debug files, and what of a file is
 * only in memory. Made when first asked for; shared by stack.c and source.c.
 */
#ifndef OMPDD_TARGET_DWARF_H
#define OMPDD_TARGET_DWARF_H

#include <elfutils/libdwfl.h>

#include "target/target.h"

struct stack_copy;
struct stack_words;
struct dwarf;

/* What unwinding reads from at the moment; set by stack.c around each stack. */
struct dwarf_thread {
	const struct stack_copy *copy;
	bool missed;		   /* a word was wanted that nobody has */
	struct stack_words *words; /* to note what is read in; NULL */
};

/*
 * The session for the modules of the present view, which the caller has listed in it. May be called when
 * the target runs again. ERR_SYMBOL_NOT_FOUND when libdwfl can do nothing with any of them.
 */
MUST_USE struct error *dwarf_get(struct target *t, Dwfl **dwfl_ret, struct dwarf_thread **thread_ret);

/* A word of the thread's memory, noted as what unwinding reads is; false: nobody has it. Behind dwarf_get(). */
bool dwarf_read(struct target *t, uint64_t addr, uint64_t *ret);

/* Give the session of @t up when memory is short; the next dwarf_get() begins a new one. */
void dwarf_relax(struct target *t);
void dwarf_destroy(struct dwarf *d);

#endif
