/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the names of the host's functions and variables to what the runtime's tables have. */
#include "methods/json/device_json.h"

#include <inttypes.h>
#include <stdio.h>

#include <omp-tools.h>

#include "methods/json/json.h"
#include "openmp/devices/devices.h"
#include "openmp/model/snapshot.h"
#include "rpc/json_write.h"
#include "target/modules/modules.h"
#include "target/source/source.h"
#include "worker/worker.h"

/* Add "variable" or "function" if symbols have a name for @address. A function starts there. */
static void put_name(struct worker *w, struct json_object *o, uint64_t address, bool may_be_function)
{
	char symbol[JSON_MAX_SYMBOL];
	uint64_t offset;

	if (target_object_at(w->target, address, symbol, sizeof(symbol), &offset)) {
		struct json_object *name = json_variable_name(symbol, offset);

		if (name)
			json_put(o, "variable", name);
	} else if (may_be_function && target_symbol_at(w->target, address, symbol, sizeof(symbol), &offset) &&
		   !offset) {
		json_put(o, "function", json_function(symbol));
	}
}

/* Add the variable of an object that is not in a program or library, or has a name in the runtime's table. */
static void put_found_name(struct json_object *o, const struct snapshot *s, const struct device_name *name)
{
	char text[JSON_MAX_SYMBOL];

	if (name->offset)
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, name->variable, name->offset);
	else
		snprintf(text, sizeof(text), "%s", name->variable);
	json_put(o, "variable", json_text(text));
	json_put(o, "certainty", json_object_new_string(name->is_candidate ? "candidate" : "proven"));
	if (name->function)
		json_put(o, "in_function", json_function(name->function));
	if (name->file)
		json_put(o, "location", json_line(name->file, name->line));
	if (!name->tid)
		return;
	json_put(o, "tid", json_object_new_int(name->tid));
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *thread = &s->threads[i];

		if (thread->tid == name->tid && thread->openmp && thread->thread_num.rc == ompd_rc_ok)
			json_put(o, "thread_num", json_object_new_int64(thread->thread_num.value));
	}
}

static struct json_object *count_json(const struct device_map *map)
{
	if (map->kind == DEVICE_COUNTED)
		return json_number_or_hex(map->count);
	return json_object_new_string(map->kind == DEVICE_INFINITE ? "infinite" : "link");
}

static struct json_object *map_json(struct worker *w, const struct snapshot *s, const struct device_map *map)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "host", json_hex(map->host));
	json_put(o, "size", json_number_or_hex(map->size));
	json_put(o, "device_address", json_hex(map->device_address));
	json_put(o, "references", count_json(map));
	put_name(w, o, map->host, map->kind == DEVICE_INFINITE);
	if (map->name && !json_object_object_get_ex(o, "variable", NULL))
		put_found_name(o, s, map->name);
	return o;
}

static struct json_object *kind_json(const char *kind)
{
	return kind && kind[0] ? json_text(kind) : json_rc(ompd_rc_unavailable);
}

static struct json_object *device_json(struct worker *w, const struct snapshot *s, const struct device *device,
				       size_t max_maps)
{
	static const char *const states[] = {
		[DEVICE_UNINITIALISED] = "uninitialised",
		[DEVICE_INITIALISED] = "initialised",
		[DEVICE_FINALISED] = "finalised",
	};
	struct json_object *o = json_object_new_object(), *maps;

	json_put(o, "number", json_object_new_int((int)device->number));
	json_put(o, "kind", kind_json(device->kind));
	json_put(o, "name", device->name[0] ? json_text(device->name) : json_rc(ompd_rc_unavailable));
	json_put(o, "plugin", json_text(device->plugin));
	json_put(o, "plugin_number", json_object_new_int64(device->plugin_number));
	json_put(o, "address", json_hex(device->address));
	json_put(o, "state", json_object_new_string(states[device->state]));
	json_put(o, "locked", json_object_new_boolean(device->is_locked));
	if (device->maps_why) {
		json_put(o, "maps", json_reason(device->maps_why));
		return o;
	}
	maps = json_object_new_array();
	for (size_t i = 0; i < device->n_maps && i < max_maps; i++)
		json_object_array_add(maps, map_json(w, s, &device->maps[i]));
	json_put(o, "maps", maps);
	json_put(o, "complete", json_object_new_boolean(!device->is_cut && device->n_maps <= max_maps));
	return o;
}

struct json_object *device_json_list(struct worker *w, const struct snapshot *s, const struct devices *d,
				     size_t max_maps)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < d->n; i++)
		json_object_array_add(array, device_json(w, s, &d->list[i], max_maps));
	return array;
}

static struct json_object *kernel_json(struct worker *w, const struct device_entry *entry)
{
	struct json_object *o = json_object_new_object();
	struct source source;

	source_find(w->target, entry->function, true, &source);
	const struct source_place *place = &source.places[source.n_places - 1];
	const char *name = entry->name ? entry->name : place->function;
	json_put(o, "address", json_hex(entry->address));
	json_put(o, "function", name ? json_function(name) : json_rc(ompd_rc_unavailable));
	json_put(o, "location", json_line(place->file, place->line));
	source_deinit(&source);
	return o;
}

static struct json_object *variable_json(struct worker *w, const struct device_entry *entry)
{
	struct json_object *o = json_object_new_object();

	json_put(o, "host", json_hex(entry->address));
	json_put(o, "size", json_number_or_hex(entry->size));
	json_put(o, "link", json_object_new_boolean(entry->is_link));
	put_name(w, o, entry->address, false);
	return o;
}

static struct json_object *image_json(struct worker *w, const struct device_image *image)
{
	struct json_object *o = json_object_new_object();
	struct json_object *kernels = json_object_new_array(), *variables = json_object_new_array();

	json_put(o, "kind", kind_json(image->kind));
	json_put(o, "address", json_hex(image->address));
	json_put(o, "module", image->module ? json_text(image->module) : json_rc(ompd_rc_unavailable));
	for (size_t i = 0; i < image->n_entries; i++) {
		if (image->entries[i].size)
			json_object_array_add(variables, variable_json(w, &image->entries[i]));
		else
			json_object_array_add(kernels, kernel_json(w, &image->entries[i]));
	}
	json_put(o, "kernels", kernels);
	json_put(o, "variables", variables);
	json_put(o, "complete", json_object_new_boolean(!image->is_cut));
	return o;
}

struct json_object *device_json_images(struct worker *w, const struct devices *d)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < d->n_images; i++)
		json_object_array_add(array, image_json(w, &d->images[i]));
	return array;
}
