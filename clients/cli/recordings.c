/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recording for each process that the command follows. */
#include "recordings.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "interrupt.h"
#include "offspring.h"
#include "rpc/json_read.h"
#include "text.h"

static void destroy_item(struct recordings_item *item)
{
	conversation_deinit(&item->s);
	json_object_put(item->now);
	json_object_put(item->before);
	json_object_put(item->pieces);
	free(item);
}

static struct error *add_item(struct recordings *rs, long pid)
{
	struct recordings_item *item = text_calloc(1, sizeof(*item));

	item->args = *rs->args;
	item->args.pid = pid;
	conversation_init(&item->s, &item->args);
	struct error *f = recording_begin(&item->r, &item->s, rs->timeline);
	/* Without --children, the caller ends the only item, also after a failure. */
	if (f && rs->args->children) {
		f = recording_close(&item->r, f);
		destroy_item(item);
		return f;
	}
	TEXT_GROW(rs->items, rs->n, rs->cap);
	rs->items[rs->n++] = item;
	return f;
}

struct error *recordings_remove(struct recordings *rs, size_t i, struct error *f)
{
	struct recordings_item *item = rs->items[i];

	if (rs->n == 1)
		return f;
	family_leave_out(&rs->family, item->args.pid, f, rs->is_quiet);
	error_destroy(recording_close(&item->r, NULL));
	destroy_item(item);
	memmove(&rs->items[i], &rs->items[i + 1], (--rs->n - i) * sizeof(*rs->items));
	return NULL;
}

struct error *recordings_update(struct recordings *rs)
{
	struct processes found;
	struct error *f = rs->args->children ? family_update(&rs->family, rs->args, &found) : NULL;

	for (size_t i = 0; rs->args->children && !f && i < found.n; i++) {
		f = add_item(rs, found.pids[i]);
		/* The first one shows whether recording works at all. */
		if (f && (rs->n || i + 1 < found.n)) {
			family_leave_out(&rs->family, found.pids[i], f, rs->is_quiet);
			f = NULL;
		}
	}
	return f;
}

struct error *recordings_begin(struct recordings *rs, const struct args *args, const struct processes *roots,
			       int timeline)
{
	struct error *f;

	*rs = (struct recordings){.args = args, .timeline = timeline, .family.roots = *roots, .is_quiet = rs->is_quiet};
	if (!args->children)
		return add_item(rs, roots->n ? roots->pids[0] : 0);
	f = recordings_update(rs);
	return f || rs->n ? f : family_refuse(&rs->family);
}

void recordings_note(struct recordings *rs, struct recordings_item *item, struct json_object *result)
{
	const char *ended = json_read_string(json_read_member(json_read_member(result, "profile"), "ended"));

	if (item->has_ended || recording_goes_on(result))
		return;
	item->has_ended = 1;
	/* The same process may use OpenMP in its new program. */
	if (ended && !strcmp(ended, "exec"))
		family_forget(&rs->family, item->args.pid);
}

int recordings_go_on(const struct recordings *rs)
{
	for (size_t i = 0; i < rs->n; i++) {
		if (!rs->items[i]->has_ended)
			return 1;
	}
	for (size_t i = 0; rs->args->children && i < rs->family.roots.n; i++) {
		if (offspring_is_alive((pid_t)rs->family.roots.pids[i]))
			return 1;
	}
	return 0;
}

struct error *recordings_add_piece(struct recordings_item *item)
{
	size_t n = json_read_length(item->pieces);
	struct json_object *last = n ? json_object_array_get_idx(item->pieces, n - 1) : NULL, *result = NULL;
	struct error *f = recording_get(&item->r, 0, 1, json_read_int(json_read_member(last, "end_us"), 0), &result);

	if (f)
		return f;
	if (!item->pieces)
		item->pieces = json_object_new_array();
	json_object_array_add(item->pieces, json_object_get(json_read_member(result, "timeline")));
	json_object_object_del(result, "timeline");
	json_object_put(item->now);
	item->now = result;
	return NULL;
}

static struct error *get_item(struct recordings_item *item, int stacks, int timeline)
{
	struct json_object *result = NULL;
	struct error *f = recording_get(&item->r, stacks, timeline, 0, &result);

	if (f)
		return f;
	json_object_put(item->now);
	item->now = result;
	return NULL;
}

/* Stop each recording, and get its result or, with @pieces, its last piece. */
static struct error *finish_items(struct recordings *rs, int stacks, int timeline, int pieces)
{
	struct error *f = NULL;

	/* From the last one: an item may be removed. */
	for (size_t i = rs->n; i-- && !f;) {
		f = recording_stop(&rs->items[i]->r);
		if (!f)
			f = pieces ? recordings_add_piece(rs->items[i]) : get_item(rs->items[i], stacks, timeline);
		if (f)
			f = recordings_remove(rs, i, f);
	}
	return f;
}

struct error *recordings_finish(struct recordings *rs, int stacks, int timeline)
{
	return finish_items(rs, stacks, timeline, 0);
}

struct error *recordings_finish_pieces(struct recordings *rs)
{
	return finish_items(rs, 0, 1, 1);
}

struct error *recordings_end(struct recordings *rs, struct error *failure)
{
	struct connection none = {.fd = -1};

	for (size_t i = 0; i < rs->n; i++)
		failure = recording_close(&rs->items[i]->r, failure);
	interrupt_release(&none);
	for (size_t i = 0; i < rs->n; i++)
		destroy_item(rs->items[i]);
	free(rs->items);
	*rs = (struct recordings){0};
	return failure;
}
