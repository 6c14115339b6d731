/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Proves plugins of libomptarget. The record of a plugin in a file of its own has addresses, each of the function of
 * that name in the file. A plugin in the library is an object of one of its classes.
 */
#include <string.h>

#include "base/path.h"
#include "openmp/devices/code_uses.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"
#include "target/modules/modules.h"
#include "target/target.h"

#define PLUGIN_PREFIX "libomptarget.rtl."
/* The class of a plugin has at least these functions. */
#define MIN_FUNCTIONS 10
/* The number of getName() among them. */
#define NAME_FUNCTION 8

/* The functions of a plugin in the order of its record, without their prefix "__tgt_rtl_". */
static const struct function {
	const char *name;
	bool is_optional;
	unsigned first, last; /* releases of LLVM */
} functions[] = {
	{"init_plugin", true, 15, 18},
	{"deinit_plugin", true, 15, 17},
	{"is_valid_binary", false, 14, 18},
	{"is_valid_binary_info", true, 15, 17},
	{"is_data_exchangable", true, 14, 18},
	{"number_of_devices", false, 14, 18},
	{"init_device", false, 14, 18},
	{"deinit_device", true, 15, 17},
	{"load_binary", false, 14, 18},
	{"get_global", true, 18, 18},
	{"get_function", true, 18, 18},
	{"data_alloc", false, 14, 18},
	{"data_submit", false, 14, 18},
	{"data_submit_async", true, 14, 18},
	{"data_retrieve", false, 14, 18},
	{"data_retrieve_async", true, 14, 18},
	{"data_exchange", true, 14, 18},
	{"data_exchange_async", true, 14, 18},
	{"data_delete", false, 14, 18},
	{"run_target_region", false, 14, 15},
	{"run_target_region_async", true, 14, 15},
	{"run_target_team_region", false, 14, 15},
	{"run_target_team_region_async", true, 14, 15},
	{"launch_kernel", true, 16, 18},
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Start of struct RTLInfoTy. The functions follow. */
struct numbered {
	int32_t first_device, n_devices;
	uint64_t library;
};

/* Start of struct PluginAdaptorTy. The functions follow. */
struct named {
	int32_t first_device; /* one that cannot be initialised has no number */
	uint64_t name[4];
	uint64_t library;
};

/* Start of struct GenericPluginTy. */
struct built_in {
	uint64_t class;
	uint8_t is_initialised;
	int32_t n_devices;
};

struct error *omptarget_device_refuse(unsigned number, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read libomptarget's devices: the record of device %u %s",
			    number, why);
}

static bool has_function(const struct omptarget_layout *layout, const struct function *function)
{
	return function->first <= layout->first && layout->last <= function->last;
}

/* Check the functions of a record, whose addresses start at @address. Set the plugin's file. */
static struct error *check_functions(struct target *t, const struct omptarget_layout *layout, uint64_t address,
				     const struct device *device, const struct target_module **ret)
{
	uint64_t addresses[N_FUNCTIONS];
	const struct target_module *module = NULL;
	size_t n = 0;

	for (size_t i = 0; i < N_FUNCTIONS; i++)
		n += has_function(layout, &functions[i]);
	struct error *err = target_read(t, address, addresses, n * sizeof(addresses[0]));
	if (err)
		return err;
	for (size_t i = 0; i < n && !module; i++)
		module = addresses[i] ? target_module_at(t, addresses[i]) : NULL;
	if (!module || strncmp(path_file_name(module->path), PLUGIN_PREFIX, strlen(PLUGIN_PREFIX)) != 0)
		return omptarget_device_refuse(device->number, "names no plugin");
	target_prefer_module(t, module->start);
	n = 0;
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		struct target_symbol symbol;
		char name[64] = "__tgt_rtl_";

		if (!has_function(layout, &functions[i]))
			continue;
		uint64_t expected = addresses[n++];
		if (!expected && functions[i].is_optional)
			continue;
		strncat(name, functions[i].name, sizeof(name) - strlen(name) - 1);
		err = target_symbol(t, name, path_file_name(module->path), &symbol);
		if (error_catch(&err, ERR_SYMBOL_NOT_FOUND) || (!err && symbol.address != expected))
			return omptarget_device_refuse(device->number, "does not have its plugin's functions");
		if (err)
			return err;
	}
	*ret = module;
	return NULL;
}

