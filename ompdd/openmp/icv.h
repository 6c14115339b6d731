/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The control variables that the OMPD library knows, and reading their values. For openmp/walk. */
#ifndef OMPDD_OPENMP_ICV_H
#define OMPDD_OPENMP_ICV_H

#include <stdint.h>

#include <omp-tools.h>

#include "base/error.h"

#define ICV_MAX		 256
#define ICV_MAX_NAME	 64
#define ICV_MAX_TEXT	 4096
/* Scopes 1 (global) to 8 (target, 6.0). */
#define ICV_SCOPES	 9

struct arena;
struct plugin;

struct icv_def {
	ompd_icv_id_t id;
	ompd_scope_t scope;
	char name[ICV_MAX_NAME];
	bool is_alias;	/* "ompd-…" with a twin: left out of aggregates */
	bool is_number; /* OpenMP defines it as a number or a truth value: its text says no more */
};

struct icv_table {
	struct icv_def defs[ICV_MAX];
	size_t n;
};

struct icv_value {
	int rc;		  /* ompd_rc_ok, or why there is neither number nor text */
	bool has_number;
	int64_t number;
	const char *text; /* in the arena; NULL: the number's decimal form */
};

/* Ask the library for its variables. Bounded: a cyclic or endless enumeration is cut at ICV_MAX. */
MUST_USE struct error *icv_enumerate(struct plugin *p, ompd_address_space_handle_t *handle,
				     struct icv_table *ret);

/* The variable called @name, or NULL. */
const struct icv_def *icv_find(const struct icv_table *table, const char *name);

/* Read @def of @handle (which must fit its scope): the number first, then the text where it says more. */
MUST_USE struct error *icv_read(struct plugin *p, void *handle, const struct icv_def *def,
				struct arena *arena, struct icv_value *ret);

/* "address_space"; a literal. NULL when out of range. */
const char *icv_scope_name(ompd_scope_t scope);

#endif
