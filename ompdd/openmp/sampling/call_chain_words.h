/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The words and registers that identify a stack: they decide which frames it has. Other content, such as registers that
 * functions saved for their callers, may differ each time. For openmp/sampling/call_chain.
 */
#ifndef OMPDD_OPENMP_CALL_CHAIN_WORDS_H
#define OMPDD_OPENMP_CALL_CHAIN_WORDS_H

#include "openmp/stacks/stacks.h"

struct call_chain_words {
	struct stack_word *words;
	size_t n;
	uint64_t registers; /* bit n: register with DWARF number n; program counter and stack pointer always count */
};

/*
 * Notes the words of @thread, unwound from @copy, for which @all was read. Returns false if the stack cannot be
 * recognised later, or memory is out. The caller must deinitialize @ret in every case.
 */
MUST_USE bool call_chain_words_note(struct target *t, const struct stacks_thread *thread, const struct stack_copy *copy,
				    const struct stack_words *all, struct call_chain_words *ret);
void call_chain_words_deinit(struct call_chain_words *w);
/* Returns whether @copy has these words, and the same registers as @registers. */
bool call_chain_words_are(struct target *t, const struct call_chain_words *w, const struct target_registers *registers,
			  const struct stack_copy *copy);

#endif
