/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the device images of libomptarget: a std::map from the host table of a program or library to the image that
 * each device has for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/vector.h"
#include "openmp/devices/devices_omptarget.h"
#include "openmp/devices/omptarget_layout.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* Start of a value: TranslationTable behind its key. */
struct translation {
	uint64_t key;
	uint64_t entries, entries_end;
};

/* __tgt_device_image */
struct image {
	uint64_t start, end;
	uint64_t entries, entries_end;
};

/* Part of __tgt_offload_entry, since LLVM 20 of llvm::offloading::EntryTy. A function has size 0. */
struct entry {
	uint64_t address, name, size;
	uint32_t flags;
	bool is_of_openmp;
};

/* The largest entry in bytes. */
#define MAX_ENTRY 56

/* Version and language of an entry. */
#define ENTRY_VERSION 1
#define ENTRY_OPENMP  1

#define FLAG_LINK 1
/* Entries for libomptarget: a function that is called by a pointer, a requirement, a table of such functions. */
#define FLAGS_INTERNAL 0x38
/* The others are constructors and destructors. */
#define ALL_FLAGS 0x3f

struct reading {
	const struct omptarget_layout *layout;
	struct devices *devices;
	size_t cap;
	size_t n_tables;
	uint64_t last; /* key */
};

static struct error *refuse_images(const char *why)
{
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot read the device images of libomptarget: %s", why);
}

static bool is_name(const char *name)
{
	const char *end = name;

	while (*end > ' ' && *end <= '~')
		end++;
	return end > name && !*end;
}

/* Return the function in @module that the host executes if no device can, or 0. */
static uint64_t find_function(struct target *t, const struct target_module *module, const char *name)
{
	struct target_symbol symbol;
	struct error *err = target_symbol(t, name, path_file_name(module->path), &symbol);

	if (!err && symbol.module == module && !symbol.is_tls)
		return symbol.address;
	error_destroy(err);
	return 0;
}

static struct error *read_entry(struct target *t, const struct omptarget_layout *layout, uint64_t address,
				struct entry *ret)
{
	uint8_t raw[MAX_ENTRY];
	uint16_t kind[2] = {ENTRY_VERSION, ENTRY_OPENMP};
	struct error *err = target_read(t, address, raw, layout->entry.bytes);

	if (err)
		return err;
	memcpy(ret, raw + layout->entry.address, 3 * sizeof(uint64_t));
	memcpy(&ret->flags, raw + layout->entry.flags, sizeof(ret->flags));
	if (layout->entry.kind)
		memcpy(kind, raw + layout->entry.kind, sizeof(kind));
	ret->is_of_openmp = kind[1] == ENTRY_OPENMP;
	if (kind[0] != ENTRY_VERSION || (ret->is_of_openmp && ret->flags & ~ALL_FLAGS))
		return refuse_images("an entry has an unknown kind");
	return NULL;
}

static struct error *add_entry(struct target *t, const struct omptarget_layout *layout,
			       const struct target_module *module, uint64_t address, struct device_image *ret)
{
	char name[DEVICES_MAX_ENTRY_NAME];
	struct entry entry = {0};
	struct error *err = read_entry(t, layout, address, &entry);

	if (err || !entry.is_of_openmp || entry.flags & FLAGS_INTERNAL)
		return err;
	if (target_module_at(t, entry.address) != module)
		return refuse_images("an entry refers to no function or variable");
	err = target_read_string(t, entry.name, name, sizeof(name));
	if (!err && !is_name(name))
		err = refuse_images("an entry has no name");
	if (err)
		return err;
	struct device_entry *one = &ret->entries[ret->n_entries];
	*one = (struct device_entry){entry.address, entry.size, entry.flags & FLAG_LINK, strdup(name), 0};
	if (!one->name)
		return &error_nomem;
	ret->n_entries++;
	if (!entry.size)
		one->function = find_function(t, module, name);
	return NULL;
}

