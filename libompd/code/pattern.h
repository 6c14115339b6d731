/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walk functions, and find patterns in the events of a walk. */
#ifndef OMPDD_LIBOMPD_CODE_PATTERN_H
#define OMPDD_LIBOMPD_CODE_PATTERN_H

#include "code/walk.h"
#include "offsets.h"

/* A rule's pattern for an event of a walk. */
struct pattern {
	enum code_event_kind kind;
	enum code_root root;
	uint8_t loads;
	uint8_t widths; /* allowed widths, a bit set: 1, 2, 4, 8 */
	int64_t adjust; /* the number that the code adds to the loaded value */
	uint8_t scaled; /* required value of code_value.scaled */
};

/*
 * Clear @walk and walk at most @size bytes of the function at @address. Returns false if no code
 * was found there.
 */
bool pattern_walk(struct code_walk *walk, ompd_address_space_context_t *context, const struct image *image,
		  ompd_addr_t address, size_t size, enum code_mode mode);

/* The same for the function @symbol in @file (NULL: anywhere). */
bool pattern_walk_symbol(struct code_walk *walk, ompd_address_space_context_t *context, const struct image *image,
			 const char *file, const char *symbol, size_t size, enum code_mode mode);

bool pattern_fits(const struct code_value *value, const struct pattern *p);
/*
 * Find the value of the events that match @p. Returns false if no event matches, or several have
 * different values.
 */
bool pattern_find(const struct code_walk *walk, struct pattern p, struct code_value *ret);

/* Set @variable to the address that @value was loaded from, unless it is already set. */
void variable_set(struct variable *variable, const struct code_value *value);

#endif
