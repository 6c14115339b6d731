/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which locks and constructs a call may release, by the code of all that it calls. Whatever is not understood may
 * release all.
 */
#ifndef OMPDD_OPENMP_CODE_RELEASES_H
#define OMPDD_OPENMP_CODE_RELEASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/model/holder.h"
#include "openmp/stacks/code_graph.h"

/* Functions that are read for one question, and how deep they call each other. */
#define CODE_RELEASES_MAX_FUNCTIONS 256
#define CODE_RELEASES_MAX_DEPTH	    12
/* Different ones that one call may release; of more than that nothing is known. */
#define CODE_RELEASES_MAX 16

/* What a call does, as far as it matters here. */
enum code_call_kind {
	CODE_CALL_HARMLESS, /* it releases nothing */
	CODE_CALL_ACQUIRES, /* and returns when it has */
	CODE_CALL_RELEASES,
	CODE_CALL_FUNCTION, /* what the code of the function at `address` does */
	CODE_CALL_CALLBACK, /* no more than what the function does that argument `argument` points at */
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
	struct code_release released[CODE_RELEASES_MAX];
	size_t n;
};

/* What functions release, once it is known; for many questions of the same process. */
struct code_releases {
	const struct code_world *world;
	struct code_summary *summaries;
	size_t n;
};

/* Whether @call has the address of what it acquires or releases; else that is the runtime's only one. */
bool code_call_has_argument(const struct code_call *call);
/* That address at @node, the call. */
struct code_value code_call_argument(const struct code_node *node, const struct code_call *call);

/* What @call at @node may release. */
void code_releases_of_call(struct code_releases *r, const struct code_node *node, const struct code_call *call,
			   struct code_summary *ret);
/*
 * Whether @node of @f is a jump that is a call at its end, and which; not one to code that is part of the graph, where
 * the calls stand themselves.
 */
bool code_releases_tail_call(struct code_releases *r, const struct code_node *node, const struct code_function *f,
			     struct code_call *ret);
void code_releases_deinit(struct code_releases *r);

/* Add what @of_call releases, for those to whom its registers mean nothing. */
void code_summary_add(struct code_summary *s, const struct code_summary *of_call);
/* Whether @what at @address may be among what is released, or the runtime's only one of that kind. */
bool code_summary_has(const struct code_summary *s, enum holder_kind what, bool is_only, struct code_value address);

#endif
