/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds libgomp's variables for devices in its code. The two functions that register images use them all. Each variable
 * is identified by its size, and by which of the functions write it.
 */
#include "base/path.h"
#include "openmp/devices/code_uses.h"
#include "openmp/devices/devices_gomp.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/modules.h"

/* Return the only variable of @size that both functions read, and write as given; 0 without one. */
static uint64_t find_variable(const struct code_uses *a, const struct code_uses *b, unsigned size, bool a_writes,
			      bool b_writes)
{
	uint64_t found = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct code_use *one = &a->list[i];

		for (size_t k = 0; k < b->n; k++) {
			const struct code_use *two = &b->list[k];

			if (one->address != two->address || one->size != size || two->size != size || !one->is_read ||
			    !two->is_read || one->is_written != a_writes || two->is_written != b_writes)
				continue;
			if (found)
				return 0;
			found = one->address;
		}
	}
	return found;
}

struct error *gomp_devices_find(struct target *t, const struct runtime *r, struct gomp_devices_variables *ret)
{
	const char *file = path_file_name(r->path);
	struct code_uses adds, removes;

	target_prefer_module(t, r->start);
	struct error *err = code_uses_read(t, "GOMP_offload_register_ver", file, &adds);
	if (!err)
		err = code_uses_read(t, "GOMP_offload_unregister_ver", file, &removes);
	if (err)
		return err;
	ret->devices = find_variable(&adds, &removes, 8, false, false);
	ret->n_devices = find_variable(&adds, &removes, 4, false, false);
	ret->images = find_variable(&adds, &removes, 8, true, false);
	ret->n_images = find_variable(&adds, &removes, 4, true, true);
	if (ret->devices && ret->n_devices)
		return NULL;
	return error_create(ERR_UNKNOWN_LAYOUT, "cannot find libgomp's devices: its code shows no such variables");
}
