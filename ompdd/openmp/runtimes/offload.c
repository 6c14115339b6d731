/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of file names. The drivers are those that libgomp's and LLVM's plugins open. */
#include "openmp/runtimes/offload.h"

#include <stddef.h>
#include <string.h>

#include "base/path.h"
#include "target/arch/arch.h"
#include "target/modules/modules.h"
#include "target/target.h"

static bool has_any_prefix(const char *path, const char *const *prefixes)
{
	const char *name = path ? path_file_name(path) : "";

	for (; *prefixes; prefixes++) {
		if (!strncmp(name, *prefixes, strlen(*prefixes)))
			return true;
	}
	return false;
}

bool offload_is_of_runtime(const char *path)
{
	static const char *const prefixes[] = {"libgomp-plugin-", "libomptarget", "libLLVMOffload", NULL};

	return has_any_prefix(path, prefixes);
}

bool offload_is_plugin(const char *path)
{
	static const char *const prefixes[] = {"libgomp-plugin-", "libomptarget.rtl.", NULL};

	return has_any_prefix(path, prefixes);
}

bool offload_is_host_plugin(const char *path)
{
	static const char prefix[] = "libomptarget.rtl.";
	const char *name = path ? path_file_name(path) : "", *kind = name + strlen(prefix);
	size_t length = strlen(arch->uname);

	return strncmp(name, prefix, strlen(prefix)) == 0 && strncmp(kind, arch->uname, length) == 0 &&
	       kind[length] == '.';
}

bool offload_runs_region(const char *name)
{
	static const char *const prefixes[] = {"__tgt_rtl_run_target_", NULL};

	return has_any_prefix(name, prefixes);
}

bool offload_copies_to_device(const char *name)
{
	static const char *const prefixes[] = {"GOMP_OFFLOAD_host2dev", "GOMP_OFFLOAD_dev2dev", "__tgt_rtl_data_submit",
					       NULL};

	return has_any_prefix(name, prefixes);
}

enum offload_activity offload_activity_of(const char *name)
{
	/* A longer name comes before its own prefix. */
	static const struct {
		const char *prefix;
		enum offload_activity activity;
	} activities[] = {
		{"GOMP_OFFLOAD_async_run", OFFLOAD_RUN_ASYNC}, {"GOMP_OFFLOAD_run", OFFLOAD_RUN},
		{"GOMP_OFFLOAD_host2dev", OFFLOAD_DATA},       {"GOMP_OFFLOAD_dev2host", OFFLOAD_DATA},
		{"GOMP_OFFLOAD_dev2dev", OFFLOAD_DATA},	       {"GOMP_OFFLOAD_memcpy", OFFLOAD_DATA},
		{"GOMP_OFFLOAD_memset", OFFLOAD_DATA},	       {"GOMP_OFFLOAD_load_image", OFFLOAD_START},
		{"GOMP_OFFLOAD_init_device", OFFLOAD_START},   {"__tgt_rtl_run_target_", OFFLOAD_RUN},
		{"__tgt_rtl_launch_kernel", OFFLOAD_RUN},      {"__tgt_rtl_data_submit", OFFLOAD_DATA},
		{"__tgt_rtl_data_retrieve", OFFLOAD_DATA},     {"__tgt_rtl_data_exchange", OFFLOAD_DATA},
		{"__tgt_rtl_load_binary", OFFLOAD_START},      {"__tgt_rtl_init_device", OFFLOAD_START},
	};

	for (size_t i = 0; i < sizeof(activities) / sizeof(activities[0]); i++) {
		if (!strncmp(name, activities[i].prefix, strlen(activities[i].prefix)))
			return activities[i].activity;
	}
	return OFFLOAD_UNKNOWN;
}

bool offload_is_driver(const char *path)
{
	static const char *const prefixes[] = {
		"libcuda.",	 "libnvidia-",	     "libhsa-runtime64.", "libhsakmt.",	  "libffi.",
		"libze_loader.", "libze_intel_gpu.", "libOpenCL.",	  "libamdhip64.", NULL};

	return has_any_prefix(path, prefixes);
}

bool offload_is_present(struct target *t)
{
	const struct target_module *modules;
	bool is_present = false;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	if (err) {
		error_destroy(err);
		return false;
	}
	for (size_t i = 0; i < n && !is_present; i++)
		is_present = offload_is_of_runtime(modules[i].path);
	return is_present;
}

bool offload_has_code(struct target *t, uint64_t pc)
{
	const struct target_module *module = target_module_at(t, pc);

	return module && (offload_is_of_runtime(module->path) || offload_is_driver(module->path));
}
