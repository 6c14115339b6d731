/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the locks that a function's code proves to be held at a thread's place. Every way from the function's start to
 * that place must pass the acquiring call. After it no way may pass a call that may release the lock, directly or
 * through other functions.
 */
#ifndef OMPDD_OPENMP_CODE_HELD_H
#define OMPDD_OPENMP_CODE_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/stacks/code/code_releases.h"

/* Limit for the locks held at one place; further ones are ignored. */
#define CODE_HELD_MAX 8
struct code_held {
	enum holder_kind what;
	bool is_only;		   /* the runtime's only lock of this kind: it has no address in the program */
	uint64_t by;		   /* the call that acquired it */
	struct code_value address; /* unless is_only */
	int reg; /* a register that holds the base of `address` at the place; -1: no register, the base is 0 or lost */
	int64_t offset; /* the address is the content of `reg` plus this offset */
	/*
	 * Held only if the function being called has not released it yet: its code may do so. code_held_passed()
	 * answers that for its frame, and for the frames of the functions that it calls.
	 */
	bool is_until_released;
};

/*
 * Finds the locks held at @pc in @f. With @is_exact false, @pc is the return address of a call that has not returned.
 * With @is_exact true, the instruction at @pc comes next. Puts at most CODE_HELD_MAX into @ret and returns their
 * number. Omits locks whose address cannot be determined.
 */
size_t code_held_find(struct code_releases *r, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_held *ret);

/* The effect of a function up to some place. */
struct code_passed {
	struct code_summary released; /* since the function started, on any way to the place */
	bool goes_on;		      /* it is calling a function, whose own frame shows that function's effect */
};

/* Computes what @f, at @pc as for code_held_find(), may have released since it was called. */
void code_held_passed(struct code_releases *r, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_passed *ret);
/*
 * Finds the lock that the unfinished call before @pc in @f acquires. Returns false if it acquires no lock, or the
 * address cannot be determined.
 */
bool code_held_find_wanted(struct code_releases *r, const struct code_function *f, uint64_t pc, struct code_held *ret);

#endif
