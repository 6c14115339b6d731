/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walk libgomp's code and collect facts. */
#include "gomp/reader.h"

#include "callbacks.h"

bool reader_walk_address(struct reader *r, ompd_addr_t address, size_t size, enum code_mode mode)
{
	return pattern_walk(r->walk, r->context, NULL, address, size, mode);
}

bool reader_walk_symbol(struct reader *r, const char *symbol, size_t size)
{
	ompd_addr_t address;

	if (cb_symbol(r->context, NULL, symbol, r->gomp->file, &address) != ompd_rc_ok)
		return false;
	return reader_walk_address(r, address, size, CODE_ALL_PATHS);
}

void gomp_variable_set(struct variable *variable, const struct code_value *value)
{
	if (value->offset[0] && !variable->address) {
		variable->address = (ompd_addr_t)value->offset[0];
		variable->width = value->width;
	}
}
