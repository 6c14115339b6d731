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

#include "openmp/model/holder.h"
#include "openmp/stacks/code_graph.h"

/* Held at once at one place; more are not seen. */
#define CODE_HELD_MAX 8
/* Functions that are read for one question, and how deep they call each other. */
#define CODE_HELD_MAX_FUNCTIONS 256
#define CODE_HELD_MAX_DEPTH	12
/* Different ones that one call may release; of more than that nothing is known. */
#define CODE_HELD_MAX_RELEASED 16

/* What a call does, as far as it matters here. */
enum code_call_kind {
	CODE_CALL_HARMLESS, /* it releases nothing */
	CODE_CALL_ACQUIRES, /* and returns when it has */
	CODE_CALL_RELEASES,
	CODE_CALL_FUNCTION, /* what the code of the function at `address` does */
	CODE_CALL_UNKNOWN,  /* it may release locks, but ends no construct of its caller */
	CODE_CALL_NEVER,    /* it never returns, or nobody has ever made it */
	CODE_CALL_RETURNS_TWICE,
};

struct code_call {
	enum code_call_kind kind;
	enum holder_kind what; /* HOLDER_LOCK, _NEST_LOCK, _CRITICAL, _ATOMIC */
	int argument;	  /* number of the one that is the lock's address, from 0; -1: it is the runtime's only one */
	uint64_t address; /* CODE_CALL_FUNCTION */
};

/* Where a function is. */
struct code_function {
	uint64_t start, end;
	uint64_t entries[CODE_GRAPH_MAX_ENTRIES]; /* landing pads */
	size_t n_entries;
};

/* Who is asked for what the code itself does not say. */
struct code_world {
	void *arg;
	code_read_fn read;
	/* The call instruction at @address; @target is 0 where it is indirect. */
	void (*call)(void *arg, uint64_t address, const struct decode *insn, struct code_call *ret);
	/* The function that begins at @address, with all ways into it; false: not known. */
	bool (*function)(void *arg, uint64_t address, struct code_function *ret);
};

/* Something that may be released: one, or any of its kind. */
struct code_release {
	enum holder_kind what;
	bool is_only, is_any;
	struct code_value address;
};

/* What a call or a function may release; of a function addresses are numbers, for its registers mean nothing to others.
 */
struct code_summary {
	uint64_t address;
	bool is_known; /* false: all may be released; also while it is looked at, by one that calls itself */
	struct code_release released[CODE_HELD_MAX_RELEASED];
	size_t n;
};

/* What functions release, once it is known; for many questions of the same process. */
struct code_helds {
	const struct code_world *world;
	struct code_summary *summaries;
	size_t n;
};

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
size_t code_held_find(struct code_helds *h, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_held *ret);

/* What a function that is at some place has done so far. */
struct code_passed {
	struct code_summary released; /* since it began, on any way to there */
	bool goes_on;		      /* it is calling a function, whose own frame says what that has done */
};

/* What @f, at @pc as for code_held_find(), may have released since it was called. */
void code_held_passed(struct code_helds *h, const struct code_function *f, uint64_t pc, bool is_exact,
		      struct code_passed *ret);
/* Whether one of @released may be the one at @address of @what, or the runtime's only one. */
bool code_held_is_among(const struct code_summary *released, enum holder_kind what, bool is_only, uint64_t address);

/*
 * What the call before @pc in @f, which is going on, is to acquire. False: nothing, or its address cannot be told.
 */
bool code_held_find_wanted(struct code_helds *h, const struct code_function *f, uint64_t pc, struct code_held *ret);
void code_helds_deinit(struct code_helds *h);

#endif
