/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The view devices: below each runtime its devices with their map tables, and the images with their kernels. Target
 * regions in progress follow.
 */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "rpc/json_read.h"
#include "view/node.h"
#include "view/parts.h"
#include "view/value.h"

/* Add a line for a list that is not known, with the reason. */
static void add_reason(struct node *parent, const char *what, struct json_object *value)
{
	struct node *node = node_add(parent, node_create("reason", what));
	const char *message = json_read_text(value, "message");

	if (node)
		phrase_printf(&node->text, "unavailable: %s", *message ? message : json_read_text(value, "rc"));
}

/* Append " of main() at sim.c:12, thread 0": which variable it is. */
static void add_declaration(struct buf *p, struct json_object *map)
{
	const char *function = json_read_text(map, "in_function");
	struct json_object *number = json_read_member(map, "thread_num"), *tid = json_read_member(map, "tid");
	struct buf place = {0};

	if (*function)
		phrase_printf(p, " of %s()", function);
	if (value_add_location(&place, json_read_member(map, "location")))
		phrase_printf(p, " at %s", phrase_text(&place));
	if (number)
		phrase_printf(p, ", thread %" PRId64, json_read_int(number, 0));
	else if (tid)
		phrase_printf(p, ", thread (%" PRId64 ")", json_read_int(tid, 0));
	buf_deinit(&place);
}

/* Append the name of a variable or function, or its address. */
static void add_name(struct buf *p, struct json_object *item, const char *address)
{
	const char *variable = json_read_text(item, "variable"), *function = json_read_text(item, "function");

	phrase_add(p, *variable ? variable : *function ? function : json_read_text(item, address));
}

static void add_map(struct node *parent, struct json_object *map, int verbose)
{
	struct json_object *references = json_read_member(map, "references");
	struct node *node = node_add(parent, node_create("map", "map"));
	bool is_candidate;

	if (!node)
		return;
	is_candidate = !strcmp(json_read_text(map, "certainty"), "candidate");
	phrase_add(&node->text, is_candidate ? "candidate *" : "");
	add_name(&node->text, map, "host");
	add_declaration(&node->text, map);
	phrase_add(&node->text, ", ");
	value_add_count(&node->text, (size_t)json_read_int(json_read_member(map, "size"), 0), "byte");
	if (verbose)
		phrase_printf(&node->text, ", host %s", json_read_text(map, "host"));
	phrase_printf(&node->text, ", device %s, ", json_read_text(map, "device_address"));
	if (json_object_is_type(references, json_type_int)) {
		value_add_count(&node->text, (size_t)json_read_int(references, 0), "reference");
	} else {
		value_add(&node->text, references, verbose);
		phrase_add(&node->text, " references");
	}
}

static void add_maps(struct node *node, struct json_object *device, const struct view_request *request)
{
	struct json_object *maps = json_read_member(device, "maps");
	size_t n = json_read_length(maps), shown = request->max_rows && request->max_rows < n ? request->max_rows : n;

	if (!json_object_is_type(maps, json_type_array)) {
		add_reason(node, "map table", maps);
		return;
	}
	for (size_t i = 0; i < shown; i++)
		add_map(node, json_object_array_get_idx(maps, i), request->verbose);
	if (shown == n && json_read_bool(json_read_member(device, "complete")))
		return;
	node = node_add(node, node_create("map", "map"));
	if (node)
		phrase_add(&node->text, "… more objects are not shown");
}

static void add_device(struct node *parent, struct json_object *device, const struct view_request *request)
{
	struct node *node = node_add(parent, node_create("device", "device"));

	if (!node)
		return;
	number_set_add(&node->nums, json_read_int(json_read_member(device, "number"), 0));
	value_add(&node->text, json_read_member(device, "kind"), request->verbose);
	phrase_printf(&node->text, ", %s, ", json_read_text(device, "state"));
	phrase_add(&node->text, request->verbose ? json_read_text(device, "plugin")
						 : path_file_name(json_read_text(device, "plugin")));
	if (json_read_bool(json_read_member(device, "locked")))
		phrase_add(&node->text, ", a thread holds the lock of its map table");
	add_maps(node, device, request);
}

