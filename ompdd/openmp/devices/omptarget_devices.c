/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the devices of LLVM's libomptarget. Its code shows where its manager of plugins is. The record of a device
 * names its own number, and a plugin that is proven.
 */
#include <stdlib.h>

#include "openmp/devices/code_uses.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* libomptarget tries ten files. */
#define MAX_PLUGINS 64

#define NO_VARIABLE "its code shows no variable that leads to them"

/* The parts of the manager that are read, and its address. */
struct manager {
	const struct omptarget_layout *layout;
	char release[OMPTARGET_MAX_RELEASE];
	uint64_t address;
	struct omptarget_list devices;
	uint64_t plugins[MAX_PLUGINS]; /* that have a device, or are part of the library */
	size_t n_plugins;
};

/* Start of struct DeviceTy. */
struct record {
	int32_t number;
	uint64_t plugin;
	int32_t plugin_number;
};

/* Return the only variable of 8 bytes that @u loads, or 0. */
static uint64_t find_variable(const struct code_uses *u)
{
	uint64_t found = 0;

	for (size_t i = 0; i < u->n; i++) {
		if (u->list[i].size != sizeof(found) || !u->list[i].is_loaded || u->list[i].is_written)
			continue;
		if (found)
			return 0;
		found = u->list[i].address;
	}
	return found;
}

/* Return whether @u reads the number of devices from a manager. */
static bool counts_devices(const struct omptarget_layout *layout, const struct code_uses *u)
{
	int64_t devices = (int64_t)layout->manager.devices;

	if (layout->is_small)
		return code_uses_member(u, devices + 8, 4);
	return code_uses_member(u, devices, 8) && code_uses_member(u, devices + 8, 8);
}

/*
 * Find the variable that leads to the manager. omp_get_num_devices() uses nothing else. omp_get_initial_device()
 * returns the same number: it uses the same variable, or calls that function.
 */
static struct error *find_manager(struct target *t, const struct manager *m, uint64_t *ret)
{
	struct code_uses first, second;
	struct error *err = code_uses_read(t, "omp_get_num_devices", OMPTARGET_LIBRARY, &first);

	if (!err)
		err = code_uses_read(t, "omp_get_initial_device", OMPTARGET_LIBRARY, &second);
	if (err)
		return err;
	uint64_t found = counts_devices(m->layout, &first) ? find_variable(&first) : 0;
	if (!found || (counts_devices(m->layout, &second) && find_variable(&second) != found))
		return omptarget_layout_refuse(m->release, NO_VARIABLE);
	*ret = found;
	return NULL;
}

static bool is_in(const uint64_t *list, size_t n, uint64_t value)
{
	while (n && list[n - 1] != value)
		n--;
	return n != 0;
}

static struct error *read_state(struct target *t, const struct omptarget_layout *layout, struct device *ret)
{
	uint8_t is_initialised = 1;
	int32_t lock;
	struct error *err = target_read(t, ret->address + layout->device.lock, &lock, sizeof(lock));

	if (!err && layout->device.state)
		err = target_read(t, ret->address + layout->device.state, &is_initialised, sizeof(is_initialised));
	if (err)
		return err;
	if (is_initialised > 1)
		return omptarget_device_refuse(ret->number, "has an unknown state");
	ret->state = is_initialised ? DEVICE_INITIALISED : DEVICE_UNINITIALISED;
	ret->is_locked = lock != 0;
	ret->is_of_openmp = true;
	return NULL;
}

static struct error *read_maps(struct target *t, const struct omptarget_layout *layout, struct device *ret)
{
	uint64_t address = ret->address + layout->device.maps;
	struct omptarget_tree maps;
	struct error *err = target_read(t, address, &maps, sizeof(maps));

	return err ? err : omptarget_maps_read(t, layout, address, &maps, ret);
}

static struct error *read_device(struct target *t, const struct manager *m, uint64_t address, struct device *ret)
{
	struct record record;
	struct error *err = target_read(t, address, &record, sizeof(record));

	if (err)
		return err;
	ret->address = address;
	if (record.number != (int32_t)ret->number)
		return omptarget_device_refuse(ret->number, "has another number");
	if (!is_in(m->plugins, m->n_plugins, record.plugin))
		return omptarget_device_refuse(ret->number, "names no plugin");
	err = omptarget_plugin_check(t, m->layout, record.plugin, record.plugin_number, ret);
	if (!err)
		err = read_state(t, m->layout, ret);
	return err ? err : devices_or_reason(read_maps(t, m->layout, ret), &ret->maps_why);
}

static struct error *read_list(struct target *t, const struct manager *m, struct devices *ret)
{
	uint64_t addresses[DEVICES_MAX];
	size_t n = m->devices.n;
	struct error *err = n ? target_read(t, m->devices.first, addresses, n * sizeof(addresses[0])) : NULL;

	if (err)
		return err;
	ret->list = calloc(n + 1, sizeof(*ret->list));
	if (!ret->list)
		return &error_nomem;
	for (size_t i = 0; i < n && !err; i++) {
		struct device *device = &ret->list[ret->n++];

		device->number = (unsigned)i;
		err = read_device(t, m, addresses[i], device);
	}
	return err;
}

/* Read the lists of the manager at m->address. */
static struct error *read_lists(struct target *t, struct manager *m)
{
	const struct omptarget_layout *layout = m->layout;
	uint64_t devices[2], plugins[2];
	struct omptarget_list list;
	struct error *err = target_read(t, m->address + layout->manager.devices, devices, sizeof(devices));

	if (!err)
		err = target_read(t, m->address + layout->manager.plugins, plugins, sizeof(plugins));
	if (err)
		return err;
	if (!omptarget_list_decode(layout, devices, DEVICES_MAX, &m->devices) ||
	    !omptarget_list_decode(layout, plugins, MAX_PLUGINS, &list))
		return omptarget_layout_refuse(m->release, "its lists have no valid size");
	m->n_plugins = list.n;
	return list.n ? target_read(t, list.first, m->plugins, list.n * sizeof(m->plugins[0])) : NULL;
}

static struct error *read_images(struct target *t, const struct manager *m, struct devices *ret)
{
	uint64_t address = m->address + m->layout->manager.images;
	struct omptarget_tree images;
	struct error *err = target_read(t, address, &images, sizeof(images));

	return err ? err : omptarget_images_read(t, m->layout, address, &images, ret);
}

static struct error *read_manager(struct target *t, struct devices *ret)
{
	struct manager m = {0};
	uint64_t variable = 0;

	/* libomp has functions of the same names. */
	target_prefer_module(t, 0);
	struct error *err = omptarget_layout_find(t, m.release, &m.layout);
	if (!err)
		err = find_manager(t, &m, &variable);
	if (!err)
		err = target_read(t, variable, &m.address, sizeof(m.address));
	/* Some code reads the variable's address from a table of the linker first. */
	if (!err && target_module_at(t, m.address))
		err = target_read(t, m.address, &m.address, sizeof(m.address));
	/* The library's constructor creates the manager, on the heap. */
	ret->has_images = !err && !m.address;
	if (err || !m.address)
		return err;
	if (target_module_at(t, m.address))
		return omptarget_layout_refuse(m.release, NO_VARIABLE);
	err = read_lists(t, &m);
	if (!err)
		err = read_list(t, &m, ret);
	return err ? err : devices_or_reason(read_images(t, &m, ret), &ret->images_why);
}

struct error *omptarget_devices_read(struct target *t, const struct runtime *r, struct devices *ret)
{
	struct error *err = devices_or_reason(read_manager(t, ret), &ret->why);

	target_prefer_module(t, r->start);
	return err;
}
