/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes for target_region.list: one for each construct and place, with its threads below it. */
#include <string.h>

#include <json-c/json.h>

#include "rpc/json_read.h"
#include "view/node.h"
#include "view/parts.h"
#include "view/value.h"

static const char *get_noun(struct json_object *region)
{
	static const char *const nouns[][2] = {
		{"target", "target region"},
		{"target_data", "target data"},
		{"target_end_data", "end of target data"},
		{"target_enter_exit_data", "target enter or exit data"},
		{"target_update", "target update"},
		{"copy", "copy"},
		{"fill", "fill"},
		{"interop", "interop"},
		{"operation", "operation"},
	};
	const char *construct = json_read_text(region, "construct");

	for (size_t i = 0; i < sizeof(nouns) / sizeof(nouns[0]); i++) {
		if (!strcmp(construct, nouns[i][0]))
			return nouns[i][1];
	}
	return "target task";
}

/* Append "at sim.c:41 in run", as far as that is known. */
static void add_place(struct buf *p, struct json_object *region)
{
	struct json_object *call = json_read_member(region, "call_site"),
			   *stored = json_read_member(region, "location");
	struct buf place = {0};
	const char *function = json_read_text(stored ? stored : call, "function");

	if (value_add_location(&place, stored ? stored : json_read_member(call, "location")))
		phrase_printf(p, "at %s", phrase_text(&place));
	if (*function)
		phrase_printf(p, "%sin %s", place.len ? " " : "", function);
	phrase_add(p, place.len || *function ? ", " : "at an unknown place, ");
	buf_deinit(&place);
}

/* Append "device 0 (nvptx)". */
static void add_device(struct buf *p, struct json_object *region)
{
	struct json_object *device = json_read_member(region, "device");
	const char *kind = json_read_text(region, "device_kind"), *name = json_read_text(region, "device_name");

	if (!json_object_is_type(device, json_type_int)) {
		phrase_add(p, "a device");
		return;
	}
	phrase_printf(p, "device %d", (int)json_read_int(device, 0));
	if (*name && strcmp(name, kind) != 0)
		phrase_printf(p, " (%s%s%s)", kind, *kind ? ", " : "", name);
	else if (*kind)
		phrase_printf(p, " (%s)", kind);
}

static void add_activity(struct buf *p, struct json_object *region)
{
	const char *activity = json_read_text(region, "activity");

	if (!strcmp(activity, "queued")) {
		phrase_add(p, "queued");
	} else if (!strcmp(activity, "host")) {
		phrase_add(p, "the host executes it");
	} else if (!strcmp(activity, "device")) {
		add_device(p, region);
		phrase_add(p, " executes it");
	} else {
		phrase_add(p, !strcmp(activity, "data")		    ? "waits for data of "
			      : !strcmp(activity, "initialisation") ? "waits for the initialisation of "
								    : "waits for ");
		add_device(p, region);
	}
	if (json_read_bool(json_read_member(region, "nowait")))
		phrase_add(p, ", nowait");
}

static void add_names(struct buf *p, struct json_object *region)
{
	const char *entry = json_read_text(region, "entry"), *function = json_read_text(region, "function");

	if (*entry)
		phrase_printf(p, ", %s()", entry);
	if (*function)
		phrase_printf(p, ", function %s", function);
}

static struct node *find_child(struct node *parent, const struct node *other)
{
	for (size_t i = 0; i < parent->n_children; i++) {
		struct node *child = parent->children[i];

		if (!strcmp(child->noun, other->noun) && child->text.len == other->text.len &&
		    !memcmp(buf_head(&child->text), buf_head(&other->text), other->text.len))
			return child;
	}
	return NULL;
}

static int has_thread(const struct node *parent, int64_t tid, const char *noun)
{
	for (size_t i = 0; i < parent->n_children; i++) {
		const struct node *child = parent->children[i];

		if (!strcmp(child->noun, noun) && child->tids.n && child->tids.numbers[0] == tid)
			return 1;
	}
	return 0;
}

/* Add the thread of @item, a region or a waiting thread. A thread may wait for several tasks. */
static void add_thread(struct node *parent, struct json_object *item, const char *noun, const char *text)
{
	struct json_object *thread = json_read_member(item, "thread"), *number = json_read_member(item, "thread_num");
	struct node *node;

	if (!json_object_is_type(thread, json_type_int) || has_thread(parent, json_read_int(thread, 0), noun))
		return;
	node = node_add(parent, node_create("thread", noun));
	if (!node)
		return;
	number_set_add(&node->tids, json_read_int(thread, 0));
	if (json_object_is_type(number, json_type_int))
		number_set_add(&node->nums, json_read_int(number, 0));
	phrase_add(&node->text, text);
}

static void add_threads(struct node *node, struct json_object *region)
{
	struct json_object *waiters = json_read_member(region, "awaited_by");
	bool is_helper = json_read_bool(json_read_member(region, "helper"));
	bool is_host = !strcmp(json_read_text(region, "activity"), "host");

	add_thread(node, region, is_helper ? "helper thread" : "thread", is_host ? "executing it" : "waiting for it");
	for (size_t i = 0; i < json_read_length(waiters); i++) {
		struct json_object *waiter = json_object_array_get_idx(waiters, i);
		bool is_group = !strcmp(json_read_text(waiter, "construct"), "taskgroup");

		add_thread(node, waiter, "thread",
			   is_group ? "waiting for its task in taskgroup" : "waiting for its task in taskwait");
	}
}

static void add_region(struct node *group, struct json_object *region, int verbose)
{
	struct node *node = node_create("target_region", get_noun(region)), *same;

	if (!node)
		return;
	add_place(&node->text, region);
	add_activity(&node->text, region);
	if (verbose)
		add_names(&node->text, region);
	same = find_child(group, node);
	if (same) {
		node_destroy(node);
		node = same;
	} else {
		node = node_add(group, node);
	}
	if (node)
		add_threads(node, region);
}

void target_regions_add(struct node *root, struct json_object *regions, const struct view_request *request)
{
	size_t n = json_read_length(regions);
	const char *message = json_read_text(regions, "message");
	struct node *group;

	if (json_object_is_type(regions, json_type_array) ? !n : !*message)
		return;
	group = node_add(root, node_create("target_regions", "target regions"));
	if (!group)
		return;
	if (!n) {
		phrase_printf(&group->text, "unavailable: %s", message);
		return;
	}
	phrase_printf(&group->text, "%zu", n);
	for (size_t i = 0; i < n; i++)
		add_region(group, json_object_array_get_idx(regions, i), request->verbose);
	if (request->fold)
		node_fold(group, request->fold_above);
}
