/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the locks and constructs that a call may release, by the code of all functions that it calls. Code that is not
 * understood may release all of them.
 */
#ifndef OMPDD_OPENMP_CODE_RELEASES_H
#define OMPDD_OPENMP_CODE_RELEASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/model/wait/holder.h"
#include "openmp/stacks/code/code_graph.h"

/* Limits for the functions that are read for one question, and for the depth of their calls. */
#define CODE_RELEASES_MAX_FUNCTIONS 256
#define CODE_RELEASES_MAX_DEPTH	    12
/* Limit for the different locks that one call may release. With more of them nothing is known. */
#define CODE_RELEASES_MAX 16

/* The effect of a call, as far as locks are concerned. */
enum code_call_kind {
	CODE_CALL_HARMLESS, /* it releases nothing */
	CODE_CALL_ACQUIRES, /* it returns after it has acquired the lock */
	CODE_CALL_RELEASES,
	CODE_CALL_FUNCTION, /* it has the effect of the function at `address` */
	CODE_CALL_CALLBACK, /* it has at most the effect of the function in argument number `argument` */
	CODE_CALL_UNKNOWN,  /* it may release locks, but ends no construct of its caller */
	CODE_CALL_NEVER,    /* it never returns, or it has never been executed */
	CODE_CALL_RETURNS_TWICE,
};

struct code_call {
	enum code_call_kind kind;
	enum holder_kind what; /* HOLDER_LOCK, _NEST_LOCK, _CRITICAL, _ATOMIC */
	int argument;	       /* index of the argument with the lock's address, from 0; -1: the runtime's only lock */
	uint64_t address;      /* CODE_CALL_FUNCTION */
};

/* The location of a function. */
struct code_function {
	uint64_t start, end;
	uint64_t entries[CODE_GRAPH_MAX_ENTRIES]; /* landing pads */
	size_t n_entries;
};

/* Answers questions that the code itself cannot answer. */
struct code_world {
	void *arg;
	code_read_fn read;
	/* Reports the effect of the call instruction at @address; @target is 0 for an indirect call. */
	void (*call)(void *arg, uint64_t address, const struct decode *insn, struct code_call *ret);
	/* Finds the function that starts at @address, with all its entries. Returns false if it is not known. */
	bool (*function)(void *arg, uint64_t address, struct code_function *ret);
};

/* A lock or construct that may be released: one, or any of its kind. */
struct code_release {
	enum holder_kind what;
	bool is_only, is_any;
	struct code_value address;
};

/*
 * The set of locks and constructs that a call or a function may release. For a function, addresses are numbers: its
 * registers mean nothing to other functions.
 */
struct code_summary {
	uint64_t address;
	bool is_known; /* false: all may be released; also while a function that calls itself is being read */
	struct code_release released[CODE_RELEASES_MAX];
	size_t n;
};

/* The known summaries of functions, kept for many questions about the same process. */
struct code_releases {
	const struct code_world *world;
	struct code_summary *summaries;
	size_t n;
};

/* Returns whether @call has an argument with the address of the lock. Else it is the runtime's only lock. */
bool code_call_has_argument(const struct code_call *call);
/* Returns that address at @node, the call. */
struct code_value code_call_argument(const struct code_node *node, const struct code_call *call);

/* Computes what @call at @node may release. */
void code_releases_of_call(struct code_releases *r, const struct code_node *node, const struct code_call *call,
			   struct code_summary *ret);
/*
 * Returns whether @node of @f is a jump that serves as a call at its end, and that call in *@ret. A jump to code in the
 * graph does not count: the graph contains its calls.
 */
bool code_releases_tail_call(struct code_releases *r, const struct code_node *node, const struct code_function *f,
			     struct code_call *ret);
void code_releases_deinit(struct code_releases *r);

/* Adds the releases of @of_call, for functions to which its registers mean nothing. */
void code_summary_add(struct code_summary *s, const struct code_summary *of_call);
/* Returns whether @what at @address, or the runtime's only one of that kind, may be among the releases. */
bool code_summary_has(const struct code_summary *s, enum holder_kind what, bool is_only, struct code_value address);

#endif
