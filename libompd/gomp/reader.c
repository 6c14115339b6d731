/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks through libgomp's code, and what is found in them. */
#include "gomp/reader.h"

#include "callbacks.h"

bool reader_walk_address(struct reader *r, ompd_addr_t address, size_t size, enum code_mode mode)
{
	void *code;

	code_walk_init(r->walk, r->context);
	if (cb_alloc_raw(size, &code) != ompd_rc_ok)
		return false;
	/* The function may be the last thing on its page. */
	while (size >= 16 && cb_read(r->context, address, size, code) != ompd_rc_ok)
		size /= 2;
	if (size >= 16)
		code_walk_run(r->walk, code, size, address, mode);
	cb_free(code);
	return size >= 16 && r->walk->count;
}

bool reader_walk_symbol(struct reader *r, const char *symbol, size_t size)
{
	ompd_addr_t address;

	if (cb_symbol(r->context, NULL, symbol, r->gomp->file, &address) != ompd_rc_ok)
		return false;
	return reader_walk_address(r, address, size, CODE_ALL_PATHS);
}

bool pattern_fits(const struct code_value *value, const struct pattern *p)
{
	return value->root == p->root && value->loads == p->loads && !value->scaled && (value->width & p->widths) &&
	       (!value->loads || value->offset[value->loads] == p->adjust);
}

bool pattern_find(const struct code_walk *walk, struct pattern p, struct code_value *ret)
{
	bool found = false;

	for (size_t i = 0; i < walk->count; i++) {
		const struct code_event *event = &walk->events[i];

		if (event->kind != p.kind || !pattern_fits(&event->value, &p))
			continue;
		if (found && !code_value_equals(ret, &event->value))
			return false;
		*ret = event->value;
		found = true;
	}
	return found;
}

void gomp_variable_set(struct gomp_variable *variable, const struct code_value *value)
{
	if (value->offset[0] && !variable->address) {
		variable->address = (ompd_addr_t)value->offset[0];
		variable->width = value->width;
	}
}
