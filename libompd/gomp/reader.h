/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Helpers for the files that read libgomp's code (gomp/accessors.c, gomp/display_code.c). */
#ifndef OMPDD_LIBOMPD_GOMP_READER_H
#define OMPDD_LIBOMPD_GOMP_READER_H

#include "code/pattern.h"
#include "gomp/layout.h"

struct reader {
	ompd_address_space_context_t *context;
	struct gomp *gomp;
	struct gomp_layout *seen;
	struct code_walk *walk;
	int64_t tls_ts_team; /* TLS offset of ts.team, once known */
	int64_t tls_task;
	bool direct;  /* static code: each access has the field's own TLS offset */
	bool unready; /* libgomp is loaded but not relocated */
	const char *why;
};

/*
 * Walk at most @size bytes of the function at @address (of libgomp's @symbol) into r->walk. Returns
 * false if no code was found there.
 */
bool reader_walk_address(struct reader *r, ompd_addr_t address, size_t size, enum code_mode mode);
bool reader_walk_symbol(struct reader *r, const char *symbol, size_t size);

/* Set @variable to the address that @value was loaded from, unless it is already set. */
void gomp_variable_set(struct variable *variable, const struct code_value *value);

/* Find the variables that only omp_display_env() shows (since gcc 12). */
void reader_read_display(struct reader *r);

#endif
