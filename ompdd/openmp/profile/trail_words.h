/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * By what a stack is known again: the words and registers that decide which frames it has. What else is there, as what
 * functions have saved of their callers, may be another each time. For openmp/profile/trail.
 */
#ifndef OMPDD_OPENMP_TRAIL_WORDS_H
#define OMPDD_OPENMP_TRAIL_WORDS_H

#include "openmp/stacks/stacks.h"

struct trail_words {
	struct stack_word *words;
	size_t n;
	uint64_t registers; /* bit n: that with DWARF's number n; program counter and stack pointer always */
};

/*
 * Of @thread, unwound from @copy, for which @all was read. False: the stack cannot be known again, or memory is out;
 * @ret is to be deinitialized all the same.
 */
MUST_USE bool trail_words_note(struct target *t, const struct stacks_thread *thread, const struct stack_copy *copy,
			       const struct stack_words *all, struct trail_words *ret);
void trail_words_deinit(struct trail_words *w);
/* Whether @copy has them, and the same registers as @registers. */
bool trail_words_are(struct target *t, const struct trail_words *w, const struct target_registers *registers,
		     const struct stack_copy *copy);

#endif
