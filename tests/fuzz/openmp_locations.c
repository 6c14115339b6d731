/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * openmp/runtimes/library: a target's ompd_dll_locations, its vector and its names. The input is the target's memory;
 * its first word is the variable. No library is loaded for any name: each name is refused, missing or unreadable.
 */
#include "base/error.h"
#include "fake_target.h"
#include "fuzz.h"
#include "openmp/plugin/plugin.h"
#include "openmp/runtimes/library.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"

#define MEMORY 0x20000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum error_code expected[] = {ERR_PLUGIN_NOT_FOUND, ERR_PLUGIN_UNTRUSTED, ERR_OPENMP_NOT_STARTED,
						   ERR_MEMORY_UNREADABLE};
	struct runtime runtime = {.descriptor = &descriptor_libomp, .path = (char *)"/nowhere/libomp.so"};
	struct plugin_options options = {0};
	struct plugin *plugin = NULL;
	bool is_expected = false;

	if (size < 8 || size > 65536)
		return 0;
	struct target *t = fake_target_create(TARGET_OBSERVE);

	fake_target_add_module(t, "/nowhere/libomp.so", 0x1000, 0x3000, NULL, NULL);
	fake_target_add_symbol(t, 0, "ompd_dll_locations", MEMORY, 8, false);
	fake_target_map(t, MEMORY, NULL, (size + 4095) & ~(size_t)4095);
	fake_target_poke(t, MEMORY, data, size);
	target_view_begin(t);
	struct error *err = library_find(t, &runtime, &options, &plugin);

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		is_expected |= error_is(err, expected[i]);
	FUZZ_ASSERT(is_expected && !plugin);
	error_destroy(err);
	target_destroy(t);
	return 0;
}
