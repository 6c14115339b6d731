/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that are walked, and patterns that are looked for among what they do. */
#ifndef OMPDD_LIBOMPD_CODE_PATTERN_H
#define OMPDD_LIBOMPD_CODE_PATTERN_H

#include "code/walk.h"

/* What a rule looks for among the events of a walk. */
struct pattern {
	enum code_event_kind kind;
	enum code_root root;
	uint8_t loads;
	uint8_t widths; /* allowed widths, or-ed: 1, 2, 4, 8 */
	int64_t adjust; /* what is added to the loaded value */
	uint8_t scaled; /* code_value.scaled must be this */
};

/* Empty @walk and walk the function at @address, at most @size bytes of it. Whether there was anything. */
bool pattern_walk(struct code_walk *walk, ompd_address_space_context_t *context, const struct image *image,
		  ompd_addr_t address, size_t size, enum code_mode mode);

bool pattern_fits(const struct code_value *value, const struct pattern *p);
/* The one value that fits @p; false if none does or several different ones do. */
bool pattern_find(const struct code_walk *walk, struct pattern p, struct code_value *ret);

#endif
