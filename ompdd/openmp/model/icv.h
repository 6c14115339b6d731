/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The control variables that the OMPD library knows, and their values. For openmp/walk. */
#ifndef OMPDD_OPENMP_ICV_H
#define OMPDD_OPENMP_ICV_H

#include <stdint.h>

#include <omp-tools.h>

#include "base/error.h"

#define ICV_MAX	     256
#define ICV_MAX_NAME 64
#define ICV_MAX_TEXT 4096
/* Scopes 1 (global) to 8 (target, 6.0). */
#define ICV_SCOPES 9

struct arena;
struct plugin;

/* The information that a variable's text adds to its number. */
enum icv_kind {
	ICV_TEXT,   /* unknown: always ask for the text */
	ICV_NUMBER, /* nothing: a number, a list of numbers, or a boolean in OpenMP */
	ICV_WORD,   /* a name for the number: asked once per number */
	ICV_LIST,   /* everything: the number is the first element of another list */
};

struct icv_def {
	ompd_icv_id_t id;
	ompd_scope_t scope;
	char name[ICV_MAX_NAME];
	bool is_alias; /* "ompd-…" with a twin: left out of aggregates */
	enum icv_kind kind;
	/* ICV_WORD: the kept text, and its number. */
	bool has_word;
	int64_t word_number;
	char word[ICV_MAX_NAME];
};

struct icv_table {
	struct icv_def defs[ICV_MAX];
	size_t n;
};

struct icv_value {
	int rc; /* ompd_rc_ok, or why number and text are missing */
	bool has_number;
	int64_t number;
	const char *text; /* in the arena; NULL: the number's decimal form */
};

/*
 * Asks the library for its variables. ERR_PLUGIN_MISBEHAVED when the enumeration is cyclic, longer than ICV_MAX, or has
 * invalid names.
 */
MUST_USE struct error *icv_enumerate(struct plugin *p, ompd_address_space_handle_t *handle, struct icv_table *ret);

/* Returns the variable called @name, or NULL. */
struct icv_def *icv_find(struct icv_table *table, const char *name);

/*
 * Reads @def of @handle, which must fit its scope. Asks for the number first where that is useful, then for the text
 * where it adds something.
 */
MUST_USE struct error *icv_read(struct plugin *p, void *handle, struct icv_def *def, struct arena *arena,
				struct icv_value *ret);

/* Returns a name such as "address_space" (a literal), or NULL when @scope is out of range. */
const char *icv_scope_name(ompd_scope_t scope);

#endif
