/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the devices of LLVM 14's libomptarget. Its code shows where its manager of plugins is. The record of a plugin
 * is proven by its pointers: each is the address of the function of that name in the plugin's file. The record of a
 * device names its own number, and one of these plugins.
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "openmp/devices/code_uses.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/runtimes/runtime_symbol.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* Start of the library's file name; its plugins have other names. */
#define LIBRARY	      "libomptarget.so"
#define PLUGIN_PREFIX "libomptarget.rtl."
/* libomptarget tries ten files. */
#define MAX_PLUGINS 64

/* Start of struct PluginManager. */
struct manager {
	uint64_t plugins[3];		   /* std::list */
	uint64_t used, used_end, used_cap; /* std::vector of addresses of plugins that have a device */
	uint64_t requires, once;
	uint64_t devices, devices_end, devices_cap; /* std::vector of addresses of devices */
	uint64_t lock[5];
	struct omptarget_tree images; /* std::map by host table */
};

/* The functions of a plugin, in the order of struct RTLInfoTy, without their prefix "__tgt_rtl_". */
static const struct function {
	const char *name;
	bool is_optional;
} functions[] = {
	{"is_valid_binary", false},
	{"is_data_exchangable", true},
	{"number_of_devices", false},
	{"init_device", false},
	{"load_binary", false},
	{"data_alloc", false},
	{"data_submit", false},
	{"data_submit_async", true},
	{"data_retrieve", false},
	{"data_retrieve_async", true},
	{"data_exchange", true},
	{"data_exchange_async", true},
	{"data_delete", false},
	{"run_target_region", false},
	{"run_target_region_async", true},
	{"run_target_team_region", false},
	{"run_target_team_region_async", true},
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Start of struct RTLInfoTy. */
struct plugin {
	int32_t first_device, n_devices;
	uint64_t library;
	uint64_t functions[N_FUNCTIONS];
};

/* Start of struct DeviceTy. */
struct record {
	int32_t number;
	uint64_t plugin;
	int32_t plugin_number;
	uint8_t is_initialised;
	int32_t once;
	uint8_t has_pending;
	struct omptarget_tree maps;
	struct omptarget_tree others[2];
	int32_t lock;
};

static struct error *refuse(const char *why)
{
	return error_hint(error_create(ERR_UNKNOWN_LAYOUT, "cannot read the devices of libomptarget: %s", why),
			  "a run with LIBOMPTARGET_INFO=-1 prints them");
}

static struct error *refuse_device(unsigned number, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read libomptarget's devices: the record of device %u %s",
			    number, why);
}

/* Return the only variable of 8 bytes that @u reads, or 0. */
static uint64_t find_variable(const struct code_uses *u)
{
	uint64_t found = 0;

	for (size_t i = 0; i < u->n; i++) {
		if (u->list[i].size != sizeof(found) || !u->list[i].is_read || u->list[i].is_written)
			continue;
		if (found)
			return 0;
		found = u->list[i].address;
	}
	return found;
}

/* Find the variable that leads to the manager. Two functions return the number of devices and use nothing else. */
static struct error *find_manager(struct target *t, uint64_t *ret)
{
	static const char *const names[] = {"omp_get_num_devices", "omp_get_initial_device"};
	uint64_t found[2], since_14, since_15;

	/* libomp has functions of the same names. */
	target_prefer_module(t, 0);
	if (!runtime_symbol(t, "__tgt_interop_init", LIBRARY, &since_14) ||
	    runtime_symbol(t, "__tgt_target_kernel", LIBRARY, &since_15))
		return refuse("only the layout of LLVM 14 is known");
	for (size_t i = 0; i < 2; i++) {
		struct code_uses uses;
		struct error *err = code_uses_read(t, names[i], LIBRARY, &uses);

		if (err)
			return err;
		found[i] = find_variable(&uses);
		if (!code_uses_member(&uses, offsetof(struct manager, devices)) ||
		    !code_uses_member(&uses, offsetof(struct manager, devices_end)))
			found[i] = 0;
	}
	if (!found[0] || found[0] != found[1])
		return refuse("its code shows no such variable");
	*ret = found[0];
	return NULL;
}

static struct error *check_functions(struct target *t, const struct plugin *plugin, unsigned number,
				     const struct target_module **ret)
{
	const struct target_module *module = target_module_at(t, plugin->functions[0]);

	if (!module || strncmp(path_file_name(module->path), PLUGIN_PREFIX, strlen(PLUGIN_PREFIX)) != 0)
		return refuse_device(number, "names no plugin");
	target_prefer_module(t, module->start);
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		struct target_symbol symbol;
		char name[64] = "__tgt_rtl_";

		if (!plugin->functions[i] && functions[i].is_optional)
			continue;
		strncat(name, functions[i].name, sizeof(name) - strlen(name) - 1);
		struct error *err = target_symbol(t, name, path_file_name(module->path), &symbol);
		if (error_catch(&err, ERR_SYMBOL_NOT_FOUND) || (!err && symbol.address != plugin->functions[i]))
			return refuse_device(number, "does not have its plugin's functions");
		if (err)
			return err;
	}
	*ret = module;
	return NULL;
}

