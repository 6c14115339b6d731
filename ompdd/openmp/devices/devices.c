/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the devices of a runtime, each kind of runtime in its own way. */
#include "openmp/devices/devices.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/devices/devices_gomp.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "target/arch/arch.h"

struct device_name *devices_create_name(const char *variable, const char *function, const char *file, int line)
{
	struct device_name *name = calloc(1, sizeof(*name));

	if (!name)
		return NULL;
	name->variable = strdup(variable);
	name->function = function ? strdup(function) : NULL;
	name->file = file ? strdup(file) : NULL;
	name->line = line;
	if (name->variable && (name->function || !function) && (name->file || !file))
		return name;
	devices_destroy_name(name);
	return NULL;
}

void devices_destroy_name(struct device_name *name)
{
	if (!name)
		return;
	free(name->variable);
	free(name->function);
	free(name->file);
	free(name);
}

static void device_deinit(struct device *device)
{
	free(device->plugin);
	for (size_t i = 0; i < device->n_maps; i++)
		devices_destroy_name(device->maps[i].name);
	free(device->maps);
	error_destroy(device->maps_why);
}

void devices_drop_last(struct devices *d)
{
	device_deinit(&d->list[--d->n]);
}

void devices_deinit(struct devices *d)
{
	while (d->n)
		devices_drop_last(d);
	free(d->list);
	error_destroy(d->why);
	for (size_t i = 0; i < d->n_images; i++) {
		free(d->images[i].module);
		for (size_t k = 0; k < d->images[i].n_entries; k++)
			free(d->images[i].entries[k].name);
		free(d->images[i].entries);
	}
	free(d->images);
	error_destroy(d->images_why);
	*d = (struct devices){0};
}

bool devices_is_of_host(const struct device *device)
{
	return strcmp(device->kind, arch->uname) == 0;
}

struct error *devices_or_reason(struct error *err TAKES, struct error **why_ret)
{
	if (!error_is(err, ERR_UNKNOWN_LAYOUT) && !error_is(err, ERR_MEMORY_UNREADABLE) &&
	    !error_is(err, ERR_SYMBOL_NOT_FOUND) && !error_is(err, ERR_CORE_FILE_MISSING) &&
	    !error_is(err, ERR_CORE_FILE_MISMATCH))
		return err;
	*why_ret = err;
	return NULL;
}

struct error *devices_read(struct target *t, const struct runtime *r, struct devices *ret)
{
	switch (r->descriptor->devices) {
	case DEVICES_GOMP:
		return gomp_devices_read(t, r, ret);
	case DEVICES_NONE:
		ret->has_images = true;
		return NULL;
	case DEVICES_OMPTARGET:
		if (offload_is_present(t))
			return omptarget_devices_read(t, r, ret);
		/* Without that library, the runtime has no devices. */
		ret->has_images = true;
		return NULL;
	case DEVICES_UNKNOWN:
	default:
		ret->why =
			error_hint(error_create(ERR_UNKNOWN_LAYOUT,
						"cannot read the devices of %s: the layout of its tables is not known",
						r->descriptor->name),
				   "libgomp is known");
		return NULL;
	}
}
