/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of libomptarget by release of LLVM. Each release exports functions that the one before it does not have. */
#include "openmp/devices/omptarget_layout.h"

#include <stdio.h>

#include "openmp/runtimes/runtime_symbol.h"

static const struct omptarget_layout layouts[] = {
	{
		.first = 14,
		.last = 14,
		.plugin = OMPTARGET_PLUGIN_NUMBERED,
		.manager = {.plugins = 24, .devices = 64, .images = 128},
		.device = {.state = 20, .maps = 32, .lock = 176},
		.object = {.device_address = 32, .counts = 40},
		.images = 24,
		.entry = {.bytes = 32, .flags = 24},
	},
	{
		.first = 15,
		.last = 15,
		.plugin = OMPTARGET_PLUGIN_NUMBERED,
		.manager = {.plugins = 24, .devices = 88, .images = 152},
		.device = {.state = 20, .maps = 32, .lock = 80},
		.object = {.is_apart = true, .device_address = 32, .counts = 40},
		.images = 24,
		.entry = {.bytes = 32, .flags = 24},
	},
	{
		.first = 16,
		.last = 16,
		.is_small = true,
		.plugin = OMPTARGET_PLUGIN_NUMBERED,
		.manager = {.plugins = 24, .devices = 120, .images = 224},
		.device = {.state = 20, .maps = 32, .lock = 80},
		.object = {.is_apart = true, .device_address = 32, .counts = 40},
		.images = 24,
		.entry = {.bytes = 32, .flags = 24},
	},
	{
		.first = 17,
		.last = 17,
		.is_small = true,
		.plugin = OMPTARGET_PLUGIN_NUMBERED,
		.manager = {.plugins = 24, .devices = 120, .images = 224},
		.device = {.state = 20, .maps = 32, .lock = 80},
		.object = {.is_apart = true, .device_address = 40, .counts = 48},
		.images = 24,
		.entry = {.bytes = 32, .flags = 24},
	},
	{
		.first = 18,
		.last = 18,
		.is_small = true,
		.plugin = OMPTARGET_PLUGIN_NAMED,
		.manager = {.plugins = 312, .devices = 488, .images = 0},
		.device = {.maps = 176, .lock = 224},
		.object = {.is_apart = true, .device_address = 40, .counts = 48},
		.images = 88,
		.entry = {.bytes = 32, .flags = 24},
	},
	{
		.first = 19,
		.last = 19,
		.is_small = true,
		.plugin = OMPTARGET_PLUGIN_BUILT_IN,
		.manager = {.plugins = 312, .devices = 536, .images = 0},
		.device = {.maps = 88, .lock = 136},
		.object = {.is_apart = true, .device_address = 40, .counts = 48},
		.images = 88,
		.entry = {.bytes = 32, .flags = 24},
	},
	{
		.first = 20,
		.last = 21,
		.is_small = true,
		.plugin = OMPTARGET_PLUGIN_BUILT_IN,
		.manager = {.plugins = 312, .devices = 536, .images = 0},
		.device = {.maps = 88, .lock = 136},
		.object = {.is_apart = true, .device_address = 40, .counts = 48},
		.images = 88,
		.entry = {.bytes = 56, .address = 16, .flags = 12, .kind = 8},
	},
	{
		.first = 22,
		.last = 23,
		.is_small = true,
		.plugin = OMPTARGET_PLUGIN_BUILT_IN,
		.manager = {.plugins = 416, .devices = 640, .images = 0},
		.device = {.maps = 88, .lock = 136},
		.object = {.is_apart = true, .device_address = 40, .counts = 48},
		.images = 88,
		.entry = {.bytes = 56, .address = 16, .flags = 12, .kind = 8},
	},
};

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* A function that a release of LLVM added to the library, by release. No later one removed it. */
static const struct added {
	unsigned release;
	const char *function;
} added[] = {
	{14, "__tgt_interop_init"},	 {15, "__tgt_target_kernel"},	  {16, "omp_get_mapped_ptr"},
	{17, "omp_target_memcpy_async"}, {18, "omp_target_memset"},	  {19, "ompx_dump_mapping_tables"},
	{20, "llvmLaunchKernel"},	 {22, "omp_get_uid_from_device"}, {23, "omp_get_gprivate_limit"},
};

#define N_ADDED (sizeof(added) / sizeof(added[0]))

/* Return the number of entries of added[] that the library exports; 0: they are not those of a release. */
static size_t count_added(struct target *t)
{
	size_t n = 0, n_all = 0;
	uint64_t address;

	for (size_t i = 0; i < N_ADDED; i++) {
		if (!runtime_symbol(t, added[i].function, OMPTARGET_LIBRARY, &address))
			continue;
		n_all++;
		if (n == i)
			n++;
	}
	return n == n_all ? n : 0;
}

/* Write the releases that export the first @n of added[]. */
static void name_releases(size_t n, char ret[OMPTARGET_MAX_RELEASE])
{
	unsigned first = n ? added[n - 1].release : 0, next = n && n < N_ADDED ? added[n].release : 0;

	if (!n)
		snprintf(ret, OMPTARGET_MAX_RELEASE, "an unknown release");
	else if (!next)
		snprintf(ret, OMPTARGET_MAX_RELEASE, "LLVM %u or newer", first);
	else if (next - first > 1)
		snprintf(ret, OMPTARGET_MAX_RELEASE, "LLVM %u or %u", first, next - 1);
	else
		snprintf(ret, OMPTARGET_MAX_RELEASE, "LLVM %u", first);
}

const struct omptarget_layout *omptarget_layout_of(unsigned release)
{
	for (size_t i = 0; i < N_LAYOUTS; i++) {
		if (layouts[i].first <= release && release <= layouts[i].last)
			return &layouts[i];
	}
	return NULL;
}

struct error *omptarget_layout_refuse(const char *release, const char *why)
{
	return error_hint(
		error_create(ERR_UNKNOWN_LAYOUT, "cannot read the devices of libomptarget of %s: %s", release, why),
		"a run with LIBOMPTARGET_INFO=-1 prints them; `ompdctl why` needs no tables");
}

struct error *omptarget_layout_find(struct target *t, char release[OMPTARGET_MAX_RELEASE],
				    const struct omptarget_layout **ret)
{
	size_t n = count_added(t);
	const struct omptarget_layout *found = n ? omptarget_layout_of(added[n - 1].release) : NULL;
	char why[64];

	name_releases(n, release);
	if (found) {
		*ret = found;
		return NULL;
	}
	snprintf(why, sizeof(why), "the tables of LLVM %u to %u are known", layouts[0].first,
		 layouts[N_LAYOUTS - 1].last);
	return omptarget_layout_refuse(release, why);
}

bool omptarget_list_decode(const struct omptarget_layout *layout, const uint64_t words[2], size_t max,
			   struct omptarget_list *ret)
{
	uint64_t n = (words[1] - words[0]) / sizeof(uint64_t), n_max = words[1] >> 32;

	if (layout->is_small)
		n = (uint32_t)words[1];
	else if (words[1] < words[0] || (words[1] - words[0]) % sizeof(uint64_t))
		return false;
	if ((layout->is_small && n > n_max) || n > max)
		return false;
	*ret = (struct omptarget_list){words[0], n};
	return true;
}