static bool is_in(const uint64_t *list, size_t n, uint64_t value)
{
	while (n && list[n - 1] != value)
		n--;
	return n != 0;
}

/* Set the kind: the part of the plugin's file name after the prefix. */
static void set_kind(struct device *device)
{
	const char *kind = path_file_name(device->plugin) + strlen(PLUGIN_PREFIX);
	size_t length = strcspn(kind, ".");

	if (length < sizeof(device->kind))
		memcpy(device->kind, kind, length);
}

static struct error *read_device(struct target *t, uint64_t address, const uint64_t *used, size_t n_used,
				 struct device *ret)
{
	const struct target_module *module = NULL;
	struct record record;
	struct plugin plugin;
	struct error *err = target_read(t, address, &record, sizeof(record));

	if (err)
		return err;
	if (record.number != (int32_t)ret->number || record.is_initialised > 1)
		return refuse_device(ret->number, "has another number or an unknown state");
	if (!is_in(used, n_used, record.plugin))
		return refuse_device(ret->number, "names no plugin");
	err = target_read(t, record.plugin, &plugin, sizeof(plugin));
	if (!err)
		err = check_functions(t, &plugin, ret->number, &module);
	if (err)
		return err;
	if (record.plugin_number < 0 || record.plugin_number >= plugin.n_devices ||
	    (int64_t)plugin.first_device + record.plugin_number != record.number)
		return refuse_device(ret->number, "has a number that its plugin does not have");
	ret->plugin = strdup(module->path);
	if (!ret->plugin)
		return &error_nomem;
	ret->address = address;
	ret->plugin_number = (unsigned)record.plugin_number;
	set_kind(ret);
	ret->state = record.is_initialised ? DEVICE_INITIALISED : DEVICE_UNINITIALISED;
	ret->is_locked = record.lock != 0;
	ret->is_of_openmp = true;
	return devices_or_reason(omptarget_maps_read(t, address + offsetof(struct record, maps), &record.maps, ret),
				 &ret->maps_why);
}

/* Return whether a vector from @start to @end has at most @max addresses. */
static bool is_vector(uint64_t start, uint64_t end, size_t max)
{
	return start <= end && (end - start) % sizeof(uint64_t) == 0 && (end - start) / sizeof(uint64_t) <= max;
}

static struct error *read_list(struct target *t, const struct manager *m, struct devices *ret)
{
	size_t n = (m->devices_end - m->devices) / sizeof(uint64_t),
	       n_used = (m->used_end - m->used) / sizeof(uint64_t);
	uint64_t addresses[DEVICES_MAX], used[MAX_PLUGINS];
	struct error *err = n ? target_read(t, m->devices, addresses, n * sizeof(addresses[0])) : NULL;

	if (!err && n_used)
		err = target_read(t, m->used, used, n_used * sizeof(used[0]));
	if (err)
		return err;
	ret->list = calloc(n + 1, sizeof(*ret->list));
	if (!ret->list)
		return &error_nomem;
	for (size_t i = 0; i < n && !err; i++) {
		struct device *device = &ret->list[ret->n++];

		device->number = (unsigned)i;
		err = read_device(t, addresses[i], used, n_used, device);
	}
	return err;
}

static struct error *read_manager(struct target *t, struct devices *ret)
{
	uint64_t variable = 0, address;
	struct manager manager;
	struct error *err = find_manager(t, &variable);

	if (!err)
		err = target_read(t, variable, &address, sizeof(address));
	/* Some code reads the variable's address from a table of the linker first. */
	if (!err && target_module_at(t, address))
		err = target_read(t, address, &address, sizeof(address));
	/* The library's constructor creates the manager, on the heap. */
	ret->has_images = !err && !address;
	if (err || !address)
		return err;
	if (target_module_at(t, address))
		return refuse("its code shows no such variable");
	err = target_read(t, address, &manager, sizeof(manager));
	if (err)
		return err;
	if (!is_vector(manager.devices, manager.devices_end, DEVICES_MAX) ||
	    !is_vector(manager.used, manager.used_end, MAX_PLUGINS))
		return refuse("its lists have no valid size");
	err = read_list(t, &manager, ret);
	if (err)
		return err;
	return devices_or_reason(
		omptarget_images_read(t, address + offsetof(struct manager, images), &manager.images, ret),
		&ret->images_why);
}

struct error *omptarget_devices_read(struct target *t, const struct runtime *r, struct devices *ret)
{
	struct error *err = devices_or_reason(read_manager(t, ret), &ret->why);

	target_prefer_module(t, r->start);
	return err;
}
