/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The nodes of the view "devices" as lines that a client expands, and the request for them. */
#include "device_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "variables.h"

/* Runtime, device, map, and one more: deeper nodes are not shown. */
#define MAX_DEPTH 4

/* Lines */

/* Return a name for a line below @parent: "map", "map 2", … A device's label has its number already. The caller frees
 * it. */
static char *create_name(struct json_object *node, struct json_object *counts)
{
	const char *label = dap_message_string(node, "label");
	struct buf name = {0};

	label = label ? label : "";
	int64_t n = dap_message_int(counts, label, 0) + 1;
	dap_message_put_int(counts, label, n);
	text_add(&name, label);
	if (n > 1)
		text_printf(&name, " %" PRId64, n);
	return text_take(&name);
}

struct json_object *device_tree_lines(struct json_object *nodes)
{
	struct json_object *root = json_object_new_object(), *parents[MAX_DEPTH + 1] = {root};
	struct json_object *counts[MAX_DEPTH] = {json_object_new_object()};
	int64_t n_levels = 1;
	bool has_any = false;

	for (size_t i = 0; i < dap_message_length(nodes); i++) {
		struct json_object *node = json_object_array_get_idx(nodes, i), *line;
		const char *text = dap_message_string(node, "text");
		int64_t depth = dap_message_int(node, "depth", -1);

		if (depth < 0 || depth >= n_levels || depth >= MAX_DEPTH)
			continue;
		char *name = create_name(node, counts[depth]);
		line = variables_line(text ? text : "", &parents[depth + 1]);
		json_object_object_add(parents[depth], name, line);
		free(name);
		while (n_levels > depth + 1)
			json_object_put(counts[--n_levels]);
		if (n_levels < MAX_DEPTH)
			counts[n_levels++] = json_object_new_object();
		has_any = has_any || depth > 0;
	}
	while (n_levels)
		json_object_put(counts[--n_levels]);
	if (has_any)
		return root;
	json_object_put(root);
	return NULL;
}

/* Requests */

struct device_waiter {
	debuggee_fn *done;
	void *arg;
};

struct device_call {
	struct device_tree *tree;
	struct device_waiter *waiters;
	size_t n, cap;
};

static void on_devices(void *arg, struct json_object *result, struct json_object *error)
{
	struct device_call *call = arg;
	struct device_tree *tree = call->tree;

	/* Without them, frames have no such scope. */
	(void)error;
	if (tree->call == call) {
		tree->call = NULL;
		tree->is_known = true;
		tree->lines = device_tree_lines(dap_message_array(result, "nodes"));
	}
	for (size_t i = 0; i < call->n; i++)
		call->waiters[i].done(call->waiters[i].arg);
	free(call->waiters);
	free(call);
}

void device_tree_request(struct device_tree *tree, struct debuggee *target, debuggee_fn *done, void *arg)
{
	struct device_call *call = tree->call;
	struct json_object *params;

	if (tree->is_known) {
		done(arg);
		return;
	}
	if (!call) {
		call = text_calloc(1, sizeof(*call));
		call->tree = tree;
	}
	TEXT_GROW(call->waiters, call->n, call->cap);
	call->waiters[call->n++] = (struct device_waiter){done, arg};
	if (tree->call)
		return;
	tree->call = call;
	params = json_object_new_object();
	dap_message_put_string(params, "view", "devices");
	debuggee_call(target, "view.get", params, on_devices, call);
}

void device_tree_forget(struct device_tree *tree)
{
	json_object_put(tree->lines);
	*tree = (struct device_tree){0};
}
