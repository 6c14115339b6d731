/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the images that a program has registered with libgomp. Each comes with tables of the host's functions and
 * variables, which the compiler has put into the program.
 */
#include <stdlib.h>
#include <string.h>

#include "openmp/devices/devices_gomp.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* struct offload_image_descr */
struct image {
	uint32_t version, type;
	uint64_t table, data;
};

/* Start and end of the functions' addresses, and of the variables' addresses and sizes. */
struct table {
	uint64_t functions, functions_end, variables, variables_end;
};

#define LINK_BIT ((uint64_t)1 << 63)

static struct error *refuse_image(size_t number, const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read the device images: the tables of image %zu %s", number,
			    why);
}

static bool is_range(uint64_t start, uint64_t end, size_t size)
{
	return start <= end && (end - start) % size == 0;
}

/* Append up to DEVICES_MAX_ENTRIES entries from @start to @end, each of @n words. */
static struct error *add_entries(struct target *t, uint64_t start, uint64_t end, size_t n, struct device_image *ret)
{
	for (uint64_t at = start; at < end; at += n * sizeof(uint64_t)) {
		struct device_entry *entry = &ret->entries[ret->n_entries];
		uint64_t words[2] = {0};

		if (ret->n_entries == DEVICES_MAX_ENTRIES) {
			ret->is_cut = true;
			return NULL;
		}
		struct error *err = target_read(t, at, words, n * sizeof(words[0]));
		if (err)
			return err;
		*entry = (struct device_entry){words[0], words[1] & ~LINK_BIT, words[1] & LINK_BIT, NULL,
					       n == 1 ? words[0] : 0};
		ret->n_entries++;
	}
	return NULL;
}

/* The tables of a file are proven by their entries: all are in files, functions and variables in the same one. */
static struct error *check_entries(struct target *t, size_t number, struct device_image *image)
{
	const struct target_module *module = NULL;

	for (size_t i = 0; i < image->n_entries; i++) {
		const struct target_module *one = target_module_at(t, image->entries[i].address);

		if (!one || (module && one->start != module->start))
			return refuse_image(number, "refer to no function or variable");
		module = one;
	}
	if (module && !(image->module = strdup(module->path)))
		return &error_nomem;
	return NULL;
}

static struct error *read_image(struct target *t, size_t number, uint64_t address, struct device_image *ret)
{
	struct image image;
	struct table table;
	struct error *err = target_read(t, address, &image, sizeof(image));

	if (!err)
		err = target_read(t, image.table, &table, sizeof(table));
	if (err)
		return err;
	if (!is_range(table.functions, table.functions_end, sizeof(uint64_t)) ||
	    !is_range(table.variables, table.variables_end, 2 * sizeof(uint64_t)))
		return refuse_image(number, "have no valid size");
	ret->kind = gomp_devices_kind(image.type);
	ret->address = image.data;
	size_t n = (table.functions_end - table.functions) / sizeof(uint64_t) +
		   (table.variables_end - table.variables) / (2 * sizeof(uint64_t));
	ret->entries = calloc((n < DEVICES_MAX_ENTRIES ? n : DEVICES_MAX_ENTRIES) + 1, sizeof(*ret->entries));
	if (!ret->entries)
		return &error_nomem;
	err = add_entries(t, table.functions, table.functions_end, 1, ret);
	if (!err)
		err = add_entries(t, table.variables, table.variables_end, 2, ret);
	return err ? err : check_entries(t, number, ret);
}

struct error *gomp_images_read(struct target *t, const struct gomp_devices_variables *variables, struct devices *ret)
{
	uint64_t array;
	uint32_t n;

	if (!variables->images || !variables->n_images)
		return error_create(ERR_UNKNOWN_LAYOUT,
				    "cannot read the device images: libgomp's code shows no such variables");
	struct error *err = target_read(t, variables->images, &array, sizeof(array));
	if (!err)
		err = target_read(t, variables->n_images, &n, sizeof(n));
	if (err)
		return err;
	if (n > DEVICES_MAX_IMAGES)
		return error_create(ERR_UNKNOWN_LAYOUT, "cannot read the device images: their number is %u", n);
	ret->images = calloc(n + 1, sizeof(*ret->images));
	if (!ret->images)
		return &error_nomem;
	for (uint32_t i = 0; i < n && !err; i++) {
		ret->n_images++;
		err = read_image(t, i, array + i * sizeof(struct image), &ret->images[i]);
	}
	ret->has_images = !err;
	return err;
}