static void add_kernel(struct node *parent, struct json_object *kernel, int verbose)
{
	struct node *node = node_add(parent, node_create("kernel", "kernel"));
	struct buf place = {0};

	if (!node)
		return;
	add_name(&node->text, kernel, "address");
	if (value_add_location(&place, json_read_member(kernel, "location")))
		phrase_printf(&node->text, " at %s", phrase_text(&place));
	if (verbose)
		phrase_printf(&node->text, ", host %s", json_read_text(kernel, "address"));
	buf_deinit(&place);
}

static void add_variable(struct node *parent, struct json_object *variable)
{
	struct node *node = node_add(parent, node_create("variable", "variable"));

	if (!node)
		return;
	add_name(&node->text, variable, "host");
	phrase_add(&node->text, ", ");
	value_add_count(&node->text, (size_t)json_read_int(json_read_member(variable, "size"), 0), "byte");
	if (json_read_bool(json_read_member(variable, "link")))
		phrase_add(&node->text, ", link");
}

static void add_image(struct node *parent, struct json_object *image, int verbose)
{
	struct json_object *kernels = json_read_member(image, "kernels"),
			   *variables = json_read_member(image, "variables");
	const char *module = json_read_string(json_read_member(image, "module"));
	struct node *node = node_add(parent, node_create("image", "image"));

	if (!node)
		return;
	phrase_add(&node->text, "for ");
	value_add(&node->text, json_read_member(image, "kind"), verbose);
	if (module)
		phrase_printf(&node->text, ", of %s", verbose ? module : path_file_name(module));
	for (size_t i = 0; i < json_read_length(kernels); i++)
		add_kernel(node, json_object_array_get_idx(kernels, i), verbose);
	for (size_t i = 0; i < json_read_length(variables); i++)
		add_variable(node, json_object_array_get_idx(variables, i));
}

static void add_runtime(struct node *root, struct json_object *table, const struct view_request *request)
{
	struct json_object *runtime = json_read_member(table, "runtime"), *devices = json_read_member(table, "devices"),
			   *images = json_read_member(table, "images");
	struct node *node = node_add(root, node_create("runtime", "runtime"));

	if (!node)
		return;
	value_add(&node->text, json_read_member(runtime, "kind"), request->verbose);
	if (json_read_string(json_read_member(runtime, "version")))
		phrase_printf(&node->text, " %s", json_read_text(runtime, "version"));
	if (json_object_is_type(devices, json_type_array)) {
		phrase_add(&node->text, ", ");
		value_add_count(&node->text, json_read_length(devices), "device");
	}
	phrase_add(&node->text, ", default device ");
	value_add(&node->text, json_read_member(table, "default_device"), request->verbose);
	phrase_add(&node->text, ", target offload ");
	value_add(&node->text, json_read_member(table, "target_offload"), request->verbose);
	if (!json_object_is_type(devices, json_type_array))
		add_reason(node, "devices", devices);
	else if (!json_object_is_type(images, json_type_array))
		add_reason(node, "images", images);
	for (size_t i = 0; i < json_read_length(devices); i++)
		add_device(node, json_object_array_get_idx(devices, i), request);
	for (size_t i = 0; i < json_read_length(images); i++)
		add_image(node, json_object_array_get_idx(images, i), request->verbose);
}

struct error *devices_add(struct json_object *o, const struct view_request *request, struct json_object *source)
{
	struct json_object *tables = json_read_member(source, "tables");
	struct node *root = node_create("process", "process");

	if (!root)
		return &error_nomem;
	for (size_t i = 0; i < json_read_length(tables); i++)
		add_runtime(root, json_object_array_get_idx(tables, i), request);
	target_regions_add(root, json_read_member(source, "target_regions"), request);
	json_object_object_add(o, "nodes", node_array_json(root));
	node_destroy(root);
	return NULL;
}
