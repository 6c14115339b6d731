/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Growing lists of awaited threads and tasks. */
#include "awaited_list.h"

#include <string.h>

#include "callbacks.h"

ompd_rc_t awaited_list_add(struct awaited_list *list, const struct awaited *item)
{
	void *bigger;

	if (list->n == list->max) {
		list->is_complete = false;
		return ompd_rc_ok;
	}
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 8;

		RC_TRY(cb_alloc(room * sizeof(*list->items), &bigger));
		if (list->n)
			memcpy(bigger, list->items, list->n * sizeof(*list->items));
		cb_free(list->items);
		list->items = bigger;
		list->room = room;
	}
	list->items[list->n++] = *item;
	return ompd_rc_ok;
}
