/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads a small function symbolically: which memory, reached how from the thread pointer or
 * from a fixed address, it loads and returns. gomp/accessors.c asks it what libgomp's exported
 * accessors say about libgomp's data. The code is hostile input: steps and paths are bounded.
 */
#ifndef OMPDD_LIBOMPD_CODE_WALK_H
#define OMPDD_LIBOMPD_CODE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/decode.h"
#include "code/image.h"
#include "omp-tools.h"

#define CODE_MAX_SIZE	8192 /* bytes of one function that are looked at */
#define CODE_MAX_LOADS	5    /* memory accesses in a row */
#define CODE_MAX_EVENTS 1024
#define CODE_ARGS	4 /* of the DECODE_ARGS */

enum code_root {
	CODE_UNKNOWN,
	CODE_FIXED, /* the number or the address offset[0] */
	CODE_TLS,   /* the thread pointer plus offset[0] */
	CODE_ARG,   /* the first (0) or second (1 << 32) argument, plus the rest of offset[0] */
};

/*
 * A value as the path to it: start at root + offset[0], then for i in 1..loads read the memory at
 * that address and add offset[i]. {TLS, 1 load, {16, 0}} is the word at thread pointer + 16;
 * {TLS, 2 loads, {16, 4, 0}} is the word at 4 beyond what that word points at.
 */
struct code_value {
	enum code_root root;
	uint8_t loads;
	uint8_t width;	/* bytes of the last load; 8 where there is none */
	uint8_t scaled; /* the last load's address had an unknown index times this; else 0 */
	int64_t offset[CODE_MAX_LOADS + 1];
};

enum code_event_kind {
	CODE_RETURN,  /* value: the result */
	CODE_LOAD,    /* value: what was loaded, also by cmp and test */
	CODE_COMPARE, /* value: memory that was compared with a register */
	CODE_TEST,    /* value: memory that was compared with a number */
	CODE_STORE,   /* address, value */
	CODE_CALL,    /* target (0: indirect), arg: what the registers of the first arguments hold */
};

struct code_event {
	enum code_event_kind kind;
	struct code_value value;
	struct code_value address;
	struct code_value arg[CODE_ARGS];
	ompd_addr_t target;
};

struct code_walk {
	ompd_address_space_context_t *context;
	/* Addresses in it that the code takes from its global offset table are seen as if they stood in the code; NULL:
	 * they are loads like others. */
	const struct image *image;
	/* The TLS offset that indirect (GOT) or register-based accesses went through, if all agree.
	 */
	int64_t tls_base;
	bool has_tls_base;
	bool tls_base_conflict;

	ompd_addr_t got_address; /* the last slot that was read from the target */
	int64_t got_value;

	size_t count;
	struct code_event events[CODE_MAX_EVENTS]; /* the first @count are set */
};

enum code_mode {
	CODE_ALL_PATHS, /* follow both sides of every branch, also when paths met: small functions
			 */
	CODE_ONCE,	/* the same, but each instruction only for the first path that reaches it */
	CODE_LINEAR,	/* read straight on, past jumps and returns */
};

/* Empty @walk, which reads the target of @context. */
void code_walk_init(struct code_walk *walk, ompd_address_space_context_t *context);

/*
 * Walk @size bytes of @code, which lie at @address in the target; events are added in order. Never
 * fails: what is not understood is unknown.
 */
void code_walk_run(struct code_walk *walk, const uint8_t *code, size_t size, ompd_addr_t address, enum code_mode mode);

bool code_value_equals(const struct code_value *a, const struct code_value *b);

#endif
