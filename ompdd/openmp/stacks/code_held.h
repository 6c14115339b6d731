/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a function's code proves to be held where a thread stands in it: on every way from its beginning to there it has
 * passed the call that acquires, and on none since then one that may release, be it in what it calls.
 */
#ifndef OMPDD_OPENMP_CODE_HELD_H
#define OMPDD_OPENMP_CODE_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/stacks/code_releases.h"

/* Held at once at one place; more are not seen. */
#define CODE_HELD_MAX 8
struct code_held {
	enum holder_kind what;
	bool is_only;		   /* the runtime's only one: it has no address in the program */
	uint64_t by;		   /* the call that acquired it */
	struct code_value address; /* unless is_only */
	int reg;	/* a register that holds the base of `address` at the place; -1: none, the base is 0 or lost */
	int64_t offset; /* then the address is what it holds plus this */
	/* Only if the function that is being called has not released it by now, as somewhere it may: code_held_passed()
	 * of its frame says so, and of those that it calls itself. */
	bool is_until_released;
};

/*
 * What is held at @pc in @f: behind a call (@is_exact false), which is still going on, or before the instruction there.
 * At most CODE_HELD_MAX into @ret; how many. Those whose address cannot be told are left out.
 */
size_t code_held_find(struct code_releases *r, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_held *ret);

/* What a function that is at some place has done so far. */
struct code_passed {
	struct code_summary released; /* since it began, on any way to there */
	bool goes_on;		      /* it is calling a function, whose own frame says what that has done */
};

/* What @f, at @pc as for code_held_find(), may have released since it was called. */
void code_held_passed(struct code_releases *r, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_passed *ret);
/*
 * What the call before @pc in @f, which is going on, is to acquire. False: nothing, or its address cannot be told.
 */
bool code_held_find_wanted(struct code_releases *r, const struct code_function *f, uint64_t pc, struct code_held *ret);

#endif