/* Set plugin and kind. The kind is the part of the plugin's file name after the prefix. */
static struct error *set_file(struct device *device, const struct target_module *module)
{
	const char *kind = path_file_name(module->path) + strlen(PLUGIN_PREFIX);
	size_t length = strcspn(kind, ".");

	device->plugin = strdup(module->path);
	if (!device->plugin)
		return &error_nomem;
	if (length < sizeof(device->kind))
		memcpy(device->kind, kind, length);
	return NULL;
}

static struct error *check_numbered(struct target *t, const struct omptarget_layout *layout, uint64_t address,
				    int32_t plugin_number, struct device *ret)
{
	const struct target_module *module = NULL;
	struct numbered start;
	struct error *err = target_read(t, address, &start, sizeof(start));

	if (!err)
		err = check_functions(t, layout, address + sizeof(start), ret, &module);
	if (err)
		return err;
	if (plugin_number < 0 || plugin_number >= start.n_devices ||
	    (int64_t)start.first_device + plugin_number != ret->number)
		return omptarget_device_refuse(ret->number, "has a number that its plugin does not have");
	return set_file(ret, module);
}

static struct error *check_named(struct target *t, const struct omptarget_layout *layout, uint64_t address,
				 int32_t plugin_number, struct device *ret)
{
	const struct target_module *module = NULL;
	struct named start;
	struct error *err = target_read(t, address, &start, sizeof(start));

	if (!err)
		err = check_functions(t, layout, address + sizeof(start), ret, &module);
	if (err)
		return err;
	if (start.first_device < 0 || (unsigned)start.first_device > ret->number ||
	    plugin_number < (int64_t)ret->number - start.first_device || plugin_number >= DEVICES_MAX)
		return omptarget_device_refuse(ret->number, "has a number that its plugin does not have");
	return set_file(ret, module);
}

/* Set the kind to the name that @function returns, unless its code does more. */
static struct error *set_name(struct target *t, uint64_t function, struct device *ret)
{
	char name[DEVICES_MAX_KIND];
	uint64_t address;
	bool is_fixed;
	struct error *err = code_returns(t, function, &is_fixed, &address);

	if (err || !is_fixed)
		return err;
	err = target_read_string(t, address, name, sizeof(name));
	if (err)
		return err;
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (length && !name[length])
		memcpy(ret->kind, name, length + 1);
	return NULL;
}

/* An object starts with an address in the table of its class, and that table has addresses of functions. */
static struct error *check_built_in(struct target *t, uint64_t address, int32_t plugin_number, struct device *ret)
{
	uint64_t table[MIN_FUNCTIONS];
	struct built_in start;
	struct error *err = target_read(t, address, &start, sizeof(start));

	if (err)
		return err;
	const struct target_module *module = target_module_at(t, start.class);
	if (!module || strncmp(path_file_name(module->path), OMPTARGET_LIBRARY, strlen(OMPTARGET_LIBRARY)) != 0)
		return omptarget_device_refuse(ret->number, "names no plugin");
	err = target_read(t, start.class, table, sizeof(table));
	if (err)
		return err;
	for (size_t i = 0; i < MIN_FUNCTIONS; i++) {
		if (target_module_at(t, table[i]) != module)
			return omptarget_device_refuse(ret->number, "names no plugin");
	}
	if (start.is_initialised != 1 || plugin_number < 0 || plugin_number >= start.n_devices)
		return omptarget_device_refuse(ret->number, "has a number that its plugin does not have");
	ret->plugin = strdup(module->path);
	return ret->plugin ? set_name(t, table[NAME_FUNCTION], ret) : &error_nomem;
}

struct error *omptarget_plugin_check(struct target *t, const struct omptarget_layout *layout, uint64_t address,
				     int32_t plugin_number, struct device *ret)
{
	struct error *err;

	if (layout->plugin == OMPTARGET_PLUGIN_BUILT_IN)
		err = check_built_in(t, address, plugin_number, ret);
	else if (layout->plugin == OMPTARGET_PLUGIN_NAMED)
		err = check_named(t, layout, address, plugin_number, ret);
	else
		err = check_numbered(t, layout, address, plugin_number, ret);
	if (!err)
		ret->plugin_number = (unsigned)plugin_number;
	return err;
}
