/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks the library for the thread's names and searches the target's threads for them. */
#include "openmp/model/handle_thread.h"

#include "openmp/model/model.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "target/modules/tid_map.h"
#include "target/target.h"

const struct target_thread *handle_thread(struct model *m, void *object, pid_t *absent_ret)
{
	const struct error *why;
	struct plugin *p = model_plugin(m, &why);
	struct target *t = model_target(m);
	ompd_thread_handle_t *thread = object;
	const struct target_thread *found = NULL;
	struct tid_map map = {0};
	uint64_t pthread = 0;
	int32_t tid = 0;

	if (absent_ret)
		*absent_ret = 0;
	if (!p)
		return NULL;
	if (plugin_call(p, get_thread_id, thread, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread) == ompd_rc_ok)
		found = target_thread_by_pthread(t, pthread);
	if (found || plugin_call(p, get_thread_id, thread, OMPD_THREAD_ID_LWP, sizeof(tid), &tid) != ompd_rc_ok)
		return found;
	tid_map_refresh(&map, t);
	found = tid_map_find(&map, t, tid);
	if (!found && absent_ret && (map.same_namespace || map.n))
		*absent_ret = tid;
	tid_map_deinit(&map);
	return found;
}
