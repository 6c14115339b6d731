/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of waiting requests. */
#include "relay.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "message.h"
#include "text.h"

void relay_deinit(struct relay *r)
{
	for (size_t i = 0; i < r->n; i++)
		relay_entry_deinit(&r->entries[i]);
	free(r->entries);
	*r = (struct relay){0};
}

int64_t relay_seq(struct relay *r)
{
	return ++r->last_seq;
}

bool relay_add(struct relay *r, int64_t seq, struct json_object *request, relay_fn *done, void *arg)
{
	if (r->n == RELAY_MAX)
		return false;
	TEXT_GROW(r->entries, r->n, r->cap);
	r->entries[r->n++] = (struct relay_entry){
		.seq = seq,
		.original = request ? dap_message_int(request, "seq", 0) : 0,
		.request = json_object_get(request),
		.done = done,
		.arg = arg,
	};
	return true;
}

bool relay_take(struct relay *r, int64_t seq, struct relay_entry *ret)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->entries[i].seq != seq)
			continue;
		*ret = r->entries[i];
		r->entries[i] = r->entries[--r->n];
		return true;
	}
	return false;
}

void relay_entry_deinit(struct relay_entry *e)
{
	json_object_put(e->request);
	*e = (struct relay_entry){0};
}

int64_t relay_number_of(const struct relay *r, int64_t original)
{
	for (size_t i = 0; i < r->n && original; i++) {
		if (r->entries[i].original == original)
			return r->entries[i].seq;
	}
	return 0;
}

int64_t relay_original_of(const struct relay *r, int64_t sent)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->entries[i].seq == sent)
			return r->entries[i].original;
	}
	return 0;
}
