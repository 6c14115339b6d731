/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layouts of libgomp 9 to 16, read from builds with debug information. A row is used only if the record's pointers
 * are the addresses of the plugin's functions.
 */
#include "base/path.h"
#include "openmp/devices/devices_gomp.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/runtimes/runtime_symbol.h"
#include "target/modules/modules.h"

static const char *const functions_9[] = {"get_name",	 "get_caps",  "get_type",   "get_num_devices", "init_device",
					  "fini_device", "version",   "load_image", "unload_image",    "alloc",
					  "free",	 "dev2host",  "host2dev",   "dev2dev",	       "can_run",
					  "run",	 "async_run", NULL};
static const char *const functions_14[] = {"get_name",	  "get_caps", "get_type",   "get_num_devices", "init_device",
					   "fini_device", "version",  "load_image", "unload_image",    "alloc",
					   "free",	  "dev2host", "host2dev",   "memcpy2d",	       "memcpy3d",
					   "dev2dev",	  "can_run",  "run",	    "async_run",       NULL};
static const char *const functions_15[] = {"get_name",
					   "get_uid",
					   "get_caps",
					   "get_type",
					   "get_num_devices",
					   "init_device",
					   "fini_device",
					   "version",
					   "load_image",
					   "unload_image",
					   "alloc",
					   "free",
					   "dev2host",
					   "host2dev",
					   "memcpy2d",
					   "memcpy3d",
					   "dev2dev",
					   "can_run",
					   "run",
					   "async_run",
					   "interop",
					   "get_interop_int",
					   "get_interop_ptr",
					   "get_interop_str",
					   "get_interop_type_desc",
					   NULL};
static const char *const functions_16[] = {"get_name",
					   "get_uid",
					   "get_caps",
					   "get_type",
					   "get_num_devices",
					   "init_device",
					   "fini_device",
					   "version",
					   "load_image",
					   "unload_image",
					   "alloc",
					   "free",
					   "managed_alloc",
					   "managed_free",
					   "is_accessible_ptr",
					   "page_locked_host_alloc",
					   "page_locked_host_free",
					   "dev2host",
					   "host2dev",
					   "dev2dev",
					   "memcpy2d",
					   "memcpy3d",
					   "memset",
					   "can_run",
					   "run",
					   "async_run",
					   "interop",
					   "get_interop_int",
					   "get_interop_ptr",
					   "get_interop_str",
					   "get_interop_type_desc",
					   NULL};

/* Newest first. */
static const struct gomp_devices_layout layouts[] = {
	{"omp_target_memset", functions_16, 16, 20, 24, 32, 472, true, true},
	{"GOMP_interop", functions_15, 16, 20, 24, 32, 416, true, true},
	{"GOMP_add_alloc", functions_14, 8, 12, 16, 24, 360, true, true},
	{"omp_in_explicit_task", functions_9, 8, 12, 16, 24, 344, true, true},
	{"omp_display_env", functions_9, 8, 12, 16, 24, 336, false, true},
	{"omp_fulfill_event", functions_9, 8, 12, 16, 24, 336, false, false},
	{"acc_attach", functions_9, 8, 12, 16, 24, 336, false, false},
	{"omp_pause_resource", functions_9, 8, 12, 16, 24, 304, false, false},
};

const struct gomp_devices_layout *gomp_devices_layout(struct target *t, const struct runtime *r)
{
	uint64_t address;

	target_prefer_module(t, r->start);
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (runtime_symbol(t, layouts[i].probe, path_file_name(r->path), &address))
			return &layouts[i];
	}
	return NULL;
}

const char *gomp_devices_kind(uint32_t type)
{
	static const char *const kinds[] = {[2] = "host", [5] = "nvptx", [6] = "intelmic", [7] = "hsa", [8] = "gcn"};

	return type < sizeof(kinds) / sizeof(kinds[0]) ? kinds[type] : NULL;
}
