/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads libgomp's array of devices. A record is proven by its pointers: each is the address of the function of that
 * name in the plugin's file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "openmp/devices/devices_gomp.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/modules.h"
#include "target/target.h"

#define CAPABILITY_OPENMP 4
#define N_STATES	  3
/* More members of a plugin's interface that must be in the record at their places. */
#define LEAST_FUNCTIONS 12

/* Offsets behind the pointers. */
struct behind {
	size_t maps, lock, state;
};

static struct behind find_behind(const struct gomp_devices_layout *l)
{
	struct behind ret = {.maps = l->first_function};

	for (const char *const *name = l->functions; *name; name++)
		ret.maps += sizeof(uint64_t);
	ret.lock = ret.maps + sizeof(uint64_t) * (l->has_reverse ? 2 : 1);
	ret.state = ret.lock + sizeof(uint32_t);
	return ret;
}

static uint64_t get_word(const uint8_t *record, size_t offset)
{
	uint64_t ret;

	memcpy(&ret, record + offset, sizeof(ret));
	return ret;
}

static uint32_t get_half(const uint8_t *record, size_t offset)
{
	uint32_t ret;

	memcpy(&ret, record + offset, sizeof(ret));
	return ret;
}

static struct error *refuse_record(unsigned number, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read libgomp's devices: the record of device %u %s", number,
			    why);
}

/* Check that the pointers of @record are the functions of one plugin. *@ret: its module. */
static struct error *check_functions(struct target *t, const struct gomp_devices_layout *l, const uint8_t *record,
				     unsigned number, const struct target_module **ret)
{
	const struct target_module *plugin = target_module_at(t, get_word(record, l->first_function));
	unsigned n_equal = 0;

	if (!plugin || !offload_is_plugin(plugin->path))
		return refuse_record(number, "names no plugin");
	target_prefer_module(t, plugin->start);
	for (size_t i = 0; l->functions[i]; i++) {
		uint64_t pointer = get_word(record, l->first_function + i * sizeof(uint64_t));
		struct target_symbol symbol;
		char name[64] = "GOMP_OFFLOAD_";

		/* The runtime or the program does without it. */
		if (!pointer)
			continue;
		strncat(name, l->functions[i], sizeof(name) - strlen(name) - 1);
		struct error *err = target_symbol(t, name, path_file_name(plugin->path), &symbol);
		if (error_catch(&err, ERR_SYMBOL_NOT_FOUND) || (!err && symbol.address != pointer))
			return refuse_record(number, "does not have its plugin's functions");
		if (err)
			return err;
		n_equal++;
	}
	if (n_equal < LEAST_FUNCTIONS)
		return refuse_record(number, "does not have its plugin's functions");
	*ret = plugin;
	return NULL;
}

static struct error *read_device(struct target *t, const struct gomp_devices_layout *l, uint64_t address,
				 struct device *ret)
{
	const struct behind behind = find_behind(l);
	const struct target_module *plugin = NULL;
	uint8_t record[GOMP_DEVICES_MAX_RECORD];
	struct error *err = target_read(t, address, record, l->size);

	if (!err)
		err = check_functions(t, l, record, ret->number, &plugin);
	if (err)
		return err;
	uint32_t state = get_half(record, behind.state);
	if (state >= N_STATES)
		return refuse_record(ret->number, "has an unknown state");
	err = target_read_string(t, get_word(record, 0), ret->name, sizeof(ret->name));
	if (err)
		return err;
	ret->plugin = strdup(plugin->path);
	if (!ret->plugin)
		return &error_nomem;
	ret->address = address;
	ret->plugin_number = get_half(record, l->plugin_number);
	const char *kind = gomp_devices_kind(get_half(record, l->type));
	if (kind)
		strncat(ret->kind, kind, sizeof(ret->kind) - 1);
	ret->state = (enum device_state)state;
	ret->is_locked = get_half(record, behind.lock) != 0;
	ret->is_of_openmp = get_half(record, l->capabilities) & CAPABILITY_OPENMP;
	return devices_or_reason(gomp_maps_read(t, l, get_word(record, behind.maps), address, ret), &ret->maps_why);
}

static struct error *read_list(struct target *t, const struct gomp_devices_layout *l, uint64_t array, uint32_t n,
			       struct devices *ret)
{
	if (n > DEVICES_MAX)
		return error_create(ERR_UNKNOWN_LAYOUT, "cannot read libgomp's devices: their number is %u", n);
	ret->list = calloc(n + 1, sizeof(*ret->list));
	if (!ret->list)
		return &error_nomem;
	for (uint32_t i = 0; i < n; i++) {
		struct device *device = &ret->list[ret->n++];

		device->number = i;
		struct error *err = read_device(t, l, array + (uint64_t)i * l->size, device);
		if (err)
			return err;
	}
	/* Devices for OpenACC only are behind those of OpenMP, which does not count them. */
	while (ret->n && !ret->list[ret->n - 1].is_of_openmp)
		devices_drop_last(ret);
	return NULL;
}

static struct error *read_variables(struct target *t, const struct runtime *r, const struct gomp_devices_layout *l,
				    struct gomp_devices_variables *variables, struct devices *ret)
{
	uint64_t array;
	uint32_t n;
	struct error *err = gomp_devices_find(t, r, variables);

	if (!err)
		err = target_read(t, variables->devices, &array, sizeof(array));
	if (!err)
		err = target_read(t, variables->n_devices, &n, sizeof(n));
	if (!err)
		err = read_list(t, l, array, n, ret);
	target_prefer_module(t, r->start);
	return err;
}

struct error *gomp_devices_read(struct target *t, const struct runtime *r, struct devices *ret)
{
	const struct gomp_devices_layout *l = gomp_devices_layout(t, r);
	struct gomp_devices_variables variables = {0};

	if (!l)
		return devices_or_reason(
			error_create(ERR_UNKNOWN_LAYOUT, "cannot read libgomp's devices: its release is not known"),
			&ret->why);
	struct error *err = devices_or_reason(read_variables(t, r, l, &variables, ret), &ret->why);
	if (!err && !ret->why)
		err = devices_or_reason(gomp_images_read(t, &variables, ret), &ret->images_why);
	return err;
}
