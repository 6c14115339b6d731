/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a map table of libomptarget: a std::set that is sorted by host address. */
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "openmp/devices/devices_omptarget.h"
#include "target/target.h"

#define INFINITE UINT64_MAX
/* No program maps an object more often. */
#define MAX_COUNT UINT32_MAX

/* HostDataToTargetTy */
struct object {
	uint64_t base, start, end;
	uint64_t name;
	uint64_t device_address;
	uint64_t counts; /* address of the dynamic and the hold count */
};

struct reading {
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

static struct error *add_object(struct target *t, const uint64_t *value, void *arg)
{
	struct reading *k = arg;
	struct device *device = k->device;
	struct object object;

	memcpy(&object, value, sizeof(object));
	struct device_map map = {
		.host = object.start, .size = object.end - object.start, .device_address = object.device_address};
	if (object.end < object.start || object.start < k->last_end ||
	    (device->n_maps && object.start <= k->last_start))
		return refuse_table(k, "its addresses are not sorted");
	k->last_start = object.start;
	k->last_end = object.end;
	struct error *err = read_count(t, k, &object, &map);
	if (err)
		return err;
	if (!VECTOR_GROW(device->maps, device->n_maps, k->cap))
		return &error_nomem;
	device->maps[device->n_maps++] = map;
	return NULL;
}

struct error *omptarget_maps_read(struct target *t, uint64_t address, const struct omptarget_tree *tree,
				  struct device *ret)
{
	char what[64];
	struct reading k = {.device = ret, .what = what};
	const struct omptarget_visitor visitor = {what, sizeof(struct object), DEVICES_MAX_MAPS, add_object};

	snprintf(what, sizeof(what), "the map table of device %u", ret->number);
	return omptarget_tree_walk(t, address, tree, &visitor, &k, &ret->is_cut);
}