static struct error *add_entries(struct target *t, const struct omptarget_layout *layout,
				 const struct target_module *module, const struct translation *table,
				 struct device_image *ret)
{
	size_t bytes = layout->entry.bytes, n = (table->entries_end - table->entries) / bytes;
	struct error *err = NULL;

	ret->is_cut = n > DEVICES_MAX_ENTRIES;
	if (ret->is_cut)
		n = DEVICES_MAX_ENTRIES;
	ret->entries = calloc(n + 1, sizeof(*ret->entries));
	if (!ret->entries)
		return &error_nomem;
	for (size_t i = 0; i < n && !err; i++)
		err = add_entry(t, layout, module, table->entries + i * bytes, ret);
	return err;
}

/* Add the image at @address, which device number @number is the first to use. */
static struct error *add_image(struct target *t, struct reading *k, const struct translation *table, uint64_t address,
			       size_t number)
{
	const struct target_module *of_table = target_module_at(t, table->entries), *module;
	struct devices *d = k->devices;
	struct image image;
	struct error *err = target_read(t, address, &image, sizeof(image));

	if (err)
		return err;
	module = target_module_at(t, image.start);
	if (image.entries != table->entries || image.entries_end != table->entries_end)
		return refuse_images("an image belongs to another table");
	if (image.start >= image.end || !module || (of_table && of_table != module))
		return refuse_images("an image is in no program or library");
	if (d->n_images == DEVICES_MAX_IMAGES || !VECTOR_GROW(d->images, d->n_images, k->cap))
		return d->n_images == DEVICES_MAX_IMAGES ? refuse_images("there are too many") : &error_nomem;
	struct device_image *one = &d->images[d->n_images++];
	*one = (struct device_image){.kind = d->list[number].kind, .address = image.start};
	one->module = strdup(module->path);
	return one->module ? add_entries(t, k->layout, module, table, one) : &error_nomem;
}

static struct error *add_table(struct target *t, const uint64_t *value, void *arg)
{
	uint64_t images[DEVICES_MAX]; /* by device; 0: no image for it */
	struct omptarget_list list;
	struct translation table;
	struct reading *k = arg;
	struct error *err;

	memcpy(&table, value, sizeof(table));
	const struct target_module *module = target_module_at(t, table.entries);
	if (table.key != table.entries || table.entries > table.entries_end ||
	    (table.entries_end - table.entries) % k->layout->entry.bytes)
		return refuse_images("a table has no valid size");
	/* Since LLVM 20, the table of a program of an older compiler is a copy on the heap. */
	if (module ? table.entries_end > module->end : !k->layout->entry.kind)
		return refuse_images("a table is in no program or library");
	if (!omptarget_list_decode(k->layout, value + k->layout->images / sizeof(*value), k->devices->n, &list))
		return refuse_images("a table has an impossible number of images");
	err = list.n ? target_read(t, list.first, images, list.n * sizeof(images[0])) : NULL;
	for (size_t i = 0; i < list.n && !err; i++) {
		/* All devices of a plugin use the same image. */
		if (images[i] && (!i || images[i] != images[i - 1]))
			err = add_image(t, k, &table, images[i], i);
	}
	return err;
}

/* Add the tables in their order: a tree whose order is wrong is no tree. */
static struct error *visit_table(struct target *t, const uint64_t *value, void *arg)
{
	struct reading *k = arg;

	if (k->n_tables++ && value[0] <= k->last)
		return refuse_images("its tables are not sorted");
	k->last = value[0];
	return add_table(t, value, arg);
}

struct error *omptarget_images_read(struct target *t, const struct omptarget_layout *layout, uint64_t address,
				    const struct omptarget_tree *tree, struct devices *ret)
{
	const struct omptarget_visitor visitor = {"the device images of libomptarget",
						  layout->images + 2 * sizeof(uint64_t), DEVICES_MAX_IMAGES,
						  visit_table};
	struct reading k = {.layout = layout, .devices = ret};
	bool is_cut = false;
	struct error *err = omptarget_tree_walk(t, address, tree, &visitor, &k, &is_cut);

	if (!err && is_cut)
		err = refuse_images("there are too many");
	ret->has_images = !err;
	return err;
}
