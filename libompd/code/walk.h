/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Symbolic execution of a small function. It shows which memory the function loads and returns, as
 * a path from the thread pointer or from a fixed address. gomp/accessors.c derives libgomp's layout
 * from libgomp's exported accessors this way. The code is not trusted: steps and paths are limited.
 */
#ifndef OMPDD_LIBOMPD_CODE_WALK_H
#define OMPDD_LIBOMPD_CODE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/decode.h"
#include "code/image.h"
#include "omp-tools.h"

#define CODE_MAX_SIZE	8192 /* bytes of one function */
#define CODE_MAX_LOADS	5    /* chained memory accesses */
#define CODE_MAX_EVENTS 1024
#define CODE_ARGS	4 /* the first of the DECODE_ARGS */

enum code_root {
	CODE_UNKNOWN,
	CODE_FIXED, /* the number or address offset[0] */
	CODE_TLS,   /* the thread pointer plus offset[0] */
	CODE_ARG,   /* the first (0) or second (1 << 32) argument, plus the rest of offset[0] */
};

/*
 * A value, described by the path to it: start at root + offset[0]. Then, for i in 1..loads, read
 * the memory at that address and add offset[i].
 * - {TLS, 1 load, {16, 0}} is the word at thread pointer + 16.
 * - {TLS, 2 loads, {16, 4, 0}}: that word is a pointer; this is the word 4 bytes after its target.
 */
struct code_value {
	enum code_root root;
	uint8_t loads;
	uint8_t width;	/* bytes of the last load; 8 without loads */
	uint8_t scaled; /* factor of an unknown index in the last load's address; else 0 */
	int64_t offset[CODE_MAX_LOADS + 1];
};

enum code_event_kind {
	CODE_RETURN,  /* value: the result */
	CODE_LOAD,    /* value: the loaded value, also of cmp and test */
	CODE_COMPARE, /* value: the memory that is compared with a register */
	CODE_TEST,    /* value: the memory that is compared with a number */
	CODE_STORE,   /* address, value */
	CODE_CALL,    /* target (0: indirect), arg: the first argument registers */
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
	/*
	 * If set: addresses in this file that the code loads from the GOT count as immediates.
	 * NULL: they are loads.
	 */
	const struct image *image;
	/* The TLS offset of all indirect (GOT) or register-based accesses, if they agree. */
	int64_t tls_base;
	bool has_tls_base;
	bool tls_base_conflict;

	ompd_addr_t got_address; /* the slot that was last read from the target */
	int64_t got_value;

	size_t count;
	struct code_event events[CODE_MAX_EVENTS]; /* @count events */
};

enum code_mode {
	CODE_ALL_PATHS, /* follow both sides of every branch, for small functions */
	CODE_ONCE,	/* the same, but execute each instruction only on the first path to it */
	CODE_LINEAR,	/* read linearly, ignoring jumps and returns */
};

/* Clear @walk; it reads the target of @context. */
void code_walk_init(struct code_walk *walk, ompd_address_space_context_t *context);

/*
 * Walk @size bytes of @code, which are at @address in the target, and append events in order. It
 * never fails: the result of an unknown instruction is unknown.
 */
void code_walk_run(struct code_walk *walk, const uint8_t *code, size_t size, ompd_addr_t address, enum code_mode mode);

bool code_value_equals(const struct code_value *a, const struct code_value *b);

#endif
