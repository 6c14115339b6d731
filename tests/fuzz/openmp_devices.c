/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * openmp/devices: map tables and images of a hostile libgomp and a hostile libomptarget. The first byte of the input
 * chooses the layout, the rest is the memory of the process. Its first word is the root of the map table, the next two
 * are the array of images and their number. The trees of libomptarget start with the first word, and so does a plugin.
 */
#include <stdlib.h>
#include <string.h>

#include "fake_target.h"
#include "fuzz.h"
#include "openmp/devices/devices_gomp.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"

#define BASE	 0x10000
#define MAX_SIZE 8192
/* Releases of LLVM, from 14 on. */
#define N_RELEASES 10

static void check_maps(struct device *device)
{
	uint64_t last = 0;

	FUZZ_ASSERT(device->n_maps <= DEVICES_MAX_MAPS);
	for (size_t i = 0; i < device->n_maps; i++) {
		FUZZ_ASSERT(device->maps[i].host >= last);
		last = device->maps[i].host + device->maps[i].size;
	}
	free(device->maps);
}

static void read_maps(struct target *t, const struct gomp_devices_layout *layout, uint64_t root)
{
	struct device device = {0};

	error_destroy(gomp_maps_read(t, layout, root, BASE, &device));
	check_maps(&device);
}

static void read_tree(struct target *t, const struct omptarget_layout *layout, const uint8_t *memory)
{
	struct omptarget_tree tree;
	struct device device = {0};

	memcpy(&tree, memory, sizeof(tree));
	error_destroy(omptarget_maps_read(t, layout, BASE, &tree, &device));
	check_maps(&device);
}

static void read_tree_images(struct target *t, const struct omptarget_layout *layout, const uint8_t *memory)
{
	struct omptarget_tree tree;
	struct devices devices = {.list = calloc(2, sizeof(*devices.list)), .n = 2};

	FUZZ_ASSERT(devices.list);
	memcpy(&tree, memory, sizeof(tree));
	error_destroy(omptarget_images_read(t, layout, BASE, &tree, &devices));
	FUZZ_ASSERT(devices.n_images <= DEVICES_MAX_IMAGES);
	for (size_t i = 0; i < devices.n_images; i++) {
		FUZZ_ASSERT(devices.images[i].n_entries <= DEVICES_MAX_ENTRIES);
		for (size_t k = 0; k < devices.images[i].n_entries; k++)
			FUZZ_ASSERT(devices.images[i].entries[k].name);
	}
	devices_deinit(&devices);
}

static void read_plugin(struct target *t, const struct omptarget_layout *layout)
{
	struct devices devices = {.list = calloc(1, sizeof(*devices.list)), .n = 1};

	FUZZ_ASSERT(devices.list);
	struct error *err = omptarget_plugin_check(t, layout, BASE, 0, devices.list);
	FUZZ_ASSERT(err || devices.list->plugin);
	error_destroy(err);
	devices_deinit(&devices);
}

static void read_images(struct target *t)
{
	const struct gomp_devices_variables variables = {.images = BASE + 8, .n_images = BASE + 16};
	struct devices devices = {0};

	error_destroy(gomp_images_read(t, &variables, &devices));
	FUZZ_ASSERT(devices.n_images <= DEVICES_MAX_IMAGES);
	for (size_t i = 0; i < devices.n_images; i++)
		FUZZ_ASSERT(devices.images[i].n_entries <= DEVICES_MAX_ENTRIES);
	devices_deinit(&devices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t memory[MAX_SIZE];
	uint64_t root;

	if (!size || size > MAX_SIZE)
		return 0;
	const struct gomp_devices_layout layout = {.has_reverse = data[0] & 1, .has_special = data[0] & 2};

	const struct omptarget_layout *omptarget = omptarget_layout_of(14 + data[0] / 4 % N_RELEASES);

	FUZZ_ASSERT(omptarget);
	memset(memory, 0, sizeof(memory));
	memcpy(memory, data + 1, size - 1);
	memcpy(&root, memory, sizeof(root));
	struct target *t = fake_target_create(TARGET_STOP);

	fake_target_map(t, BASE, memory, sizeof(memory));
	fake_target_add_module(t, "/fake/libomptarget.so", BASE, BASE + sizeof(memory), NULL, NULL);
	target_view_begin(t);
	read_maps(t, &layout, root);
	read_tree(t, omptarget, memory);
	read_tree_images(t, omptarget, memory);
	read_plugin(t, omptarget);
	read_images(t);
	target_destroy(t);
	return 0;
}
