/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A short list: all processes together have some dozens of files. */
#include "target/elf/symbols_shared.h"

#include <stdlib.h>
#include <string.h>

#define BUILD_ID_SIZE 41

struct file {
	struct symbols_file key; /* its build_id is the next field */
	char build_id[BUILD_ID_SIZE];
	struct symbols *symbols[SYMBOLS_EXTENTS]; /* NULL: unknown */
	bool has_compiler;
	char *compiler;
};

static struct file *files;
static size_t n_files;

static struct file *find_file(const struct symbols_file *key)
{
	for (size_t i = 0; i < n_files; i++) {
		const struct symbols_file *k = &files[i].key;

		if (k->inode == key->inode && k->dev_major == key->dev_major && k->dev_minor == key->dev_minor &&
		    k->root_inode == key->root_inode && k->root_dev == key->root_dev &&
		    !strcmp(files[i].build_id, key->build_id))
			return &files[i];
	}
	return NULL;
}

static struct file *need_file(const struct symbols_file *key)
{
	struct file *file = find_file(key);

	if (file || !files || n_files == SYMBOLS_SHARED_MAX || !*key->build_id || !key->inode ||
	    strlen(key->build_id) >= BUILD_ID_SIZE)
		return file;
	file = &files[n_files++];
	*file = (struct file){.key = *key};
	memcpy(file->build_id, key->build_id, strlen(key->build_id) + 1);
	file->key.build_id = NULL;
	return file;
}

void symbols_shared_begin(void)
{
	symbols_shared_end();
	/* When memory is exhausted, nothing is shared. */
	files = calloc(SYMBOLS_SHARED_MAX, sizeof(*files));
}

void symbols_shared_end(void)
{
	for (size_t i = 0; i < n_files; i++) {
		for (int extent = 0; extent < SYMBOLS_EXTENTS; extent++)
			symbols_destroy(files[i].symbols[extent]);
		free(files[i].compiler);
	}
	free(files);
	files = NULL;
	n_files = 0;
}

struct symbols *symbols_shared_find(const struct symbols_file *file, enum symbols_extent extent)
{
	const struct file *found = find_file(file);

	return found && found->symbols[extent] ? symbols_ref(found->symbols[extent]) : NULL;
}

void symbols_shared_add(const struct symbols_file *file, enum symbols_extent extent, struct symbols *symbols)
{
	struct file *to = need_file(file);

	if (to && !to->symbols[extent])
		to->symbols[extent] = symbols_ref(symbols);
}

bool symbols_shared_find_compiler(const struct symbols_file *file, char **ret)
{
	const struct file *found = find_file(file);

	if (!found || !found->has_compiler)
		return false;
	*ret = found->compiler ? strdup(found->compiler) : NULL;
	return true;
}

void symbols_shared_add_compiler(const struct symbols_file *file, const char *compiler)
{
	struct file *to = need_file(file);

	if (!to || to->has_compiler)
		return;
	to->compiler = compiler ? strdup(compiler) : NULL;
	to->has_compiler = true;
}
