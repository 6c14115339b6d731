/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of gomp/accessors.c and gomp/display_code.c while they read libgomp's code. */
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

/* Find the variables that only omp_display_env() shows (since gcc 12). */
void reader_read_display(struct reader *r);

#endif
