/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks through a runtime's code and pattern matching in the results, for the backends of stock runtimes. */
#include "code/pattern.h"

#include "callbacks.h"

bool pattern_walk(struct code_walk *walk, ompd_address_space_context_t *context, const struct image *image,
		  ompd_addr_t address, size_t size, enum code_mode mode)
{
	void *code;

	code_walk_init(walk, context);
	walk->image = image;
	if (cb_alloc_raw(size, &code) != ompd_rc_ok)
		return false;
	/* The function may end at the end of the last mapped page. */
	while (size >= 16 && cb_read(context, address, size, code) != ompd_rc_ok)
		size /= 2;
	if (size >= 16)
		code_walk_run(walk, code, size, address, mode);
	cb_free(code);
	return size >= 16 && walk->count;
}

bool pattern_walk_symbol(struct code_walk *walk, ompd_address_space_context_t *context, const struct image *image,
			 const char *file, const char *symbol, size_t size, enum code_mode mode)
{
	ompd_addr_t address;

	return cb_symbol(context, NULL, symbol, file, &address) == ompd_rc_ok &&
	       pattern_walk(walk, context, image, address, size, mode);
}

bool pattern_fits(const struct code_value *value, const struct pattern *p)
{
	return value->root == p->root && value->loads == p->loads && value->scaled == p->scaled &&
	       (value->width & p->widths) && (!value->loads || value->offset[value->loads] == p->adjust);
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

void variable_set(struct variable *variable, const struct code_value *value)
{
	if (value->offset[0] && !variable->address)
		*variable = (struct variable){(ompd_addr_t)value->offset[0], value->width};
}
