/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The modules of a target for libdwfl: their files, separate debug files, and file contents that exist only in memory.
 * Created on first use; shared by stack.c and source.c.
 */
#ifndef OMPDD_TARGET_DWARF_H
#define OMPDD_TARGET_DWARF_H

#include <elfutils/libdwfl.h>

#include "target/target.h"

struct stack_copy;
struct stack_words;
struct dwarf;

/* The source of words for the current unwinding; set by stack.c for each stack. */
struct dwarf_thread {
	const struct stack_copy *copy;
	bool missed;		   /* a requested word is neither in the copy nor readable */
	struct stack_words *words; /* records the words that were read; may be NULL */
};

/*
 * Return the session for the modules of the current view; the caller has listed them in this view. May be called when
 * the target runs again. ERR_SYMBOL_NOT_FOUND if libdwfl can use none of them.
 */
MUST_USE struct error *dwarf_get(struct target *t, Dwfl **dwfl_ret, struct dwarf_thread **thread_ret);

/*
 * Read a word of the thread's memory and record it like the words of unwinding. Return false if it is not available.
 * Call dwarf_get() first.
 */
bool dwarf_read(struct target *t, uint64_t addr, uint64_t *ret);

/* Drop the session of @t when memory is short; the next dwarf_get() starts a new one. */
void dwarf_relax(struct target *t);
void dwarf_destroy(struct dwarf *d);

#endif
