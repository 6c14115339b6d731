/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a map table of libomptarget: a std::set that is sorted by host address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"
#include "target/target.h"

#define INFINITE UINT64_MAX
/* No program maps an object more often. */
#define MAX_COUNT UINT32_MAX

/* Part of HostDataToTargetTy. */
struct object {
	uint64_t base, start, end;
	uint64_t name;
	uint64_t device_address;
	uint64_t counts; /* address of the dynamic and the hold count */
};

/* The largest HostDataToTargetTy in words. */
#define MAX_OBJECT 8

struct reading {
	const struct omptarget_layout *layout;
	struct device *device;
	const char *what;
	uint64_t last_start, last_end;
	size_t cap;
};

static struct error *refuse_table(const struct reading *k, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read %s: %s", k->what, why);
}

static struct error *read_count(struct target *t, const struct reading *k, const struct object *object,
				struct device_map *ret)
{
	uint64_t counts[2];
	struct error *err = target_read(t, object->counts, counts, sizeof(counts));

	if (err)
		return err;
	if (counts[0] == INFINITE || counts[1] == INFINITE) {
		ret->kind = DEVICE_INFINITE;
		return NULL;
	}
	if (counts[0] > MAX_COUNT || counts[1] > MAX_COUNT)
		return refuse_table(k, "an object has an impossible reference count");
	ret->kind = DEVICE_COUNTED;
	ret->count = counts[0] + counts[1];
	return NULL;
}

/*
 * Read the name that the compiler gives each object with -g, ";name;file;line;column;;". A name of another form is not
 * known.
 */
static struct error *read_name(struct target *t, const struct object *object, struct device_map *ret)
{
	char text[DEVICES_MAX_ENTRY_NAME], *rest = text + 1, *name, *file, *line;

	if (!object->name)
		return NULL;
	struct error *err = target_read_string(t, object->name, text, sizeof(text));
	if (error_catch(&err, ERR_MEMORY_UNREADABLE) || error_catch(&err, ERR_CORE_MEMORY_LEFT_OUT) || err ||
	    text[0] != ';')
		return err;
	name = strsep(&rest, ";");
	file = strsep(&rest, ";");
	line = strsep(&rest, ";");
	if (!rest || !*name || strcmp(name, "unknown") == 0)
		return NULL;
	int number = (int)strtol(line, NULL, 10);
	ret->name = devices_create_name(name, NULL, *file && number > 0 ? file : NULL, number > 0 ? number : 0);
	return ret->name ? NULL : &error_nomem;
}

static size_t size_of_object(const struct omptarget_layout *layout)
{
	return layout->object.counts + sizeof(uint64_t);
}

/* Read the object that @value of the table is, or leads to. */
static struct error *read_object(struct target *t, const struct reading *k, const uint64_t *value, struct object *ret)
{
	const struct omptarget_layout *layout = k->layout;
	uint64_t words[MAX_OBJECT];

	if (layout->object.is_apart) {
		struct error *err = target_read(t, value[1], words, size_of_object(layout));

		if (err)
			return err;
		if (words[1] != value[0])
			return refuse_table(k, "an object has another address than its key");
		value = words;
	}
	*ret = (struct object){.base = value[0],
			       .start = value[1],
			       .end = value[2],
			       .name = value[3],
			       .device_address = value[layout->object.device_address / sizeof(uint64_t)],
			       .counts = value[layout->object.counts / sizeof(uint64_t)]};
	return NULL;
}

static struct error *add_object(struct target *t, const uint64_t *value, void *arg)
{
	struct reading *k = arg;
	struct device *device = k->device;
	struct object object = {0};
	struct error *err = read_object(t, k, value, &object);

	if (err)
		return err;
	struct device_map map = {
		.host = object.start,
		.size = object.end - object.start,
		.base = object.base,
		.device_address = object.device_address,
	};
	if (object.end < object.start || object.start < k->last_end ||
	    (device->n_maps && object.start <= k->last_start))
		return refuse_table(k, "its addresses are not sorted");
	k->last_start = object.start;
	k->last_end = object.end;
	err = read_count(t, k, &object, &map);
	if (err)
		return err;
	if (!VECTOR_GROW(device->maps, device->n_maps, k->cap))
		return &error_nomem;
	err = read_name(t, &object, &map);
	if (err)
		return err;
	device->maps[device->n_maps++] = map;
	return NULL;
}

struct error *omptarget_maps_read(struct target *t, const struct omptarget_layout *layout, uint64_t address,
				  const struct omptarget_tree *tree, struct device *ret)
{
	char what[64];
	struct reading k = {.layout = layout, .device = ret, .what = what};
	size_t size = layout->object.is_apart ? 2 * sizeof(uint64_t) : size_of_object(layout);
	const struct omptarget_visitor visitor = {what, size, DEVICES_MAX_MAPS, add_object};

	snprintf(what, sizeof(what), "the map table of device %u", ret->number);
	return omptarget_tree_walk(t, address, tree, &visitor, &k, &ret->is_cut);
}
