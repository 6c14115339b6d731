/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the files that read libgomp's code have in common (gomp/accessors.c, gomp/display_code.c).
 */
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
	bool direct;  /* static code, in which each access has the field's own TLS offset */
	bool unready; /* it is there, but not relocated */
	const char *why;
};

/*
 * Walk the function at @address (of libgomp's @symbol), at most @size bytes of it, into r->walk. Whether there was
 * anything.
 */
bool reader_walk_address(struct reader *r, ompd_addr_t address, size_t size, enum code_mode mode);
bool reader_walk_symbol(struct reader *r, const char *symbol, size_t size);

/* Let @variable be where @value was loaded from, unless it is known already. */
void gomp_variable_set(struct variable *variable, const struct code_value *value);

/* Find the variables that only omp_display_env() tells (since gcc 12). */
void reader_read_display(struct reader *r);

#endif
