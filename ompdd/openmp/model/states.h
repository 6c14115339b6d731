/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of thread states: OMPT's own, and those that a library adds. For openmp/model/model and methods/. */
#ifndef OMPDD_OPENMP_STATES_H
#define OMPDD_OPENMP_STATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define STATES_MAX	128
#define STATES_MAX_NAME 64

/* States that the library enumerates and OMPT does not define. */
struct state_table {
	struct {
		int64_t value;
		char name[STATES_MAX_NAME];
	} states[STATES_MAX];
	size_t n;
};

struct plugin;
struct _ompd_aspace_handle;

/* Asks the library for its states. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *states_enumerate(struct plugin *p, struct _ompd_aspace_handle *handle, struct state_table *ret);

/* Returns the name of @value, or NULL. @table may be NULL. */
const char *states_name(const struct state_table *table, int64_t value);

#endif
