/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the function of a task from the library. */
#include "openmp/model/task_function.h"

#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

struct error *task_function_read(struct plugin *p, void *task, struct snapshot_word *ret)
{
	ompd_address_t function = {0};
	int rc = plugin_call(p, get_task_function, task, &function);

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_task_function", "returned an unknown code");
	if (rc == ompd_rc_ok && !function.address)
		rc = ompd_rc_unavailable;
	*ret = (struct snapshot_word){rc, (int64_t)function.address};
	return NULL;
}

struct error *task_function_read_region(struct plugin *p, void *parallel, struct snapshot_word *ret)
{
	ompd_task_handle_t *task = NULL;
	int rc = plugin_call(p, get_task_in_parallel, parallel, 0, &task);

	if (rc == ompd_rc_ok && !task)
		return ompd_misbehaved("ompd_get_task_in_parallel", "returned no handle");
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_task_in_parallel", "returned an unknown code");
	*ret = (struct snapshot_word){rc, 0};
	if (rc != ompd_rc_ok)
		return NULL;
	struct error *err = task_function_read(p, task, ret);

	plugin_call(p, rel_task_handle, task);
	return err;
}
