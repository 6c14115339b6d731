/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows the list of the dynamic linker in the target's memory. */
#include "modules.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MODULES 1024
#define MAX_PATH    4096

struct module {
	char *path;
	uint64_t bias;
	uint64_t map; /* struct link_map in the target */
	struct symbols symbols;
};

static struct module modules[MAX_MODULES];
static size_t n_modules;
/* From libc's descriptors for debuggers. */
static uint64_t tls_offset_at; /* of l_tls_offset in struct link_map; 0: unknown */
static uint64_t sizeof_pthread;

/* Return the address at which the dynamic linker is loaded. */
static uint64_t find_linker(const struct target *target)
{
	char path[64];
	Elf64_auxv_t entry = {0};
	uint64_t found = 0;

	snprintf(path, sizeof(path), "/proc/%d/auxv", target->pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	while (file >= 0 && read(file, &entry, sizeof(entry)) == sizeof(entry) && entry.a_type != AT_NULL) {
		if (entry.a_type == AT_BASE)
			found = entry.a_un.a_val;
	}
	if (file >= 0)
		close(file);
	if (!found)
		target_fail("process %d has no dynamic linker: static programs are not supported", target->pid);
	return found;
}

/* Return the file that is mapped at @address. */
static bool find_file(const struct target *target, uint64_t address, char *ret, size_t size)
{
	char path[64], line[MAX_PATH + 128];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", target->pid);
	FILE *maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		char *slash = strchr(line, '/');

		if (!slash || strtoull(line, NULL, 16) != address)
			continue;
		slash[strcspn(slash, "\n")] = '\0';
		found = snprintf(ret, size, "%s", slash) < (int)size;
	}
	if (maps)
		fclose(maps);
	return found;
}

static bool read_path(const struct target *target, uint64_t address, char *ret, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!target_read(target, address + i, &ret[i], 1))
			return false;
		if (!ret[i])
			return true;
	}
	return false;
}

static void add_module(const struct target *target, uint64_t map)
{
	struct link_map entry;
	char path[MAX_PATH];
	struct module *module = &modules[n_modules];

	if (!target_read(target, map, &entry, sizeof(entry)) ||
	    !read_path(target, (uintptr_t)entry.l_name, path, sizeof(path)))
		return;
	if (!path[0])
		snprintf(path, sizeof(path), "/proc/%d/exe", target->pid);
	*module = (struct module){strdup(path), entry.l_addr, map, {0}};
	if (module->path && symbols_read(path, &module->symbols))
		n_modules++;
	else
		free(module->path); /* the kernel's module has no file */
}

/* Read @word of libc's descriptor @name. 0: libc does not have it. */
static uint32_t read_descriptor(const struct target *target, const char *name, unsigned word)
{
	uint64_t address;
	uint32_t value;
	bool is_tls;

	return modules_find(target, name, NULL, NULL, &address, &is_tls) &&
			       target_read(target, address + word * sizeof(value), &value, sizeof(value))
		       ? value
		       : 0;
}

void modules_read(const struct target *target)
{
	uint64_t linker = find_linker(target);
	struct symbols symbols;
	struct r_debug debug;
	char path[MAX_PATH];

	if (!find_file(target, linker, path, sizeof(path)) || !symbols_read(path, &symbols))
		target_fail("cannot read the dynamic linker of process %d", target->pid);
	const struct symbol *list = symbols_find(&symbols, "_r_debug");

	if (!list || !target_read(target, linker + list->value, &debug, sizeof(debug)))
		target_fail("cannot read the modules of process %d: %s has no _r_debug", target->pid, path);
	symbols_deinit(&symbols);
	for (uint64_t map = (uintptr_t)debug.r_map; map && n_modules < MAX_MODULES;) {
		struct link_map entry;

		add_module(target, map);
		if (!target_read(target, map, &entry, sizeof(entry)))
			break;
		map = (uintptr_t)entry.l_next;
	}
	/* {bits, elements, offset} */
	tls_offset_at = read_descriptor(target, "_thread_db_link_map_l_tls_offset", 2);
	sizeof_pthread = read_descriptor(target, "_thread_db_sizeof_pthread", 0);
}

/* Return whether the module at @path is meant by @file. */
static bool is_named(const char *path, const char *file)
{
	const char *last = strrchr(path, '/'), *wanted = strrchr(file, '/');

	return strcmp(path, file) == 0 || strcmp(last ? last + 1 : path, wanted ? wanted + 1 : file) == 0;
}

/* Return the address of a thread-local symbol: the module's block is part of the thread's static block. */
static bool find_local(const struct target *target, const struct module *module, const struct symbol *symbol,
		       const struct target_thread *thread, uint64_t *ret)
{
	uint64_t offset;

	if (!thread || !tls_offset_at || !target_read(target, module->map + tls_offset_at, &offset, sizeof(offset)))
		return false;
#ifdef __x86_64__
	*ret = thread->pointer - offset + symbol->value;
#else
	*ret = thread->pointer + offset + symbol->value;
#endif
	return true;
}

bool modules_find(const struct target *target, const char *name, const char *file, const struct target_thread *thread,
		  uint64_t *ret, bool *is_tls)
{
	for (size_t i = 0; i < n_modules; i++) {
		const struct module *module = &modules[i];
		const struct symbol *symbol;

		if (file && !is_named(module->path, file))
			continue;
		symbol = symbols_find(&module->symbols, name);
		if (!symbol)
			continue;
		*is_tls = symbol->is_tls;
		if (symbol->is_tls)
			return find_local(target, module, symbol, thread, ret);
		*ret = module->bias + symbol->value;
		return true;
	}
	return false;
}

uint64_t modules_behind(void)
{
#ifdef __x86_64__
	return 0; /* the thread pointer is the descriptor's address */
#else
	return sizeof_pthread;
#endif
}
