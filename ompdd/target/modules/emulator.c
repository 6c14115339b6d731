/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognizes emulators by files that only the emulator maps. */
#include "target/modules/emulator.h"

#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "target/modules/modules.h"
#include "target/target_ops.h"

/* The start and the end of a file's name. */
struct emulator {
	const char *prefix, *suffix;
	const char *name;
};

static const char *match_file(const struct emulator *list, size_t n, const char *path)
{
	const char *file = path_file_name(path);
	size_t len = strlen(file);

	for (size_t i = 0; i < n; i++) {
		size_t prefix = strlen(list[i].prefix), suffix = strlen(list[i].suffix);

		if (len >= prefix + suffix && !strncmp(file, list[i].prefix, prefix) &&
		    !strcmp(file + len - suffix, list[i].suffix))
			return list[i].name;
	}
	return NULL;
}

static const char *by_executable(const char *path)
{
	static const struct emulator list[] = {
		{"qemu-", "", "qemu"},
		{"box64", "", "box64"},
		{"FEX", "", "FEX"},
		{"pinbin", "", "Pin"},
	};
	/* valgrind has one file for each tool, processor and system: /usr/libexec/valgrind/memcheck-PROCESSOR-linux. */
	static const struct emulator tools[] = {{"", "-linux", "valgrind"}};
	const char *name = match_file(list, sizeof(list) / sizeof(list[0]), path);

	return name || !strstr(path, "valgrind/") ? name : match_file(tools, 1, path);
}

static const char *find_emulator(struct target *t)
{
	static const struct emulator list[] = {
		{"vgpreload_core", "", "valgrind"}, {"libdynamorio.so", "", "DynamoRIO"}, {"pinbin", "", "Pin"},
		{"libpindwarf.so", "", "Pin"},	    {"libpin3dwarf.so", "", "Pin"},	  {"librrpreload.so", "", "rr"},
	};
	const struct target_module *modules;
	const char *name = by_executable(target_exe(t));
	size_t n = 0;

	if (name)
		return name;
	struct error *err = target_modules(t, &modules, &n);
	if (err) {
		error_destroy(err);
		return NULL;
	}
	for (size_t i = 0; i < n && !name; i++)
		name = match_file(list, sizeof(list) / sizeof(list[0]), modules[i].path);
	return name;
}

const char *target_emulator(struct target *t)
{
	if (t->emulator_view != t->view + 1) {
		t->emulator = find_emulator(t);
		t->emulator_view = t->view + 1;
	}
	return t->emulator;
}
