/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The devices of stock libgomp: its variables, the layouts of its releases, and its tables. */
#ifndef OMPDD_OPENMP_DEVICES_GOMP_H
#define OMPDD_OPENMP_DEVICES_GOMP_H

#include "openmp/devices/devices.h"

/*
 * The layout of one release (struct gomp_device_descr and struct target_mem_desc). The record of a device has a pointer
 * to each function of its plugin, in a fixed order, and the map table behind them.
 */
struct gomp_devices_layout {
	const char *probe;	      /* a function that this release was the first to export */
	const char *const *functions; /* without their prefix "GOMP_OFFLOAD_"; ends with NULL */
	uint16_t capabilities, plugin_number, type, first_function, size;
	bool has_reverse; /* there is a second table, by device address */
	bool has_special; /* special counts are the last eight numbers, and members of a struct may share one */
};

/* The largest record of a device in bytes. */
#define GOMP_DEVICES_MAX_RECORD 512

/* Returns the layout of @r by the functions that it exports, or NULL. */
const struct gomp_devices_layout *gomp_devices_layout(struct target *t, const struct runtime *r);

/* Addresses of libgomp's variables. */
struct gomp_devices_variables {
	uint64_t devices, n_devices;
	uint64_t images, n_images;
};

/*
 * Finds the variables in the code of GOMP_offload_register_ver() and GOMP_offload_unregister_ver(). Both use all of
 * them. ERR_UNKNOWN_LAYOUT: the code shows no such variable, or several.
 */
MUST_USE struct error *gomp_devices_find(struct target *t, const struct runtime *r, struct gomp_devices_variables *ret);

/*
 * Reads the map table whose root is at @root, of the device whose record is at @device. ERR_UNKNOWN_LAYOUT: it is not
 * sorted, or refers to another device. Errors of target_read().
 */
MUST_USE struct error *gomp_maps_read(struct target *t, const struct gomp_devices_layout *layout, uint64_t root,
				      uint64_t device, struct device *ret);

/* Reads the images that @variables lead to, into @ret. ERR_UNKNOWN_LAYOUT: a table refers to no code or data. */
MUST_USE struct error *gomp_images_read(struct target *t, const struct gomp_devices_variables *variables,
					struct devices *ret);

/* Returns libgomp's name of a kind of device, or NULL. */
const char *gomp_devices_kind(uint32_t type);

MUST_USE struct error *gomp_devices_read(struct target *t, const struct runtime *r, struct devices *ret);

#endif
